// SPDX-License-Identifier: Apache-2.0
#include "manifests/scalars.h"

#include <cstddef>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/reflect.h"

namespace dray::manifests {
namespace {

template <class T>
bool Reads(std::string_view json) {
  T value;
  return api::DecodeJson(api::TypeOf<T>(), json, &value, nullptr).has_value();
}

/// Whether `json` has the syntax of its type; true for types without one.
bool HasMeaning(api::TypeKind kind, std::string_view json) {
  switch (kind) {
    case api::TypeKind::kQuantity: return Reads<api::Quantity>(json);
    case api::TypeKind::kTime: return Reads<api::Time>(json);
    case api::TypeKind::kMicroTime: return Reads<api::MicroTime>(json);
    case api::TypeKind::kDuration: return Reads<api::Duration>(json);
    case api::TypeKind::kBytes: return Reads<api::Bytes>(json);
    case api::TypeKind::kBool:
    case api::TypeKind::kInt32:
    case api::TypeKind::kInt64:
    case api::TypeKind::kDouble:
    case api::TypeKind::kString:
    case api::TypeKind::kIntOrString:
    case api::TypeKind::kRawJson:
    case api::TypeKind::kOptional:
    case api::TypeKind::kList:
    case api::TypeKind::kMap:
    case api::TypeKind::kStruct: return true;
  }
  return true;
}

const api::Field* FindField(const api::Type& type, std::string_view name) {
  for (const api::Field& field : type.fields) {
    if (!field.facets.inlined) {
      if (field.name == name) return &field;
    } else if (const api::Field* const inner = FindField(field.type(), name); inner != nullptr) {
      return inner;
    }
  }
  return nullptr;
}

/// One pass over a document, which stops at the path.
class Search {
 public:
  explicit Search(std::string_view json) : reader_(json) {}

  std::string Run(const api::Type& type) { return Found(type) ? path_ : std::string(); }

 private:
  /// Whether the next value, of type `type`, is or contains an invalid scalar.
  bool Found(const api::Type& type) {
    const api::JsonKind next = reader_.Peek();
    const bool is_object = next == api::JsonKind::kObject;
    if (type.kind == api::TypeKind::kOptional) return Found(type.element());
    if (type.kind == api::TypeKind::kStruct && is_object) return InStruct(type);
    if (type.kind == api::TypeKind::kMap && is_object) return InMap(type.element());
    if (type.kind == api::TypeKind::kList && next == api::JsonKind::kArray) {
      return InList(type.element());
    }
    return !HasMeaning(type.kind, reader_.Skip());
  }

  bool InList(const api::Type& element) {
    const size_t length = path_.size();
    reader_.EnterArray();
    for (size_t i = 0; reader_.NextElement(); ++i) {
      path_ += fmt::format("[{}]", i);
      if (Found(element)) return true;
      path_.resize(length);
    }
    return false;
  }

  bool InMap(const api::Type& element) {
    const size_t length = path_.size();
    std::string key;
    reader_.EnterObject();
    while (reader_.NextKey(key)) {
      path_ += fmt::format("[{}]", key);
      if (Found(element)) return true;
      path_.resize(length);
    }
    return false;
  }

  bool InStruct(const api::Type& type) {
    const size_t length = path_.size();
    std::string key;
    reader_.EnterObject();
    while (reader_.NextKey(key)) {
      const api::Field* const field = FindField(type, key);
      if (field == nullptr) {
        reader_.Skip();
        continue;
      }
      path_ += path_.empty() ? key : "." + key;
      if (Found(field->type())) return true;
      path_.resize(length);
    }
    return false;
  }

  api::JsonReader reader_;
  std::string path_;
};

}  // namespace

std::string FindBadScalar(const api::KindInfo& kind, std::string_view json) {
  return Search(json).Run(kind.type());
}

}  // namespace dray::manifests
