// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/field_set.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/simulated_world.h"

namespace dray::api::managed_fields {
namespace {

FieldSet SetOf(std::string_view json) {
  const Result<FieldSet> set = FieldSet::Parse(json);
  EXPECT_TRUE(set.has_value()) << json;
  return set.value_or(FieldSet());
}

PathElement ElementNamed(std::string_view text) {
  Result<std::optional<PathElement>> element = PathElement::Parse(text);
  EXPECT_TRUE(element.has_value() && element->has_value()) << text;
  return **element;
}

// ---------------------------------------------------------------------------------- path elements

struct ElementCase {
  std::string_view name, text, kept, readable;
};

constexpr ElementCase kElements[] = {
    {"Field", "f:spec", "f:spec", ".spec"},
    {"FieldWithColon", "f:a:b", "f:a:b", ".a:b"},
    {"EmptyField", "f:", "f:", "."},
    {"Key", R"(k:{"name":"a"})", R"(k:{"name":"a"})", R"([name="a"])"},
    {"KeysAreSorted",
     R"(k:{"port":80,"app":"x"})",
     R"(k:{"app":"x","port":80})",
     R"([app="x",port=80])"},
    {"BlanksGo", R"(k: { "name" : "a" } )", R"(k:{"name":"a"})", R"([name="a"])"},
    {"Value", R"(v:"a.example.com/x")", R"(v:"a.example.com/x")", R"([="a.example.com/x"])"},
    {"Number", "v:1.5", "v:1.5", "[=1.5]"},
    {"Truth", "v:true", "v:true", "[=true]"},
    {"Index", "i:3", "i:3", "[3]"},
    {"EscapesAreThoseOfTheWeb", R"(v:"a<b")", R"(v:"a\u003cb")", R"([="a<b"])"},
};

class PathElements : public ::testing::TestWithParam<ElementCase> {};

TEST_P(PathElements, AreReadAndShown) {
  const PathElement element = ElementNamed(GetParam().text);
  EXPECT_EQ(element.text(), GetParam().kept);
  EXPECT_EQ(element.Readable(), GetParam().readable);
  EXPECT_EQ(ElementNamed(element.text()), element);
}

INSTANTIATE_TEST_SUITE_P(Cases, PathElements, ::testing::ValuesIn(kElements), [](const auto& info) {
  return std::string(info.param.name);
});

TEST(PathElement, RefusesWhatItCannotRead) {
  for (const std::string_view text : {"",
                                      "f",
                                      "fspec",
                                      "k:",
                                      "k:[]",
                                      "k:{",
                                      "k:{}x",
                                      "v:",
                                      "v:a",
                                      "v:1 2",
                                      "i:x",
                                      "i:-1",
                                      "i:"}) {
    EXPECT_FALSE(PathElement::Parse(text).has_value()) << text;
  }
  EXPECT_EQ(PathElement::Parse("x:later"), std::optional<PathElement>());
}

TEST(PathElement, HasUpstreamsOrder) {
  const std::vector<std::string_view> ordered = {
      "f:",
      "f:a",
      "f:ab",
      "f:b",
      R"(k:{"a":1})",
      R"(k:{"a":1,"b":1})",
      R"(k:{"a":2})",
      R"(k:{"a":10})",
      R"(k:{"a":"1"})",
      R"(k:{"a":"a"})",
      R"(k:{"a":"a b"})",
      R"(k:{"a":"a!"})",
      R"(k:{"a":"a\""})",
      R"(k:{"a":"a\"b"})",
      R"(k:{"a":"a\u003cb"})",
      R"(k:{"a":"aa"})",
      R"(k:{"a":"aa","b":"a"})",
      R"(k:{"a":"aa","b":"b"})",
      "k:{\"a\":\"a\u00e9\"}",
      R"(k:{"a":true})",
      R"(k:{"aa":1})",
      R"(k:{"b":1})",
      "v:-1",
      "v:1.5",
      "v:2",
      "v:10",
      R"(v:"a")",
      R"(v:"a b")",
      R"(v:"a!")",
      R"(v:"ab")",
      "v:true",
      "i:2",
      "i:10",
  };
  for (size_t i = 0; i < ordered.size(); ++i) {
    for (size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(ElementNamed(ordered[i]) <=> ElementNamed(ordered[j]), i <=> j)
          << ordered[i] << " " << ordered[j];
    }
  }
}

// ------------------------------------------------------------------------------------------- sets

TEST(FieldSet, WritesWhatItRead) {
  for (
      const std::string_view json : {
          R"({})",
          R"({"f:data":{}})",
          R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}}})",
          R"({"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}})",
          R"({"f:metadata":{"f:finalizers":{".":{},"v:\"a/b\"":{}}},"f:z":{"i:0":{}}})",
      }) {
    EXPECT_EQ(SetOf(json).ToJson(), json);
  }
}

TEST(FieldSet, SortsAndDropsWhatItDoesNotKnow) {
  EXPECT_EQ(SetOf(R"({"f:b":{},"x:y":{"f:c":{}},"f:a":{"f:z":{},"f:y":{},".":{}}})").ToJson(),
            R"({"f:a":{".":{},"f:y":{},"f:z":{}},"f:b":{}})");
  EXPECT_EQ(SetOf(R"({"f:a":{"f:x":{}},"f:a":{"f:y":{}},"f:a":{}})").ToJson(),
            R"({"f:a":{".":{},"f:x":{},"f:y":{}}})");
  EXPECT_EQ(SetOf("null").ToJson(), "{}");
}

TEST(FieldSet, RefusesWhatIsNoSet) {
  for (const std::string_view json :
       {"", "[]", "{", R"({"f:a":1})", R"({"spec":{}})", R"({"":{}})", R"({"f:a":{}}x)"}) {
    EXPECT_FALSE(FieldSet::Parse(json).has_value()) << json;
  }
}

std::string Nested(size_t depth) {
  std::string json;
  for (size_t i = 0; i < depth; ++i) json += R"({"f:a":)";
  return json.append("{}").append(depth, '}');
}

TEST(FieldSet, HasALimitOfDepth) {
  EXPECT_EQ(SetOf(Nested(FieldSet::kDepthMax)).size(), 1U);
  EXPECT_FALSE(FieldSet::Parse(Nested(FieldSet::kDepthMax + 1)).has_value());
}

TEST(FieldSet, DifferenceLeavesWhatLiesBelow) {
  const FieldSet set = SetOf(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})");
  EXPECT_EQ(set.Difference(SetOf(R"({"f:a":{}})")).ToJson(), R"({"f:a":{"f:b":{}},"f:c":{}})");
  EXPECT_EQ(set.RecursiveDifference(SetOf(R"({"f:a":{}})")).ToJson(), R"({"f:c":{}})");
  EXPECT_EQ(set.Difference(SetOf(R"({"f:a":{"f:b":{}}})")).ToJson(), R"({"f:a":{},"f:c":{}})");
}

// Against sets of paths as texts.
using Paths = std::set<std::string>;

FieldSet RandomSet(Random& random, Paths& paths) {
  FieldSet set;
  const uint64_t count = random.Next() % 12;
  for (uint64_t i = 0; i < count; ++i) {
    Path path;
    const uint64_t depth = 1 + random.Next() % 3;
    for (uint64_t j = 0; j < depth; ++j) {
      path.push_back(
          PathElement::OfField(std::string(1, static_cast<char>('a' + (random.Next() % 4)))));
    }
    set.Insert(path);
    paths.insert(Readable(path));
  }
  return set;
}

Paths PathsOf(const FieldSet& set) {
  Paths paths;
  set.ForEach([&](const Path& path) {
    EXPECT_TRUE(set.Has(path));
    paths.insert(Readable(path));
  });
  EXPECT_EQ(paths.size(), set.size());
  EXPECT_EQ(paths.empty(), set.empty());
  return paths;
}

TEST(FieldSetProperty, AlgebraIsThatOfSetsOfPaths) {
  SeededRandom random(7);
  for (int turn = 0; turn < 500; ++turn) {
    Paths a;
    Paths b;
    const FieldSet x = RandomSet(random, a);
    const FieldSet y = RandomSet(random, b);
    ASSERT_EQ(PathsOf(x), a);
    ASSERT_EQ(SetOf(x.ToJson()), x);
    Paths both;
    Paths either = a;
    Paths less;
    Paths much_less;
    either.insert(b.begin(), b.end());
    for (const std::string& path : a) {
      (b.contains(path) ? both : less).insert(path);
      const bool is_below = std::ranges::any_of(b, [&](const std::string& other) {
        return path == other || path.starts_with(other + ".");
      });
      if (!is_below) much_less.insert(path);
    }
    ASSERT_EQ(PathsOf(x.Union(y)), either);
    ASSERT_EQ(PathsOf(x.Intersection(y)), both);
    ASSERT_EQ(PathsOf(x.Difference(y)), less);
    ASSERT_EQ(PathsOf(x.RecursiveDifference(y)), much_less);
    ASSERT_EQ(x.Meets(y), !both.empty());
  }
}

}  // namespace
}  // namespace dray::api::managed_fields
