// SPDX-License-Identifier: Apache-2.0
#include "api/testing/random_object.h"

#include <array>
#include <string>

#include <fmt/format.h>

namespace dray::api::testing {
namespace {

class Filler {
 public:
  Filler(Random& random, const Shape& shape) : random_(random), shape_(shape) {}

  void Fill(const Type& type, void* value, const Facets& facets = {}) {
    if (type.scalar != nullptr) return Scalar(type, value);
    if (type.kind == TypeKind::kStruct) return Members(type, value);
    const uint64_t size = type.kind == TypeKind::kOptional ? 1 : Below(shape_.elements_max + 1);
    for (uint64_t i = 0; i < size; ++i) {
      void* element = type.container->add(value, fmt::format("key-{}", Below(10)));
      Fill(type.element(), element);
      if (type.kind == TypeKind::kList) MakeUnique(facets, type.element(), element, i);
    }
    // [] is another thing than nothing, now and then.
    if (type.kind == TypeKind::kList && size == 0 && Below(2) == 0) {
      type.container->set_present(value);
    }
  }

 private:
  uint64_t Below(uint64_t bound) { return random_.Next() % bound; }

  void Members(const Type& type, void* value) {
    // A type that contains itself is nested only once.
    if (std::ranges::count(open_, &type) > 1) return;
    open_.push_back(&type);
    const size_t only = type.one_form ? Below(type.fields.size()) : 0;
    for (const Field& field : type.fields) {
      if (!field.IsOn(shape_.wire)) continue;
      if (type.one_form && &field != &type.fields[only]) continue;
      if (Below(100) >= shape_.filled_percent) continue;
      Fill(field.type(), MutableMember(field, value), field.facets);
    }
    open_.pop_back();
  }

  // Elements of maps and sets differ, and so do names, as validation asks.
  static void MakeUnique(const Facets& list, const Type& type, void* element, uint64_t index) {
    const bool is_distinguished = list.list == ListKind::kSet || list.list == ListKind::kMap;
    if (type.kind == TypeKind::kString && is_distinguished)
      Set(element, fmt::format("text-{}", index));
    if (type.kind != TypeKind::kStruct) return;
    const std::string_view key = list.list_keys.substr(0, list.list_keys.find(','));
    for (const Field& field : type.fields) {
      if (field.facets.inlined)
        MakeUnique(list, field.type(), MutableMember(field, element), index);
      if (field.type().kind == TypeKind::kInt32 && is_distinguished && field.name == key) {
        Set(MutableMember(field, element), static_cast<int32_t>(index + 1));
      }
      if (field.type().kind != TypeKind::kString) continue;
      if (field.name != "name" && (!is_distinguished || (!key.empty() && field.name != key)))
        continue;
      Set(MutableMember(field, element), fmt::format("{}-{}", field.name, index));
    }
  }

  template <class T>
  static void Set(void* value, T content) {
    *static_cast<T*>(value) = std::move(content);
  }

  void Scalar(const Type& type, void* value) {
    static constexpr std::array<std::string_view, 6> kWords = {
        "", "a", "gpu.example.com", "<&> \"quoted\"", "zwölf", "node-1"};
    switch (type.kind) {
      case TypeKind::kBool: return Set(value, Below(2) == 0);
      case TypeKind::kInt32: return Set(value, static_cast<int32_t>(Below(2001)) - 1000);
      case TypeKind::kInt64: return Set(value, static_cast<int64_t>(Below(2001)) - 1000);
      case TypeKind::kDouble: return Set(value, static_cast<double>(Below(2001)) / 8 - 100);
      case TypeKind::kString: return Set(value, std::string(kWords.at(Below(kWords.size()))));
      case TypeKind::kBytes: return Set(value, Bytes{std::string(Below(4), '\xFE')});
      case TypeKind::kQuantity:
        return Set(value, Quantity::FromMilli(static_cast<int64_t>(Below(5000))));
      case TypeKind::kTime:
        return Set(value, Time::FromUnixSeconds(1 + static_cast<int64_t>(Below(2'000'000'000))));
      case TypeKind::kMicroTime:
        return Set(value, MicroTime::FromUnixMicros(1 + static_cast<int64_t>(Below(1'000'000))));
      case TypeKind::kDuration: return;
      case TypeKind::kIntOrString: return Set(value, IntOrString(static_cast<int32_t>(Below(100))));
      case TypeKind::kRawJson:
        return Set(value, RawJson(fmt::format(R"({{"a":{},"b":["x"]}})", Below(9))));
      case TypeKind::kOptional:
      case TypeKind::kList:
      case TypeKind::kMap:
      case TypeKind::kStruct: return;
    }
  }

  Random& random_;
  Shape shape_;
  std::vector<const Type*> open_;  // structs around the value being filled
};

}  // namespace

void FillAtRandom(const Type& type, void* value, Random& random, const Shape& shape) {
  Filler(random, shape).Fill(type, value);
}

Object RandomObject(const KindInfo& kind, Random& random, const Shape& shape) {
  Object object = Object::Make(kind);
  FillAtRandom(kind.type(), object.mutable_value(), random, shape);
  return object;
}

}  // namespace dray::api::testing
