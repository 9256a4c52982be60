// SPDX-License-Identifier: Apache-2.0
#include "custom/testing/random_schema.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "custom/testing/schemas.h"

namespace dray::custom::testing {
namespace {

using api::Tree;
using schema::Node;
using schema::ValueType;

constexpr auto kNames = std::to_array<std::string_view>(
    {"a", "b", "c", "key", "a-name-of-more-than-fifteen-bytes", "ä"});
constexpr auto kTexts = std::to_array<std::string_view>(
    {"", "a", "abc", "UPPER", "2024-02-29", "10.0.0.1", "a text that is longer than others"});

class Chance {
 public:
  explicit Chance(std::mt19937& random) : random_(random) {}

  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  bool OneIn(uint32_t count) { return Below(count) == 0; }
  template <class T, size_t size>
  const T& Of(const std::array<T, size>& all) {
    return all[Below(size)];
  }
  Tree Scalar() {
    switch (Below(6)) {
      case 0: return Tree();
      case 1: return Tree(OneIn(2));
      case 2: return Tree(static_cast<int64_t>(Below(20)) - 5);
      case 3: return Tree(static_cast<double>(2 * Below(20) + 1) / 4 - 2);
      default: return Tree(Of(kTexts));
    }
  }

 private:
  std::mt19937& random_;
};

class SchemaMaker {
 public:
  explicit SchemaMaker(std::mt19937& random) : chance_(random) {}

  Tree Object(size_t depth) {
    Tree made = Of("object");
    if (chance_.OneIn(5)) {
      made.Set("additionalProperties", chance_.OneIn(4) ? Tree(true) : Any(depth));
    } else {
      Tree properties = Tree::Object();
      for (const std::string_view name : kNames) {
        if (!chance_.OneIn(3)) properties.Set(name, Any(depth));
      }
      made.Set("properties", std::move(properties));
      if (chance_.OneIn(3)) made.Set("required", TreeOf(R"(["a"])"));
    }
    if (chance_.OneIn(6)) made.Set("x-kubernetes-preserve-unknown-fields", Tree(true));
    if (chance_.OneIn(8)) made.Set("maxProperties", Tree(3));
    if (chance_.OneIn(8)) made.Set("oneOf", TreeOf(R"([{"required":["a"]},{"required":["b"]}])"));
    return made;
  }

 private:
  static Tree Of(std::string_view type) { return Tree::Object({{"type", Tree(type)}}); }

  Tree Any(size_t depth) {
    Tree made = depth == 0         ? Scalar()
                : chance_.OneIn(3) ? Object(depth - 1)
                : chance_.OneIn(3) ? List(depth - 1)
                                   : Scalar();
    if (chance_.OneIn(6)) made.Set("nullable", Tree(true));
    if (chance_.OneIn(4)) made.Set("default", Default(made));
    return made;
  }

  // A value that pruning does not change.
  Tree Default(const Tree& schema) {
    const Tree* const type = schema.Find("type");
    if (type == nullptr) return Tree(7);
    if (type->text() == "object") return Tree::Object();
    if (type->text() == "array") return Tree::List();
    return chance_.Scalar();
  }

  Tree List(size_t depth) {
    Tree made = Of("array");
    const uint32_t kind = chance_.Below(4);
    made.Set("items", kind == 1 ? Object(depth) : Any(depth));
    if (kind == 1) {
      made.Set("x-kubernetes-list-type", Tree("map"));
      made.Set("x-kubernetes-list-map-keys", TreeOf(R"(["key"])"));
    } else if (kind == 2) {
      made.Set("x-kubernetes-list-type", Tree("set"));
    }
    if (chance_.OneIn(4)) made.Set("maxItems", Tree(2));
    return made;
  }

  Tree Scalar() {
    constexpr auto kSchemas = std::to_array<std::string_view>({
        R"({"type":"string","maxLength":3})",
        R"({"type":"string","pattern":"^[a-z]*$","minLength":1})",
        R"({"type":"string","format":"date"})",
        R"({"type":"string","enum":["a","abc"]})",
        R"({"type":"integer","minimum":0,"maximum":10})",
        R"({"type":"integer","format":"int32","multipleOf":2})",
        R"({"type":"number","exclusiveMaximum":true,"maximum":5})",
        R"({"type":"boolean"})",
        R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"maximum":9})",
        R"({"type":"integer","anyOf":[{"maximum":2},{"minimum":5}],"not":{"enum":[7]}})",
    });
    return TreeOf(chance_.Of(kSchemas));
  }

  Chance chance_;
};

class ValueMaker {
 public:
  explicit ValueMaker(std::mt19937& random) : chance_(random) {}

  Tree Make(const Node& node) {
    if (chance_.OneIn(12)) return chance_.Scalar();
    switch (node.type) {
      case ValueType::kObject: return Object(node);
      case ValueType::kArray: return List(node);
      case ValueType::kBoolean: return Tree(chance_.OneIn(2));
      case ValueType::kInteger: return Tree(static_cast<int64_t>(chance_.Below(14)));
      case ValueType::kNumber: return Tree(static_cast<double>(2 * chance_.Below(15) + 1) / 4);
      case ValueType::kString: return Tree(chance_.Of(kTexts));
      case ValueType::kAny: return chance_.Scalar();
    }
    return Tree();
  }

 private:
  Tree Object(const Node& node) {
    std::vector<Tree::Member> members;
    for (const schema::Property& property : node.properties) {
      if (!chance_.OneIn(3)) members.emplace_back(property.name, Make(*property.node));
    }
    for (size_t i = 0; i < 2 && node.others != nullptr; ++i) {
      members.emplace_back(chance_.Of(kNames), Make(*node.others));
    }
    if (chance_.OneIn(4)) {
      members.emplace_back("unknown", TreeOf(R"({"x":[{"y":1}],"z":null})"));
    }
    return Tree::Object(std::move(members));
  }

  Tree List(const Node& node) {
    std::vector<Tree> elements;
    for (uint32_t count = chance_.Below(4); count > 0; --count) {
      elements.push_back(node.items == nullptr ? chance_.Scalar() : Make(*node.items));
    }
    return Tree::List(std::move(elements));
  }

  Chance chance_;
};

}  // namespace

Tree RandomSchema(std::mt19937& random, size_t depth) {
  return SchemaMaker(random).Object(depth);
}

Tree RandomValue(std::mt19937& random, const Node& node) {
  return ValueMaker(random).Make(node);
}

}  // namespace dray::custom::testing
