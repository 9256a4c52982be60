// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/field_names.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace dray::custom::rules {
namespace {

struct NameCase {
  const char* name;
  const char* identifier;  // null: there is none
};

class FieldNamesTest : public ::testing::TestWithParam<NameCase> {};

TEST_P(FieldNamesTest, AreEscaped) {
  const std::optional<std::string> escaped = EscapeName(GetParam().name);
  if (GetParam().identifier == nullptr) {
    EXPECT_EQ(escaped, std::nullopt);
    return;
  }
  EXPECT_EQ(escaped, GetParam().identifier);
  EXPECT_EQ(UnescapeName(*escaped), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Names,
                         FieldNamesTest,
                         ::testing::Values(NameCase{"plain", "plain"},
                                           NameCase{"_under", "_under"},
                                           NameCase{"a1", "a1"},
                                           NameCase{"two-words", "two__dash__words"},
                                           NameCase{"x.y", "x__dot__y"},
                                           NameCase{"s/t", "s__slash__t"},
                                           NameCase{"a__b", "a__underscores__b"},
                                           NameCase{"a___b", "a__underscores___b"},
                                           NameCase{"-", "__dash__"},
                                           NameCase{"namespace", "__namespace__"},
                                           NameCase{"in", "__in__"},
                                           NameCase{"namespaces", "namespaces"},
                                           NameCase{"", nullptr},
                                           NameCase{"1a", nullptr},
                                           NameCase{"a b", nullptr},
                                           NameCase{"größe", nullptr},
                                           NameCase{"$ref", nullptr}));

TEST(FieldNames, UnknownEscapesStandForNothing) {
  EXPECT_EQ(UnescapeName("a__nothing__b"), std::nullopt);
  EXPECT_EQ(UnescapeName("a__namespace__b"), std::nullopt);
  EXPECT_EQ(UnescapeName("__namespace__"), "namespace");
  EXPECT_EQ(UnescapeName("a__b"), "a__b");
  EXPECT_EQ(UnescapeName("___dash__"), "_-");
}

TEST(FieldNames, ReservedWordsAreThoseOfTheLanguage) {
  for (const char* const word : {"as", "namespace", "while", "null", "true"}) {
    EXPECT_TRUE(IsReservedWord(word)) << word;
  }
  EXPECT_FALSE(IsReservedWord("self"));
}

}  // namespace
}  // namespace dray::custom::rules
