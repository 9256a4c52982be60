// SPDX-License-Identifier: Apache-2.0
#include "api/selectors/field_selector.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "api/selectors/label_selector.h"

namespace dray::api {
namespace {

struct FieldSelectorCase {
  std::string text, want;
};

TEST(FieldSelectorText, IsReadAndPrintedSorted) {
  const FieldSelectorCase cases[] = {
      {"", ""},
      {"a=b", "a=b"},
      {"a==b", "a=b"},
      {"a!=b", "a!=b"},
      {"=a", "=a"},
      {"a=", "a="},
      {"!a=b", "!a=b"},
      {"a=!b", "a=!b"},
      {"a= b", "a= b"},
      {" a =b", " a =b"},
      {"c=1,a=2,b=3,a=1", "a=1,a=2,b=3,c=1"},
      {"a=b,", "a=b"},
      {",a=b,,", "a=b"},
      {R"(a=b\,c)", R"(a=b\,c)"},
      {R"(a=b\=c)", R"(a=b\=c)"},
      {R"(a=\\)", R"(a=\\)"},
      {"metadata.name=x,spec.nodeName=", "metadata.name=x,spec.nodeName="},
      {"é=ü", "é=ü"},
  };
  for (const FieldSelectorCase& c : cases) {
    const Result<FieldSelector> selector = FieldSelector::Parse(c.text);
    ASSERT_TRUE(selector.has_value()) << c.text << ": " << selector.error().message;
    EXPECT_EQ(selector->ToString(), c.want) << c.text;
    EXPECT_EQ(*FieldSelector::Parse(selector->ToString()), *selector) << c.text;
  }
  EXPECT_EQ(FieldSelector::Parse(R"(a=b\,c\=d\\)")->requirements()[0].value, R"(b,c=d\)");
}

TEST(FieldSelectorText, MistakesAreNamedInUpstreamsWords) {
  const FieldSelectorCase cases[] = {
      {" ", "invalid selector: ' '; can't understand ' '"},
      {"a", "invalid selector: 'a'; can't understand 'a'"},
      {"b,a=c", "invalid selector: 'b,a=c'; can't understand 'b'"},
      {"a in (b,c)", "invalid selector: 'a in (b,c)'; can't understand 'a in (b'"},
      {"a=b=c", "invalid field selector: unescaped character in value: 61"},
      {"a===b", "invalid field selector: unescaped character in value: 61"},
      {R"(a\=b=c)", "invalid field selector: unescaped character in value: 61"},
      {R"(a=b\x)", R"(invalid field selector: invalid escape sequence: \x)"},
      {R"(a=b\é)", R"(invalid field selector: invalid escape sequence: \é)"},
      {R"(a=b\)", R"(invalid field selector: invalid escape sequence: \)"},
  };
  for (const FieldSelectorCase& c : cases) {
    const Result<FieldSelector> selector = FieldSelector::Parse(c.text);
    ASSERT_FALSE(selector.has_value()) << c.text;
    EXPECT_EQ(selector.error().message, c.want) << c.text;
  }
}

TEST(FieldSelectorText, HasALimitOfLength) {
  std::string text = "a=" + std::string(kSelectorTextMax - 2, 'b');
  EXPECT_TRUE(FieldSelector::Parse(text).has_value());
  text += 'b';
  EXPECT_FALSE(FieldSelector::Parse(text).has_value());
}

TEST(FieldSelectorText, HasALimitOfRequirements) {
  std::string text = "n!=0";
  for (size_t i = 1; i < kSelectorRequirementsMax; ++i) text += ",n!=" + std::to_string(i);
  const auto selector = FieldSelector::Parse(text);
  ASSERT_TRUE(selector.has_value());
  size_t asked = 0;
  const auto matches = [&](std::string_view value) {
    return selector->Matches([&](std::string_view) {
      ++asked;
      return value;
    });
  };
  EXPECT_FALSE(matches("999"));
  EXPECT_TRUE(matches("1000"));
  EXPECT_EQ(asked, 2U) << "once for each path";
  EXPECT_EQ(FieldSelector::Parse(text + ",n!=x").error().message,
            "field selector must have no more than 1000 requirements");
}

TEST(FieldSelector, NoValueIsTwo) {
  const auto matches = [](std::string_view text) {
    return FieldSelector::Parse(text)->Matches([](std::string_view) { return "a"; });
  };
  EXPECT_TRUE(matches("n=a,n==a,m!=b"));
  EXPECT_FALSE(matches("n=a,n=b"));
  EXPECT_FALSE(matches("n=a,n!=a"));
}

TEST(FieldSelector, AbsentFieldsAreEmpty) {
  const std::map<std::string, std::string> object = {{"metadata.name", "x"}, {"spec.driver", "d"}};
  const auto value_of = [&](const std::string& path) -> std::string_view {
    const auto found = object.find(path);
    return found == object.end() ? std::string_view() : found->second;
  };
  struct {
    const char* selector;
    bool matches;
  } const cases[] = {
      {"", true},
      {"metadata.name=x", true},
      {"metadata.name!=x", false},
      {"spec.nodeName=", true},
      {"spec.nodeName!=n", true},
      {"spec.nodeName=n", false},
      {"spec.driver=d,spec.nodeName=", true},
      {"spec.driver=d,metadata.name=y", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(FieldSelector::Parse(c.selector)->Matches(value_of), c.matches) << c.selector;
  }
  const FieldSelector selector = *FieldSelector::Parse("a=1,b!=2");
  EXPECT_EQ(selector.RequiredValue("a"), "1");
  EXPECT_EQ(selector.RequiredValue("b"), std::nullopt);
}

}  // namespace
}  // namespace dray::api
