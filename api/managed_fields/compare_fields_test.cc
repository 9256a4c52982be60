// SPDX-License-Identifier: Apache-2.0
// What custom objects have in common is left out before they are compared; that changes nothing.
#include "api/managed_fields/compare_fields.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/apiextensions_v1.h"
#include "api/codec/tree_json.h"
#include "api/managed_fields/schema_shape.h"
#include "api/managed_fields/versions.h"
#include "base/simulated_world.h"

namespace dray::api::managed_fields {
namespace {

using apiextensions_v1::JSONSchemaProps;
using apiextensions_v1::JSONSchemaPropsOrArray;

JSONSchemaProps Typed(std::string_view type) {
  JSONSchemaProps props;
  props.type = type;
  return props;
}

JSONSchemaProps ListOf(JSONSchemaProps element, std::string_view type) {
  JSONSchemaProps list = Typed("array");
  list.x_kubernetes_list_type = type;
  JSONSchemaPropsOrArray items;
  items.schema = std::move(element);
  list.items = std::move(items);
  return list;
}

// Members "a" to "e" that merge in different ways, below "a" once more; "f" is unknown.
JSONSchemaProps SchemaOf(int depth) {
  JSONSchemaProps props = Typed("object");
  if (depth > 0) props.properties["a"] = SchemaOf(depth - 1);
  JSONSchemaProps keyed = Typed("object");
  keyed.properties["a"] = Typed("integer");
  keyed.x_kubernetes_preserve_unknown_fields = true;
  props.properties["b"] = ListOf(std::move(keyed), "map");
  props.properties["b"].x_kubernetes_list_map_keys = {"a"};
  props.properties["c"] = ListOf(Typed("integer"), "set");
  props.properties["d"] = Typed("object");
  props.properties["d"].x_kubernetes_map_type = "atomic";
  props.properties["d"].x_kubernetes_preserve_unknown_fields = true;
  props.properties["e"] = Typed("integer");
  props.x_kubernetes_preserve_unknown_fields = true;
  return props;
}

class Trees {
 public:
  explicit Trees(uint64_t seed) : random_(seed) {}

  Tree Object(int depth) {
    Tree object = Tree::Object();
    for (const std::string_view name : {"a", "b", "c", "d", "e", "f"}) {
      if (Below(3) != 0) object.Set(name, Value(depth - 1));
    }
    return object;
  }
  /// The object with one member replaced, added or removed somewhere.
  Tree Near(Tree object, int depth) {
    constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e", "f"};
    const std::string_view name = kNames[Below(std::size(kNames))];
    const Tree* const inner = object.Find(name);
    if (inner != nullptr && inner->is_object() && depth > 0 && Below(3) != 0) {
      object.Set(name, Near(*inner, depth - 1));
    } else if (inner != nullptr && Below(2) == 0) {
      object.Erase(name);
    } else {
      object.Set(name, Value(depth - 1));
    }
    return object;
  }

 private:
  uint64_t Below(uint64_t bound) { return random_.Next() % bound; }
  Tree Value(int depth) {
    switch (depth <= 0 ? Below(3) : Below(6)) {
      case 0: return Tree();
      case 1: return Tree(static_cast<int64_t>(Below(2)));
      case 2: return Tree(Below(2) == 0 ? 1.0 : 1.5);
      case 3: {
        std::vector<Tree> elements;
        for (uint64_t left = Below(3); left > 0; --left) elements.push_back(Value(depth - 1));
        return Tree::List(std::move(elements));
      }
      default: return Object(depth);
    }
  }

  SeededRandom random_;
};

std::string Shown(const Changes& changes) {
  return "+" + changes.gained.ToJson() + " -" + changes.removed.ToJson();
}

std::string Compared(const SchemaShape& shape, const JsonTree& old, const JsonTree& now) {
  return Shown(CompareFields(ShapeOf(shape.root()), Part(&old), Part(&now), {}));
}

// Nothing is equal in an empty object and another, so that the whole is copied.
JsonTree Whole(const Tree& tree) {
  Result<Differences> copies = DifferencesOf(Tree::Object(), tree);
  EXPECT_TRUE(copies.has_value());
  return std::move(copies->now);
}

std::string TextOf(const Tree& tree) {
  std::string text;
  WriteTree(tree, text);
  return text;
}

TEST(CompareFields, DifferencesChangeAsWholeDocumentsDo) {
  const JSONSchemaProps props = SchemaOf(2);
  const SchemaShape shape(&props);
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Trees trees(seed);
    const Tree old = trees.Object(4);
    const Tree now = seed % 3 == 0 ? trees.Object(4) : trees.Near(old, 4);
    const Result<Differences> copies = DifferencesOf(old, now);
    ASSERT_TRUE(copies.has_value());
    EXPECT_EQ(Compared(shape, copies->old, copies->now), Compared(shape, Whole(old), Whole(now)))
        << "seed " << seed << ": " << TextOf(old) << " and " << TextOf(now);
  }
}

TEST(CompareFields, EqualPartsAreLeftOut) {
  Tree old = Tree::Object();
  old.Set("same", Tree("x"));
  old.Set("list", Tree::List({Tree(int64_t{1})}));
  Tree inner = Tree::Object();
  inner.Set("same", Tree("y"));
  inner.Set("other", Tree(int64_t{1}));
  old.Set("inner", inner);
  Tree now = old;
  inner.Set("other", Tree(int64_t{2}));
  now.Set("inner", std::move(inner));
  const Result<Differences> copies = DifferencesOf(old, now);
  ASSERT_TRUE(copies.has_value());
  for (const JsonTree* const side : {&copies->old, &copies->now}) {
    ASSERT_EQ(side->members().size(), 1U);
    EXPECT_EQ(side->members().Find("inner")->members().size(), 1U);
  }
}

TEST(CompareFields, DepthIsLimited) {
  const auto nested = [](size_t depth, int64_t innermost) {
    Tree tree = Tree(innermost);
    for (size_t i = 0; i < depth; ++i) {
      Tree outer = Tree::Object();
      outer.Set("a", std::move(tree));
      tree = std::move(outer);
    }
    return tree;
  };
  const auto differ = [&](size_t depth) {
    return DifferencesOf(nested(depth, 1), nested(depth, 2)).has_value();
  };
  EXPECT_TRUE(differ(kDocumentDepthMax));
  EXPECT_FALSE(differ(kDocumentDepthMax + 1));
}

}  // namespace
}  // namespace dray::api::managed_fields
