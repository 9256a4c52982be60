// SPDX-License-Identifier: Apache-2.0
// Objects that keep or break the rules of a small schema.
#include "custom/rules/rules.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "custom/testing/schemas.h"

namespace dray::custom::rules {
namespace {

using api::Tree;
using custom::testing::PropsOf;
using custom::testing::TreeOf;

std::string Written(const RuleOutcome& outcome) {
  std::string out;
  for (const ErrorCause& cause : outcome.causes) {
    out += fmt::format("{}: {}\n", cause.field, cause.message);
  }
  for (const std::string& warning : outcome.warnings) out += fmt::format("warning {}\n", warning);
  return out;
}

// What the rules of a schema, whose root is that of a kind, say of an object and what it was.
std::string Found(std::string_view schema, std::string_view object, std::string_view old = {}) {
  const Frozen<RuleSet> rules = CompileRules(PropsOf(schema));
  if (rules == nullptr) return "no rules";
  Budget budget;
  const Tree now = TreeOf(object);
  if (old.empty()) return Written(RunRules(*rules, now, nullptr, budget));
  const Tree before = TreeOf(old);
  return Written(RunRules(*rules, now, &before, budget));
}

// A kind whose spec has one member v of this schema.
std::string WithMember(std::string_view schema) {
  return fmt::format(
      R"j({{"type":"object","properties":{{"spec":{{"type":"object","properties":{{"v":{}}}}}}}}})j",
      schema);
}

std::string Spec(std::string_view value) {
  return fmt::format(R"j({{"spec":{{"v":{}}}}})j", value);
}

struct RunCase {
  const char* name;
  const char* schema;  // of spec.v
  const char* value;
  const char* found;
};

class RulesTest : public ::testing::TestWithParam<RunCase> {};

TEST_P(RulesTest, SaysWhatIsWrong) {
  EXPECT_EQ(Found(WithMember(GetParam().schema), Spec(GetParam().value)), GetParam().found);
}

std::string RunName(const ::testing::TestParamInfo<RunCase>& info) {
  return info.param.name;
}

constexpr RunCase kMessages[] = {
    {"Kept", R"j({"type":"integer","x-kubernetes-validations":[{"rule":"self > 0"}]})j", "1", ""},
    {"Integer",
     R"j({"type":"integer","x-kubernetes-validations":[{"rule":" self > 0 "}]})j",
     "-1",
     "spec.v: Invalid value: -1: failed rule: self > 0\n"},
    {"Text",
     R"j({"type":"string","x-kubernetes-validations":[{"rule":"self != 'a'"}]})j",
     R"("a")",
     "spec.v: Invalid value: \"a\": failed rule: self != 'a'\n"},
    {"Number",
     R"j({"type":"number","x-kubernetes-validations":[{"rule":"self < 1.0"}]})j",
     "1.5",
     "spec.v: Invalid value: 1.5: failed rule: self < 1.0\n"},
    {"Boolean",
     R"j({"type":"boolean","x-kubernetes-validations":[{"rule":"self"}]})j",
     "false",
     "spec.v: Invalid value: false: failed rule: self\n"},
    {"ListShowsNoValue",
     R"j({"type":"array","items":{"type":"integer"},
         "x-kubernetes-validations":[{"rule":"self.size() < 2"}]})j",
     "[1,2]",
     "spec.v: Invalid value: failed rule: self.size() < 2\n"},
    {"Message",
     R"j({"type":"integer","x-kubernetes-validations":[{"rule":"self > 0","message":" too small "}]})j",
     "0",
     "spec.v: Invalid value: 0: too small\n"},
    {"MessageExpression",
     R"j({"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 0","message":"m","messageExpression":"'got ' + string(self)"}]})j",
     "0",
     "spec.v: Invalid value: 0: got 0\n"},
    {"BlankMessageExpressionIsNotShown",
     R"j({"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 0","message":"m","messageExpression":"'  '"}]})j",
     "0",
     "spec.v: Invalid value: 0: m\n"},
    {"MessageOfTwoLinesIsNotShown",
     R"j({"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 0","messageExpression":"'a\nb'"}]})j",
     "0",
     "spec.v: Invalid value: 0: failed rule: self > 0\n"},
    {"MessageThatFailsIsNotShown",
     R"j({"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 0","messageExpression":"string(1 / self)"}]
})j",
     "0",
     "spec.v: Invalid value: 0: failed rule: self > 0\n"},
    {"Required",
     R"j({"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 0","message":"m","reason":"FieldValueRequired"}]})j",
     "0",
     "spec.v: Required value: m\n"},
    {"Forbidden",
     R"j({"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 0","message":"m","reason":"FieldValueForbidden"}]})j",
     "0",
     "spec.v: Forbidden: m\n"},
    {"DuplicateHasNoMessage",
     R"j({"type":"integer","x-kubernetes-validations":[
          {"rule":"self > 0","message":"m","reason":"FieldValueDuplicate"}]})j",
     "0",
     "spec.v: Duplicate value: 0\n"},
    {"DuplicateOfAnObject",
     R"j({"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[
          {"rule":"has(self.a)","message":"m","reason":"FieldValueDuplicate"}]
})j",
     "{}",
     "spec.v: Duplicate value\n"},
    {"FieldPath",
     R"j({"type":"object","properties":{"d":{"type":"object","properties":{"x.y":{
          "type":"integer"}}}},"x-kubernetes-validations":[
          {"rule":"false","fieldPath":".d['x.y']","message":"m"}]})j",
     "{}",
     "spec.v.d.x.y: Invalid value: m\n"},
    {"FieldPathToKey",
     R"j({"type":"object","properties":{"m":{"type":"object","additionalProperties":{
          "type":"integer"}}},"x-kubernetes-validations":[
          {"rule":"false","fieldPath":".m['k']","message":"m"}]})j",
     "{}",
     "spec.v.m[k]: Invalid value: m\n"},
};
INSTANTIATE_TEST_SUITE_P(Messages, RulesTest, ::testing::ValuesIn(kMessages), RunName);

constexpr RunCase kErrors[] = {
    {"NoSuchKey",
     R"j({"type":"object","properties":{"n":{"type":"integer"}},
         "x-kubernetes-validations":[{"rule":"self.n > 0"}]})j",
     "{}",
     "spec.v: Invalid value: \"object\": no such key: n evaluating rule: self.n > 0\n"},
    {"NamesTheMessage",
     R"j({"type":"object","properties":{"n":{"type":"integer"}},
         "x-kubernetes-validations":[{"rule":"self.n > 0","message":"n is too small"}]})j",
     "{}",
     "spec.v: Invalid value: \"object\": no such key: n evaluating rule: n is too small\n"},
    {"NoSuchOverload",
     R"j({"x-kubernetes-int-or-string":true,"x-kubernetes-validations":[{"rule":"self + 1 > 2"}]})j",
     R"("a")",
     "spec.v: Invalid value: \"\": 'no such overload': call arguments did not match a supported "
     "operator, function or macro signature for rule: self + 1 > 2\n"},
    {"IndexOutOfBounds",
     R"j({"type":"array","items":{"type":"integer"},
         "x-kubernetes-validations":[{"rule":"self[3] > 0"}]})j",
     "[1]",
     "spec.v: Invalid value: \"array\": index out of bounds: 3 evaluating rule: self[3] > 0\n"},
    {"DoesNotCompile",
     R"j({"type":"integer","x-kubernetes-validations":[{"rule":"self ?"},{"rule":"self > 0"}]})j",
     "1",
     "spec.v: Invalid value: \"integer\": rule compile error: compilation failed: ERROR: "
     "<input>:1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', "
     "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n"
     " | self ?\n | ......^\n"},
};
INSTANTIATE_TEST_SUITE_P(Errors, RulesTest, ::testing::ValuesIn(kErrors), RunName);

constexpr char kList[] =
    R"j({"type":"array","items":{"type":"string"},"x-kubernetes-validations":[
         {"rule":"self == ['a','b']"},{"rule":"(self + ['c','a']).size() == 4"},
         {"rule":"'a' in self"},{"rule":"self.map(x, x + 'x') == ['ax','bx']"},
         {"rule":"['a','b'] == self"},{"rule":"self[1] == 'b' && size(self) == 2"},
         {"rule":"self.exists_one(i, x, i == 1 && x == 'b')"
}]
})j";
constexpr char kSet[] =
    R"j({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"},
         "x-kubernetes-validations":[
         {"rule":"self == ['b','a']"},{"rule":"(self + ['c','a']).size() == 3"},
         {"rule":"self + ['c'] == ['c','b','a']"},{"rule":"(self + ['c'])[2] == 'c'"},
         {"rule":"!(self == ['a','c'])"
},{"rule":"['b','a'] != self"}]
})j";
constexpr char kKeyed[] =
    R"j({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
         "items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}}},
         "x-kubernetes-validations":[
         {"rule":"self == [self[1], self[0]]"},{"rule":"(self + self).size() == 2"},
         {"rule":"self[0] in self"},{"rule":"self != [self[0], self[0]]"},
         {"rule":"self.filter(x, x.v > 1) == [self[1]]"},
         {"rule":"(self + [self[0]])[0].v == 1"}]})j";
constexpr char kMap[] =
    R"j({"type":"object","additionalProperties":{"type":"integer"},"x-kubernetes-validations":[
         {"rule":"self == {'x': 1, 'y': 2}"},{"rule":"'x' in self && !('z' in self)"
},
         {"rule":"self.all(k, self[k] > 0)"},{"rule":"self.map(k, k) == ['x','y']"},
         {"rule":"self.transformMap(k, v, v * 2)['y'] == 4"},{"rule":"self.size() == 2"},
         {"rule":"self.?z.orValue(5) == 5"},{"rule":"self.exists(k, v, k == 'x' && v == 1)"}]
})j";
constexpr char kObject[] =
    R"j({"type":"object","properties":{"a-b":{"type":"integer"},"namespace":{"type":"string"},
         "n":{"type":"integer","nullable":true},"o":{"type":"object","properties":{
           "l":{"type":"array","items":{"type":"integer"}}}}},
         "x-kubernetes-validations":[
         {"rule":"self.a__dash__b == 1 && self.__namespace__ == 'x' && self.namespace == 'x'"},
         {"rule":"!has(self.n)"
},{"rule":"self.o == self.o"},
         {"rule":"self.o.l.all(x, self.o.l.all(y, x + y > 0))"},
         {"rule":"dyn(self).o.l[0] == 1"},{"rule":"has(self.o.l) && self.?o.?l.hasValue()"}]
})j";
constexpr char kTimes[] =
    R"j({"type":"object","properties":{"at":{"type":"string","format":"date-time"},
         "same":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},
         "for":{"type":"string","format":"duration"},"data":{"type":"string","format":"byte"},
         "times":{"type":"array","items":{"type":"string","format":"date-time"}}},
         "x-kubernetes-validations":[
         {"rule":"self.at == self.same"},{"rule":"self.day.getDayOfMonth() == 1"},
         {"rule":"self.__for__ < duration('1h')"
},{"rule":"self.data == b'abc'"},
         {"rule":"self.at in self.times && self.times == [self.same]"}]
})j";
constexpr RunCase kValues[] = {
    {"Lists", kList, R"(["a","b"])", ""},
    {"Sets", kSet, R"(["a","b"])", ""},
    {"ListsWithKeys", kKeyed, R"([{"k":"a","v":1},{"k":"b","v":2}])", ""},
    {"Maps", kMap, R"j({"y":2,"x":1})j", ""},
    {"Objects", kObject, R"j({"a-b":1,"namespace":"x","n":null,"o":{"l":[1,2]},"more":3})j", ""},
    {"TimesAndBytes",
     kTimes,
     R"j({"at":"2026-01-01T00:00:00Z","same":"2026-01-01T01:00:00+01:00","day":"2026-02-02",
         "for":"5m","data":"YWJj","times":["2026-01-01T00:00:00Z"]})j",
     ""},
    {"NullOfANullableHasNoRules",
     R"j({"type":"integer","nullable":true,"x-kubernetes-validations":[{"rule":"false"}]})j",
     "null",
     ""},
    {"NullElements",
     R"j({"type":"array","items":{"type":"integer","nullable":true},
         "x-kubernetes-validations":[{"rule":"self.exists(x, dyn(x) == null)"}]})j",
     "[1,null]",
     ""},
};
INSTANTIATE_TEST_SUITE_P(Values, RulesTest, ::testing::ValuesIn(kValues), RunName);

TEST(Rules, RunFromTheRootDown) {
  constexpr std::string_view kSchema = R"j({"type":"object","properties":{
      "b":{"type":"object","additionalProperties":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self > 0"}]},
           "x-kubernetes-validations":[{"rule":"false","message":"b"}]},
      "a":{"type":"array","items":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self > 0"}]}}},
      "x-kubernetes-validations":[{"rule":"false","message":"first"},
                                  {"rule":"false","message":"second"}]})j";
  EXPECT_EQ(Found(kSchema, R"j({"b":{"y":0,"x":0},"a":[1,0]})j"),
            "<nil>: Invalid value: first\n"
            "<nil>: Invalid value: second\n"
            "a[1]: Invalid value: 0: failed rule: self > 0\n"
            "b: Invalid value: b\n"
            "b[x]: Invalid value: 0: failed rule: self > 0\n"
            "b[y]: Invalid value: 0: failed rule: self > 0\n");
}

TEST(Rules, WholeObjectsHaveNames) {
  constexpr std::string_view kSchema = R"j({"type":"object","properties":{"t":{"type":"object",
      "x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,
      "x-kubernetes-validations":[{"rule":"self.metadata.name.size() < 3"}]}},
      "x-kubernetes-validations":[{"rule":"self.metadata.name == 'w' && self.kind == 'K'"},
                                  {"rule":"!has(self.metadata.generateName)"}]
})j";
  EXPECT_EQ(Found(kSchema, R"j({"kind":"K","metadata":{"name":"w","labels":{}},
                             "t":{"metadata":{"name":"abc"}}})j"),
            "t: Invalid value: failed rule: self.metadata.name.size() < 3\n");
}

TEST(Rules, SchemasWithoutRulesHaveNone) {
  EXPECT_EQ(CompileRules(PropsOf(R"j({"type":"object"})j")), nullptr);
}

// Transitions.

constexpr std::string_view kTransitions = R"j({"type":"object","properties":{
    "fixed":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]},
    "grows":{"type":"integer","x-kubernetes-validations":[
      {"rule":"oldSelf.hasValue() ? self >= oldSelf.value() : self == 1","optionalOldSelf":true}]},
    "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
         "items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}},
    "atomic":{"type":"array","items":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}},
    "m":{"type":"object","additionalProperties":{"type":"integer",
           "x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}})j";

struct Transition {
  const char* name;
  const char* old;
  const char* now;
  const char* found;
};

class TransitionTest : public ::testing::TestWithParam<Transition> {};

TEST_P(TransitionTest, SeesWhatWas) {
  EXPECT_EQ(Found(kTransitions, GetParam().now, GetParam().old), GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    Transitions,
    TransitionTest,
    ::testing::Values(
        Transition{"New", R"j({})j", R"j({"fixed":"x","m":{"a":1},"l":[{"k":"a","v":1}]})j", ""},
        Transition{"NullWasNothing", R"j({"fixed":null})j", R"j({"fixed":"x"})j", ""},
        Transition{"Changed",
                   R"j({"fixed":"x"})j",
                   R"j({"fixed":"y"})j",
                   "fixed: Invalid value: \"y\": failed rule: self == oldSelf\n"},
        Transition{"OptionalOfNothing",
                   R"j({})j",
                   R"j({"grows":2})j",
                   "grows: Invalid value: 2: failed rule: oldSelf.hasValue() ? self >= "
                   "oldSelf.value() : self == 1\n"},
        Transition{"OptionalOfSomething", R"j({"grows":1})j", R"j({"grows":2})j", ""},
        Transition{"ByKey",
                   R"j({"l":[{"k":"a","v":5},{"k":"b","v":5}]})j",
                   R"j({"l":[{"k":"b","v":4},{"k":"a","v":6},{"k":"c","v":0}]})j",
                   "l[0].v: Invalid value: 4: failed rule: self >= oldSelf\n"},
        Transition{"ByName",
                   R"j({"m":{"x":5}})j",
                   R"j({"m":{"x":4,"y":0}})j",
                   "m[x]: Invalid value: 4: failed rule: self >= oldSelf\n"},
        Transition{"ElementsWithoutKeysAreNew", R"j({"atomic":[5]})j", R"j({"atomic":[4]})j", ""}),
    [](const auto& info) { return info.param.name; });

TEST(Rules, OptionalOldSelfRunsOnCreate) {
  EXPECT_EQ(Found(kTransitions, R"j({"grows":5,"fixed":"x"})j"),
            "grows: Invalid value: 5: failed rule: oldSelf.hasValue() ? self >= oldSelf.value() : "
            "self == 1\n");
}

// Ratcheting.

constexpr std::string_view kRatcheting = R"j({"type":"object","properties":{"spec":{"type":"object",
    "properties":{
      "a":{"type":"string","x-kubernetes-validations":[{"rule":"self != 'bad'"}]},
      "b":{"type":"string","x-kubernetes-validations":[{"rule":"self != 'bad' && self == oldSelf"}]},
      "l":{"type":"array","items":{"type":"string",
           "x-kubernetes-validations":[{"rule":"self != 'bad'"}]}},
      "ml":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
            "items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer",
              "x-kubernetes-validations":[{"rule":"self > 0"}]}},
              "x-kubernetes-validations":[{"rule":"self.v > 0","message":"item"}]}},
      "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
              "x":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.x > 0"}]}},
    "x-kubernetes-validations":[{"rule":"!has(self.a) || self.a != 'bad'","fieldPath":".a",
                                 "message":"parent"}]}}})j";

class RatchetingTest : public ::testing::TestWithParam<Transition> {};

TEST_P(RatchetingTest, ForgivesWhatIsUnchanged) {
  const auto whole = [](std::string_view spec) { return fmt::format(R"j({{"spec":{}}})j", spec); };
  EXPECT_EQ(Found(kRatcheting, whole(GetParam().now), whole(GetParam().old)), GetParam().found);
}

INSTANTIATE_TEST_SUITE_P(
    Ratcheting,
    RatchetingTest,
    ::testing::Values(
        Transition{"Unchanged",
                   R"j({"a":"bad"})j",
                   R"j({"a":"bad"})j",
                   "warning spec.a: Invalid value: parent\n"
                   "warning spec.a: Invalid value: \"bad\": failed rule: self != 'bad'\n"},
        Transition{"ParentOfAChange",
                   R"j({"a":"bad"})j",
                   R"j({"a":"bad","l":[]})j",
                   "spec.a: Invalid value: parent\n"
                   "warning spec.a: Invalid value: \"bad\": failed rule: self != 'bad'\n"},
        Transition{
            "OldSelfIsNotForgiven",
            R"j({"b":"bad"})j",
            R"j({"b":"bad"})j",
            "spec.b: Invalid value: \"bad\": failed rule: self != 'bad' && self == oldSelf\n"},
        Transition{"AtomicListUnchanged",
                   R"j({"l":["bad"]})j",
                   R"j({"l":["bad"],"a":"x"})j",
                   "warning spec.l[0]: Invalid value: \"bad\": failed rule: self != 'bad'\n"},
        Transition{"AtomicListChanged",
                   R"j({"l":["bad"]})j",
                   R"j({"l":["bad","new"]})j",
                   "spec.l[0]: Invalid value: \"bad\": failed rule: self != 'bad'\n"},
        Transition{"ReorderedListWithKeys",
                   R"j({"ml":[{"k":"a","v":-1},{"k":"b","v":1}]})j",
                   R"j({"ml":[{"k":"b","v":2},{"k":"a","v":-1}]})j",
                   "warning spec.ml[1]: Invalid value: item\n"
                   "warning spec.ml[1].v: Invalid value: -1: failed rule: self > 0\n"},
        Transition{"NewElement",
                   R"j({"ml":[{"k":"a","v":-1}]})j",
                   R"j({"ml":[{"k":"c","v":-1}]})j",
                   "spec.ml[0]: Invalid value: item\n"
                   "spec.ml[0].v: Invalid value: -1: failed rule: self > 0\n"},
        // Members that the schema does not have count as changed.
        Transition{"UnknownMembers",
                   R"j({"free":{"x":0,"more":1}})j",
                   R"j({"free":{"x":0,"more":1}})j",
                   "spec.free: Invalid value: failed rule: self.x > 0\n"},
        Transition{"NoUnknownMembers",
                   R"j({"free":{"x":0}})j",
                   R"j({"free":{"x":0}})j",
                   "warning spec.free: Invalid value: failed rule: self.x > 0\n"}),
    [](const auto& info) { return info.param.name; });

// A default that is filled in twice is one body in two places.
TEST(Rules, RatchetingTellsSharedPartsApart) {
  const Frozen<RuleSet> rules = CompileRules(PropsOf(
      R"j({"type":"object","properties":{"m":{"type":"object","additionalProperties":{
          "type":"object","properties":{"in":{"type":"object","properties":{"x":{"type":"integer"}},
          "x-kubernetes-validations":[{"rule":"self.x > 0"}]}}}}}})j"));
  ASSERT_NE(rules, nullptr);
  Budget budget;
  const Tree shared = TreeOf(R"j({"in":{"x":-1}})j");
  Tree now = TreeOf(R"j({"m":{}})j");
  now.FindMutable("m")->Set("a", shared);
  now.FindMutable("m")->Set("b", shared);
  const Tree before = TreeOf(R"j({"m":{"a":{"in":{"x":-1}},"b":{"in":{"x":-2}}}})j");
  EXPECT_EQ(Written(RunRules(*rules, now, &before, budget)),
            "m[b].in: Invalid value: failed rule: self.x > 0\n"
            "warning m[a].in: Invalid value: failed rule: self.x > 0\n");
}

TEST(Rules, DefaultsAreCheckedWithoutRatcheting) {
  const Frozen<RuleSet> rules =
      CompileRules(PropsOf(R"j({"type":"string","x-kubernetes-validations":[{"rule":"self != 'x'"},
                   {"rule":"self == oldSelf"}]})j"),
                   ShapePlace::kInside,
                   {});
  ASSERT_NE(rules, nullptr);
  Budget budget;
  const Tree value = TreeOf(R"("x")");
  EXPECT_EQ(
      Written(RunRules(
          *rules, value, &value, budget, {.ratcheting = Ratcheting::kOff, .path = "S.default"})),
      "S.default: Invalid value: \"x\": failed rule: self != 'x'\n");
}

// Budgets.

std::string Numbers(int count) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) out += fmt::format("{}{}", i == 0 ? "" : ",", i);
  return out + "]";
}

TEST(Rules, OneExpressionHasABudget) {
  const std::string schema = WithMember(
      R"j({"type":"array","items":{"type":"integer","x-kubernetes-validations":[{"rule":"false"}]},
          "x-kubernetes-validations":[
          {"rule":"self.all(x, self.all(y, x == y || x != y))"},{"rule":"false"}]
})j");
  EXPECT_EQ(Found(schema, Spec(Numbers(1000))),
            "spec.v: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': "
            "no further validation rules will be run due to call cost exceeds limit for rule: "
            "self.all(x, self.all(y, x == y || x != y))\n");
}

TEST(Rules, AllExpressionsShareABudget) {
  const Frozen<RuleSet> rules = CompileRules(
      PropsOf(WithMember(R"j({"type":"array","items":{"type":"integer"},"x-kubernetes-validations":[
          {"rule":"self.all(x, x >= 0)"},{"rule":"self.all(x, x >= 0)"}]
})j")));
  const Tree object = TreeOf(Spec(Numbers(100)));
  Budget plenty;
  EXPECT_EQ(Written(RunRules(*rules, object, nullptr, plenty)), "");
  const int64_t cost = kWriteCostMax - plenty.cost;
  Budget enough{.cost = cost};
  EXPECT_EQ(Written(RunRules(*rules, object, nullptr, enough)), "");
  EXPECT_EQ(enough.cost, 0);
  Budget less{.cost = cost - 1};
  EXPECT_EQ(
      Written(RunRules(*rules, object, nullptr, less)),
      "spec.v: Invalid value: \"array\": validation failed due to running out of cost budget, "
      "no further validation rules will be run\n");
  EXPECT_TRUE(less.is_spent());
}

TEST(Rules, WorkIsBounded) {
  const Frozen<RuleSet> rules = CompileRules(PropsOf(WithMember(
      R"j({"type":"array","items":{"type":"integer"},
          "x-kubernetes-validations":[{"rule":"self == self + []"}]})j")));
  const Tree object = TreeOf(Spec(Numbers(10'000)));
  Budget budget{.work = Work(1000)};
  EXPECT_EQ(Written(RunRules(*rules, object, nullptr, budget)),
            "spec.v: Invalid value: \"array\": 'operation cancelled: work limit exceeded': no "
            "further validation rules will be run due to call cost exceeds limit for rule: self == "
            "self + []\n");
}

TEST(Rules, DoNotRunOnObjectsWithOtherErrors) {
  const auto why = [](std::string_view reason) {
    const std::vector<ErrorCause> causes = {
        {.reason = std::string(reason), .field = "spec", .message = "m"}};
    return WhyRulesDoNotRun(causes);
  };
  EXPECT_EQ(why("FieldValueInvalid"), std::nullopt);
  EXPECT_EQ(why("FieldValueForbidden"), std::nullopt);
  ASSERT_TRUE(why("FieldValueRequired").has_value());
  EXPECT_EQ(why("FieldValueTypeInvalid")->field, "<nil>");
}

// What changed only in how it is written did not change.
TEST(Rules, EqualityIsThatOfValues) {
  constexpr std::string_view kSchema = R"j({"type":"object","properties":{
      "n":{"type":"number"},"t":{"type":"string","format":"date-time"},
      "s":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
      "u":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
      "x-kubernetes-validations":[{"rule":"self == oldSelf"}]})j";
  EXPECT_EQ(
      Found(kSchema,
            R"j({"n":1,"t":"2026-01-01T00:00:00Z","s":["a","b"],"u":{"x":[1,{"y":2}]}})j",
            R"j({"u":{"x":[1.0,{"y":2}]},"s":["b","a"],"t":"2026-01-01T00:00:00.0Z","n":1.0})j"),
      "");
  EXPECT_EQ(Found(kSchema, R"j({"u":{"x":[1,{"y":3}]}})j", R"j({"u":{"x":[1,{"y":2}]}})j"),
            "<nil>: Invalid value: failed rule: self == oldSelf\n");
  EXPECT_EQ(Found(kSchema, R"j({"s":["a","b"]})j", R"j({"s":["a","c"]})j"),
            "<nil>: Invalid value: failed rule: self == oldSelf\n");
}

}  // namespace
}  // namespace dray::custom::rules
