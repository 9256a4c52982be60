// SPDX-License-Identifier: Apache-2.0
// Definitions with one thing wrong with their rules each.
#include "custom/rules/rule_checks.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "custom/testing/schemas.h"

namespace dray::custom::rules {
namespace {

using api::apiextensions_v1::JSONSchemaProps;
using api::validation::FieldErrors;
using api::validation::Path;
using custom::testing::PropsOf;

std::string ListOf(FieldErrors errors) {
  std::string out;
  for (const ErrorCause& cause : std::move(errors).Take()) {
    out += fmt::format("{}: {}\n", cause.field, cause.message);
  }
  return out;
}

// The errors of the texts of the root's rules and, if there are none, of all expressions.
std::string ErrorsOf(std::string_view json, const RuleCheckOptions& options = {}) {
  const JSONSchemaProps schema = PropsOf(json);
  const Path path("S");
  FieldErrors texts;
  CheckRuleTexts(schema, path, texts);
  if (!texts.empty()) return ListOf(std::move(texts));
  FieldErrors errors;
  CheckRules(schema, path, options, errors);
  return ListOf(std::move(errors));
}

// A schema of some members, with one rule.
std::string Members(std::string_view rule) {
  return fmt::format(
      R"j({{"type":"object","properties":{{
            "n":{{"type":"integer"}},
            "s":{{"type":"string","maxLength":10}},
            "free":{{"type":"string"}},
            "namespace":{{"type":"string","maxLength":5}},
            "a-b":{{"type":"string","maxLength":5}},
            "hidden":{{"x-kubernetes-preserve-unknown-fields":true}},
            "any":{{"x-kubernetes-int-or-string":true}},
            "when":{{"type":"string","format":"date-time"}},
            "span":{{"type":"string","format":"duration"}},
            "data":{{"type":"string","format":"byte"}},
            "l":{{"type":"array","items":{{"type":"integer"}}}},
            "short":{{"type":"array","maxItems":10,"items":{{"type":"integer"}}}},
            "m":{{"type":"object","additionalProperties":{{"type":"object","properties":{{
              "x":{{"type":"string"}}}}}}}},
            "o":{{"type":"object","properties":{{"x.y":{{"type":"integer"}}}}}}}},
          "x-kubernetes-validations":[{}]}})j",
      rule);
}

struct CheckCase {
  const char* name;
  const char* rule;
  const char* errors;  // without the path of the rule
};

class RuleChecksTest : public ::testing::TestWithParam<CheckCase> {};

TEST_P(RuleChecksTest, FindsWhatIsWrong) {
  constexpr std::string_view kPath = "S.x-kubernetes-validations[0].";
  std::string errors = ErrorsOf(Members(GetParam().rule));
  for (size_t at = errors.find(kPath); at != std::string::npos; at = errors.find(kPath)) {
    errors.erase(at, kPath.size());
  }
  // Whole rules are "@" here.
  constexpr std::string_view kShown = "Invalid value: {\"Rule\":";
  if (const size_t at = errors.find(kShown); at != std::string::npos) {
    errors.replace(at, errors.find("}: ") + 1 - at, "@");
  }
  EXPECT_EQ(errors, GetParam().errors);
}

std::string CheckName(const ::testing::TestParamInfo<CheckCase>& info) {
  return info.param.name;
}

constexpr CheckCase kTexts[] = {
    {"Blank", R"j({"rule":"  "})j", "rule: Required value: rule is not specified\n"},
    {"BlankMessage",
     R"j({"rule":"true","message":" "})j",
     "message: Invalid value: \" \": must be non-empty if specified\n"},
    {"MessageOfTwoLines",
     R"j({"rule":"true","message":"a\nb"})j",
     "message: Invalid value: \"a\\nb\": must not contain line breaks\n"},
    {"RuleOfTwoLines",
     R"j({"rule":"true\n&& true"})j",
     "message: Required value: message must be specified if rule contains line breaks\n"},
    {"RuleOfTwoLinesWithMessage", R"j({"rule":"true\n&& true","message":"m"})j", ""},
    {"BlankMessageExpression",
     R"j({"rule":"true","messageExpression":" "})j",
     "messageExpression: Required value: messageExpression must be non-empty if specified\n"},
    {"Reason",
     R"j({"rule":"true","reason":"Because"})j",
     "reason: Unsupported value: \"Because\": supported values: \"FieldValueDuplicate\", "
     "\"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"\n"},
    {"FieldPath", R"j({"rule":"true","fieldPath":".o['x.y']"})j", ""},
    {"FieldPathToKey", R"j({"rule":"true","fieldPath":".m['k'].x"})j", ""},
    {"FieldPathToNothing",
     R"j({"rule":"true","fieldPath":".q"})j",
     "fieldPath: Invalid value: \".q\": must be a valid path\n"},
    {"FieldPathToElement",
     R"j({"rule":"true","fieldPath":".l[0]"})j",
     "fieldPath: Invalid value: \".l[0]\": must be a valid path\n"},
    {"FieldPathWithDotBeforeBracket",
     R"j({"rule":"true","fieldPath":".['n']"})j",
     "fieldPath: Invalid value: \".['n']\": must be a valid path\n"},
};
INSTANTIATE_TEST_SUITE_P(Texts, RuleChecksTest, ::testing::ValuesIn(kTexts), CheckName);

constexpr CheckCase kCompiles[] = {
    {"Members", R"j({"rule":"self.n > 0 && self.s.startsWith('x')"})j", ""},
    {"EscapedName", R"j({"rule":"self.a__dash__b == 'x' && self.o.x__dot__y == 1"})j", ""},
    {"ReservedWord", R"j({"rule":"self.__namespace__ == 'x'"})j", ""},
    {"IntOrString", R"j({"rule":"self.any == 5 || self.any == '5'"})j", ""},
    {"DateTime", R"j({"rule":"self.when > timestamp('2020-01-01T00:00:00Z')"})j", ""},
    {"Duration", R"j({"rule":"self.span < duration('1h')"})j", ""},
    {"Bytes", R"j({"rule":"self.data == b'abc'"})j", ""},
    {"RootHasName", R"j({"rule":"self.metadata.name.startsWith('a') && self.kind == 'K'"})j", ""},
    {"ValuesOfMaps", R"j({"rule":"self.m.all(k, self.m[k].x != 'y')"})j", ""},
    {"OldSelf", R"j({"rule":"self.n >= oldSelf.n"})j", ""},
    {"OptionalOldSelf",
     R"j({"rule":"!oldSelf.hasValue() || self.n >= oldSelf.value().n","optionalOldSelf":true})j",
     ""},
    {"MessageExpression", R"j({"rule":"true","messageExpression":"'s is ' + self.s"})j", ""},
};
INSTANTIATE_TEST_SUITE_P(Compiles, RuleChecksTest, ::testing::ValuesIn(kCompiles), CheckName);

constexpr CheckCase kDoNotCompile[] = {
    {"UnknownMember",
     R"j({"rule":"self.z == 1"})j",
     "rule: @: compilation failed: ERROR: <input>:1:5: undefined field "
     "'z'\n | self.z == 1\n | ....^\n"},
    {"HiddenMember",
     R"j({"rule":"has(self.hidden)"})j",
     "rule: @: compilation failed: ERROR: <input>:1:4: undefined field "
     "'hidden'\n | has(self.hidden)\n | ...^\n"},
    {"NoBool", R"j({"rule":"self.n"})j", "rule: @: cel expression must evaluate to a bool\n"},
    {"NoBind",
     R"j({"rule":"cel.bind(x, true, x)"})j",
     "rule: @: compilation failed: ERROR: <input>:1:1: undeclared "
     "reference to 'cel' (in container '')\n | cel.bind(x, true, x)\n | ^\n"
     "ERROR: <input>:1:9: undeclared reference to 'bind' (in container '')\n"
     " | cel.bind(x, true, x)\n | ........^\n"
     "ERROR: <input>:1:10: undeclared reference to 'x' (in container '')\n"
     " | cel.bind(x, true, x)\n | .........^\n"
     "ERROR: <input>:1:19: undeclared reference to 'x' (in container '')\n"
     " | cel.bind(x, true, x)\n | ..................^\n"},
    {"MessageIsNoText",
     R"j({"rule":"true","messageExpression":"1"})j",
     "messageExpression: @: messageExpression must evaluate to a string\n"},
    {"MessageDoesNotCompile",
     R"j({"rule":"true","messageExpression":"self.z"})j",
     "messageExpression: @: messageExpression compilation failed: ERROR: "
     "<input>:1:5: undefined field 'z'\n | self.z\n | ....^\n"},
    {"OptionalWithoutOldSelf",
     R"j({"rule":"self.n > 0","optionalOldSelf":true})j",
     "optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule\n"},
};
INSTANTIATE_TEST_SUITE_P(DoNotCompile,
                         RuleChecksTest,
                         ::testing::ValuesIn(kDoNotCompile),
                         CheckName);

TEST(RuleChecks, ShowsTheWholeRuleAsGoDoes) {
  EXPECT_EQ(
      ErrorsOf(Members(R"j({"rule":"1 < 2 ? 1 : 2","message":"m","reason":"FieldValueInvalid",
                                 "fieldPath":".n","optionalOldSelf":false})j")),
      "S.x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"1 \\u003c 2 ? 1 : "
      "2\",\"Message\":\"m\",\"MessageExpression\":\"\",\"Reason\":\"FieldValueInvalid\","
      "\"FieldPath\":\".n\",\"OptionalOldSelf\":false}: cel expression must evaluate to a "
      "bool\n"
      "S.x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may not be set if "
      "oldSelf is not used in rule\n");
}

TEST(RuleChecks, OldSelfNeedsKeys) {
  const auto list = [](std::string_view more) {
    return fmt::format(
        R"j({{"type":"object","properties":{{"l":{{"type":"array","maxItems":3{},"items":{{
             "type":"object","properties":{{"k":{{"type":"string","maxLength":3}}}},
             "x-kubernetes-validations":[{{"rule":"self == oldSelf"}}]}}}}}}}})j",
        more);
  };
  EXPECT_EQ(ErrorsOf(list("")),
            "S.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: \"self == "
            "oldSelf\": oldSelf cannot be used on the uncorrelatable portion of the schema within "
            "S.properties[l]\n");
  EXPECT_EQ(ErrorsOf(list(R"(,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"])")),
            "");
}

TEST(RuleChecks, ValuesWithoutTypesHaveNoRules) {
  EXPECT_EQ(ErrorsOf(R"j({"type":"object","properties":{"a":{
                "x-kubernetes-preserve-unknown-fields":true,
                "x-kubernetes-validations":[{"rule":"self == 1"}]}}})j"),
            "S.properties[a].x-kubernetes-validations: Internal error: internal error: failed to "
            "construct type information for x-kubernetes-validations rules: unable to convert "
            "structural schema to CEL declarations\n");
}

constexpr std::string_view kAdvice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, "
    "maps, and strings are declared)";

TEST(RuleChecks, CostsAreBounded) {
  EXPECT_EQ(
      ErrorsOf(Members(R"j({"rule":"self.l.all(x, self.l.all(y, x == y))"})j")),
      fmt::format(
          "S.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by "
          "factor of more than 100x {0}\n"
          "S.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total "
          "exceeding cost limit for entire OpenAPIv3 schema\n"
          "S: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
          "schema exceeds budget by factor of more than 100x {0}\n",
          kAdvice));
  EXPECT_EQ(ErrorsOf(Members(R"j({"rule":"self.short.all(x, self.short.all(y, x == y))"})j")), "");
}

TEST(RuleChecks, MessagesCostToo) {
  // Upstream does not know how long the text of a number is.
  EXPECT_EQ(
      ErrorsOf(Members(R"j({"rule":"true","messageExpression":"'n is ' + string(self.n)"})j")),
      fmt::format("S.x-kubernetes-validations[0].messageExpression: Forbidden: estimated "
                  "messageExpression cost exceeds budget by factor of more than 100x {0}\n"
                  "S.x-kubernetes-validations[0].messageExpression: Forbidden: contributed to "
                  "estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema\n"
                  "S: Forbidden: x-kubernetes-validations estimated rule cost total for entire "
                  "OpenAPIv3 schema exceeds budget by factor of more than 100x {0}\n",
                  kAdvice));
  EXPECT_EQ(ErrorsOf(Members(R"j({"rule":"true","messageExpression":"string(self.n)"})j")), "");
}

// The cost of a rule below lists counts as often as the lists may have elements.
std::string InLists(std::string_view outer, std::string_view inner, std::string_view text) {
  return fmt::format(
      R"j({{"type":"object","properties":{{"l":{{"type":"array"{},"items":{{"type":"array"{},
           "items":{{"type":"string"{},"x-kubernetes-validations":[
             {{"rule":"self.contains('abcdefghij')"}}]}}}}}}}}}})j",
      outer,
      inner,
      text);
}

TEST(RuleChecks, CostsAreMultipliedByWhatIsAround) {
  EXPECT_EQ(ErrorsOf(InLists(R"(,"maxItems":100)", R"(,"maxItems":100)", R"(,"maxLength":1000)")),
            "");
  const std::string without_bound =
      ErrorsOf(InLists("", R"(,"maxItems":100)", R"(,"maxLength":1000)"));
  EXPECT_TRUE(without_bound.contains("estimated rule cost exceeds budget by factor of 42.0x"))
      << without_bound;
  const std::string just_over =
      ErrorsOf(InLists(R"(,"maxItems":250)", R"(,"maxItems":100)", R"(,"maxLength":1000)"));
  EXPECT_TRUE(just_over.contains("exceeds budget by factor of 1.002500x")) << just_over;
}

TEST(RuleChecks, UnchangedSchemasMayCostMore) {
  const std::string schema =
      InLists(R"(,"maxItems":250)", R"(,"maxItems":100)", R"(,"maxLength":1000)");
  EXPECT_NE(ErrorsOf(schema), "");
  EXPECT_EQ(ErrorsOf(schema, {.is_unchanged = true}), "");
}

TEST(RuleChecks, SchemasWithErrorsAreNotCompiledFor) {
  const std::string schema = R"j({"type":"object","properties":{
      "a":{"type":"string","x-kubernetes-validations":[{"rule":"nothing"}]},
      "ab":{"type":"string","x-kubernetes-validations":[{"rule":"nothing"}]}},
      "x-kubernetes-validations":[{"rule":"nothing"}]})j";
  const std::vector<ErrorCause> errors = {
      {.reason = "FieldValueInvalid", .field = "S.properties[a].maxLength", .message = "no"}};
  const std::string found = ErrorsOf(schema, {.schema_errors = errors});
  EXPECT_FALSE(found.contains("S.properties[a].x")) << found;
  EXPECT_FALSE(found.contains("S.x")) << found;
  EXPECT_TRUE(found.contains("S.properties[ab].x")) << found;
}

TEST(RuleChecks, StoredExpressionsAreKnown) {
  StoredExpressions stored;
  stored.Add(PropsOf(InLists("", "", "")));
  EXPECT_TRUE(stored.rules.contains("self.contains('abcdefghij')"));
  EXPECT_TRUE(stored.messages.empty());
}

}  // namespace
}  // namespace dray::custom::rules
