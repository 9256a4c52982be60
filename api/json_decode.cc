// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "api/json.h"
#include "api/json_reader.h"
#include "base/base64.h"

namespace dray::api {
namespace {

template <class T>
T& Get(void* value) {
  return *static_cast<T*>(value);
}

/// A field found by its JSON name, and the struct (perhaps an inlined one) it belongs to.
struct Found {
  const Field* field = nullptr;
  void* object = nullptr;
};

Found FindMember(const Type& type, void* object, std::string_view name, Wire wire) {
  for (const Field& field : type.fields) {
    if (!field.IsOn(wire)) continue;
    if (!field.facets.inlined) {
      if (field.name == name) return {&field, object};
      continue;
    }
    const Found inner = FindMember(field.type(), MutableMember(field, object), name, wire);
    if (inner.field != nullptr) return inner;
  }
  return {};
}

/// One walk over a document. path_ is where the walk stands, as messages write it.
class Decoder {
 public:
  Decoder(std::string_view json, std::string_view root, DecodeIssues* issues, Wire wire)
      : reader_(json), root_(root), issues_(issues), wire_(wire) {}

  Result<> Run(const Type& type, void* value, bool has_type_meta) {
    if (reader_.Peek() == JsonKind::kNull && type.kind == TypeKind::kStruct) {
      reader_.Null();
    } else if (type.kind == TypeKind::kStruct) {
      Struct(type, value, has_type_meta);
    } else {
      Value(type, value);
    }
    if (!mismatch_.empty()) return Fail(StatusReason::kBadRequest, std::move(mismatch_));
    if (!reader_.Finish()) return Fail(reader_.error());
    return {};
  }

 private:
  bool stopped() const { return reader_.failed() || !mismatch_.empty(); }

  void Mismatch(std::string_view found, std::string_view wanted) {
    if (stopped()) return;
    mismatch_ = fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                            found,
                            root_,
                            path_,
                            wanted);
  }

  void Issue(std::string_view what, std::string_view name) {
    if (issues_ == nullptr) return;
    issues_->push_back(
        fmt::format("{} field \"{}{}{}\"", what, path_, path_.empty() ? "" : ".", name));
  }

  /// True when the next value is of `kind`; notes the mismatch otherwise.
  bool Expect(JsonKind kind, const Type& type) {
    const JsonKind found = reader_.Peek();
    if (found == kind) return true;
    if (found == JsonKind::kInvalid) {
      reader_.Skip();  // lets the reader say what is wrong
    } else {
      Mismatch(JsonKindName(found), type.name);
    }
    return false;
  }

  void Value(const Type& type, void* value) {
    if (stopped()) return;
    if (reader_.Peek() == JsonKind::kNull) {
      reader_.Null();
      Clear(type, value);
      return;
    }
    switch (type.kind) {
      case TypeKind::kBool:
        if (Expect(JsonKind::kBool, type)) Get<bool>(value) = reader_.Bool();
        return;
      case TypeKind::kInt32: Integer<int32_t>(type, value); return;
      case TypeKind::kInt64: Integer<int64_t>(type, value); return;
      case TypeKind::kString:
        if (Expect(JsonKind::kString, type)) reader_.String(Get<std::string>(value));
        return;
      case TypeKind::kBytes: Base64(type, value); return;
      case TypeKind::kQuantity: ReadQuantity(type, value); return;
      case TypeKind::kTime: Text<Time>(type, value); return;
      case TypeKind::kMicroTime: Text<MicroTime>(type, value); return;
      case TypeKind::kDuration: Text<Duration>(type, value); return;
      case TypeKind::kIntOrString: ReadIntOrString(type, value); return;
      case TypeKind::kRawJson: Get<RawJson>(value) = RawJson(std::string(reader_.Skip())); return;
      case TypeKind::kOptional: Value(type.element(), type.container->add(value, {})); return;
      case TypeKind::kList: List(type, value); return;
      case TypeKind::kMap: ReadMap(type, value); return;
      case TypeKind::kStruct: Struct(type, value, false); return;
    }
  }

  template <class T>
  void Integer(const Type& type, void* value) {
    if (!Expect(JsonKind::kNumber, type)) return;
    const std::string_view text = reader_.Number();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), Get<T>(value));
    if (!reader_.failed() && (read.ec != std::errc() || read.ptr != text.data() + text.size())) {
      Mismatch(fmt::format("number {}", text), type.name);
    }
  }

  /// Keeps what a type's own Parse says about the text.
  template <class T>
  void Take(Result<T> parsed, void* value) {
    if (stopped()) return;
    if (parsed) {
      Get<T>(value) = *std::move(parsed);
    } else {
      mismatch_ = std::move(parsed.error().message);
    }
  }

  template <class T>
  void Text(const Type& type, void* value) {
    if (!Expect(JsonKind::kString, type)) return;
    reader_.String(scratch_);
    Take(T::Parse(scratch_), value);
  }

  void Base64(const Type& type, void* value) {
    if (!Expect(JsonKind::kString, type)) return;
    reader_.String(scratch_);
    std::optional<std::string> bytes = DecodeBase64(scratch_);
    if (!bytes && !stopped()) mismatch_ = "illegal base64 data at " + path_;
    if (bytes) Get<Bytes>(value).bytes = *std::move(bytes);
  }

  void ReadQuantity(const Type& type, void* value) {
    if (reader_.Peek() == JsonKind::kNumber) {
      scratch_ = reader_.Number();
    } else if (Expect(JsonKind::kString, type)) {
      reader_.String(scratch_);
    }
    if (!stopped()) Take(Quantity::ParseTrimmed(scratch_), value);
  }

  void ReadIntOrString(const Type& type, void* value) {
    if (reader_.Peek() == JsonKind::kNumber) {
      int32_t number = 0;
      Integer<int32_t>(type, &number);
      Get<IntOrString>(value) = IntOrString(number);
    } else if (Expect(JsonKind::kString, type)) {
      reader_.String(scratch_);
      Get<IntOrString>(value) = IntOrString(scratch_);
    }
  }

  void List(const Type& type, void* value) {
    if (!Expect(JsonKind::kArray, type)) return;
    const Type& element = type.element();
    const size_t length = path_.size();
    Clear(type, value);
    type.container->set_present(value);
    reader_.EnterArray();
    for (size_t i = 0; !stopped() && reader_.NextElement(); ++i) {
      fmt::format_to(std::back_inserter(path_), "[{}]", i);
      Value(element, type.container->add(value, {}));
      if (!stopped()) path_.resize(length);
    }
  }

  void ReadMap(const Type& type, void* value) {
    if (!Expect(JsonKind::kObject, type)) return;
    const Type& element = type.element();
    Clear(type, value);
    reader_.EnterObject();
    std::string key;
    std::vector<std::string> seen;
    while (!stopped() && reader_.NextKey(key)) {
      if (std::ranges::binary_search(seen, key)) {
        Issue("duplicate", key);
      } else {
        seen.insert(std::ranges::upper_bound(seen, key), key);
      }
      const size_t length = Descend(key);
      Value(element, type.container->add(value, key));
      if (!stopped()) path_.resize(length);
    }
  }

  void Struct(const Type& type, void* value, bool has_type_meta) {
    if (!Expect(JsonKind::kObject, type)) return;
    reader_.EnterObject();
    std::string key;
    std::vector<const void*> seen;  // fields; a kind has few enough for a linear search
    while (!stopped() && reader_.NextKey(key)) {
      if (has_type_meta && (key == "kind" || key == "apiVersion")) {
        Once(seen, key == "kind" ? static_cast<const void*>(&kKindMark) : &kVersionMark, key);
        TypeMetaMember(key);
        continue;
      }
      const Found found = FindMember(type, value, key, wire_);
      if (found.field == nullptr) {
        Issue("unknown", key);
        reader_.Skip();
        continue;
      }
      Once(seen, found.field, key);
      const size_t length = Descend(key);
      const Type& member_type = found.field->type();
      void* member = MutableMember(*found.field, found.object);
      if (reader_.Peek() != JsonKind::kObject || member_type.kind != TypeKind::kStruct) {
        Value(member_type, member);
      } else {
        Struct(member_type, member, false);  // a duplicate struct merges into the first, as in Go
      }
      if (!stopped()) path_.resize(length);
    }
  }

  void TypeMetaMember(const std::string& key) {
    if (reader_.Peek() == JsonKind::kString || reader_.Peek() == JsonKind::kNull) {
      reader_.Skip();
    } else {
      const size_t length = Descend(key);
      Mismatch(JsonKindName(reader_.Peek()), "string");
      path_.resize(length);
    }
  }

  void Once(std::vector<const void*>& seen, const void* mark, std::string_view key) {
    if (std::ranges::find(seen, mark) == seen.end()) {
      seen.push_back(mark);
    } else {
      Issue("duplicate", key);
    }
  }

  /// Appends a member to the path; returns the length to go back to.
  size_t Descend(std::string_view key) {
    const size_t length = path_.size();
    if (!path_.empty()) path_ += '.';
    path_ += key;
    return length;
  }

  static constexpr char kKindMark = 0;
  static constexpr char kVersionMark = 0;

  JsonReader reader_;
  std::string_view root_;
  DecodeIssues* issues_;
  Wire wire_;
  std::string path_;
  std::string scratch_;
  std::string mismatch_;
};

}  // namespace

Result<TypeMeta> ReadTypeMeta(std::string_view json) {
  JsonReader reader(json);
  TypeMeta meta;
  std::string key;
  if (reader.Peek() != JsonKind::kObject && reader.Peek() != JsonKind::kInvalid) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("json: cannot unmarshal {} into an object with kind and apiVersion",
                            JsonKindName(reader.Peek())));
  }
  reader.EnterObject();
  while (reader.NextKey(key)) {
    std::string* member = key == "kind"         ? &meta.kind
                          : key == "apiVersion" ? &meta.api_version
                                                : nullptr;
    if (member != nullptr && reader.Peek() == JsonKind::kString) {
      reader.String(*member);
    } else if (member != nullptr && reader.Peek() != JsonKind::kNull &&
               reader.Peek() != JsonKind::kInvalid) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("json: cannot unmarshal {} into the field {} of type string",
                              JsonKindName(reader.Peek()),
                              key));
    } else {
      reader.Skip();
    }
  }
  if (!reader.Finish()) return Fail(reader.error());
  return meta;
}

Result<> DecodeJson(
    const Type& type, std::string_view json, void* value, DecodeIssues* issues, Wire wire) {
  return Decoder(json, type.name, issues, wire).Run(type, value, false);
}

Result<Object> DecodeJson(const KindInfo& kind,
                          std::string_view json,
                          DecodeIssues* issues,
                          Wire wire) {
  Object object = Object::Make(kind);
  DRAY_TRY_VOID(
      Decoder(json, kind.kind, issues, wire).Run(object.type(), object.mutable_value(), true));
  return object;
}

}  // namespace dray::api
