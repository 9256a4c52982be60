// SPDX-License-Identifier: Apache-2.0
#include "api/selectors/label_selector.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dray::api {
namespace {

struct LabelSelectorCase {
  std::string text, want;
};

TEST(LabelSelectorText, IsReadAndPrintedSorted) {
  const LabelSelectorCase cases[] = {
      {"", ""},
      {" ", ""},
      {"a", "a"},
      {"!a", "!a"},
      {"a=b", "a=b"},
      {"a==b", "a==b"},
      {"a!=b", "a!=b"},
      {"a in (c,b)", "a in (b,c)"},
      {"a notin (c,b)", "a notin (b,c)"},
      {"a in (b,b,a)", "a in (a,b)"},
      {"a in ()", "a in ()"},
      {"a in (,)", "a in ()"},
      {"a in (,b)", "a in (,b)"},
      {"a in (b,)", "a in (,b)"},
      {"a in (b,,c)", "a in (,b,c)"},
      {"a in (in,notin)", "a in (in,notin)"},
      {"in in (in)", "in in (in)"},
      {"notin", "notin"},
      {"a > 5 , b", "a>5,b"},
      {"a<5", "a<5"},
      {"a=", "a="},
      {"a=,b", "a=,b"},
      {"a!=", "a!="},
      {"a in (b),c", "a in (b),c"},
      {"c=1,a=2,b=3,a=1", "a=2,a=1,b=3,c=1"},
      {"a\t=\nb", "a=b"},
      {std::string("a\0b", 1), "a"},
      {std::string("\0=", 2), ""},
      {"a=99999999999999999999", "a=99999999999999999999"},
      {"a>+5", ""},
  };
  for (const LabelSelectorCase& c : cases) {
    const Result<LabelSelector> selector = LabelSelector::Parse(c.text);
    if (c.text == "a>+5") {
      EXPECT_FALSE(selector.has_value());  // a number, but no label value
      continue;
    }
    ASSERT_TRUE(selector.has_value()) << c.text << ": " << selector.error().message;
    EXPECT_EQ(selector->ToString(), c.want) << c.text;
  }
}

TEST(LabelSelectorText, MistakesAreNamedInUpstreamsWords) {
  const std::string bad_value =
      ": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and "
      "must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
      "'12345', regex "
      "used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const std::string bad_name =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an "
      "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const LabelSelectorCase cases[] = {
      {"=a", "found '=', expected: !, identifier, or 'end of string'"},
      {",a", "found ',', expected: !, identifier, or 'end of string'"},
      {"(a)", "found '(', expected: !, identifier, or 'end of string'"},
      {"a,,b", "found ',', expected: identifier after ','"},
      {"a=b,", "found '', expected: identifier after ','"},
      {"!a=b", "found '=', expected: ',' or 'end of string'"},
      {"a=b=c", "found '=', expected: ',' or 'end of string'"},
      {"a=b c", "found 'c', expected: ',' or 'end of string'"},
      {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
      {"a)", "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt"},
      {"a!!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"},
      {"a in b", "unable to parse requirement: found 'b' expected: '('"},
      {"a in", "unable to parse requirement: found '' expected: '('"},
      {"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
      {"a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"},
      {"a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
      {"a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"!!a", "unable to parse requirement: found '!', expected: identifier"},
      {"a=!b", "unable to parse requirement: found '!', expected: identifier"},
      {"a===b", "unable to parse requirement: found '=', expected: identifier"},
      {"a><5", "unable to parse requirement: found '<', expected: identifier"},
      {"a>",
       "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the "
       "value "
       "must be an integer"},
      {"a>99999999999999999999",
       "unable to parse requirement: values[0]: Invalid value: "
       "\"99999999999999999999\": for 'Gt', 'Lt' operators, the value must be an integer"},
      {"a>-5", "unable to parse requirement: values[0][a]: Invalid value: \"-5\"" + bad_value},
      {"a in (-b,-c)",
       "unable to parse requirement: [values[0][a]: Invalid value: \"-b\"" + bad_value +
           ", values[1][a]: Invalid value: \"-c\"" + bad_value + "]"},
      {"-a=-b", "unable to parse requirement: <nil>: Invalid value: \"-a\": " + bad_name},
      {"/a",
       "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty"},
      {"a/",
       "unable to parse requirement: <nil>: Invalid value: \"a/\": name part must be non-empty; " +
           bad_name},
      {"a=" + std::string(64, 'b'),
       "unable to parse requirement: values[0][a]: Invalid value: \"" + std::string(64, 'b') +
           "\": must be no more than 63 bytes"},
      {std::string("a\0b", 3),
       "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
  };
  for (const LabelSelectorCase& c : cases) {
    const Result<LabelSelector> selector = LabelSelector::Parse(c.text);
    ASSERT_FALSE(selector.has_value()) << c.text;
    EXPECT_EQ(selector.error().message, c.want) << c.text;
  }
}

TEST(LabelSelectorText, HasALimitOfLength) {
  std::string text(kSelectorTextMax, ' ');
  EXPECT_TRUE(LabelSelector::Parse(text).has_value());
  text += ' ';
  EXPECT_FALSE(LabelSelector::Parse(text).has_value());
}

TEST(LabelSelectorText, HasALimitOfRequirementsAndValues) {
  const auto refusal = [](size_t requirements, size_t values) -> std::string {
    std::string text = "z in (v0";
    for (size_t i = 1; i < values; ++i) text += ",v" + std::to_string(i);
    text += ")";
    for (size_t i = 1; i < requirements; ++i) text += ",k" + std::to_string(i);
    const auto selector = LabelSelector::Parse(text);
    return selector.has_value() ? "" : selector.error().message;
  };
  EXPECT_EQ(refusal(kSelectorRequirementsMax, kSelectorValuesMax), "");
  EXPECT_EQ(refusal(kSelectorRequirementsMax + 1, 1),
            "label selector must have no more than 1000 requirements");
  EXPECT_EQ(refusal(1, kSelectorValuesMax + 1),
            "label selector must have no more than 4000 values");
}

TEST(LabelSelector, Matches) {
  const Labels labels = {{"app", "web"},
                         {"n", "5"},
                         {"empty", ""},
                         {"word", "x"},
                         {"max", std::to_string(std::numeric_limits<int64_t>::max())}};
  struct {
    const char* selector;
    bool matches;
  } const cases[] = {
      {"", true},
      {"app", true},
      {"other", false},
      {"!app", false},
      {"!other", true},
      {"app=web", true},
      {"app==web", true},
      {"app=db", false},
      {"other=web", false},
      {"app!=web", false},
      {"app!=db", true},
      {"other!=web", true},
      {"app in (db,web)", true},
      {"app in (db)", false},
      {"other in (web)", false},
      {"app notin (db)", true},
      {"app notin (web)", false},
      {"other notin (web)", true},
      {"n>4", true},
      {"n>5", false},
      {"n<6", true},
      {"n<5", false},
      {"other>1", false},
      {"other<1", false},
      {"word>1", false},
      {"word<1", false},
      {"max>9223372036854775806", true},
      {"empty=", true},
      {"empty", true},
      {"app=", false},
      {"app=web,n>4", true},
      {"app=web,n>5", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(LabelSelector::Parse(c.selector)->Matches(labels), c.matches) << c.selector;
  }
  EXPECT_FALSE(LabelSelector::Nothing().Matches(labels));
  EXPECT_FALSE(LabelSelector::Nothing().IsEverything());
  EXPECT_TRUE(LabelSelector().Matches({}));
  EXPECT_TRUE(LabelSelector().IsEverything());
}

TEST(LabelSelector, ComesFromTheParsesOfTheStruct) {
  const std::vector<std::string> values = {"y", "x", "y"};
  const std::vector<LabelSelector::Expression> good = {{.key = "a", .op = "Exists", .values = {}},
                                                       {.key = "c", .op = "In", .values = values}};
  EXPECT_EQ(LabelSelector::FromParts({{"b", "1"}, {"a", "2"}}, good)->ToString(),
            "a=2,a,b=1,c in (x,y,y)");
  EXPECT_TRUE(LabelSelector::FromParts({}, {})->IsEverything());

  const auto error = [](std::string_view key,
                        std::string_view op,
                        const std::vector<std::string>& list) {
    const std::vector<LabelSelector::Expression> parts = {{.key = key, .op = op, .values = list}};
    const Result<LabelSelector> selector = LabelSelector::FromParts({}, parts);
    return selector ? "" : selector.error().message;
  };
  EXPECT_EQ(error("a", "Foo", {}), "\"Foo\" is not a valid label selector operator");
  EXPECT_EQ(error("a", "Gt", {}), "\"Gt\" is not a valid label selector operator");
  EXPECT_EQ(error("a", "In", {}),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
  EXPECT_EQ(
      error("a", "Exists", {"b"}),
      "values: Invalid value: [\"b\"]: values set must be empty for exists and does not exist");
}

}  // namespace
}  // namespace dray::api
