// SPDX-License-Identifier: Apache-2.0
#include "planning/lint_types.h"

#include <string>

#include <gtest/gtest.h>

namespace dray::planning {
namespace {

using cel::NamedComparison;
using cel::ValueKind;
using Literal = NamedComparison::Literal;

struct Case {
  ValueKind kind;
  Literal literal;
  const char* want;  // as a value of the kind; null: it is none
  bool comparable;
};

TEST(LintTypes, TellWhatALiteralCouldHaveMeant) {
  const Case cases[] = {
      {ValueKind::kInt, Literal("7"), "7", false},
      {ValueKind::kInt, Literal("-7"), "-7", false},
      {ValueKind::kInt, Literal("7a"), nullptr, false},
      {ValueKind::kInt, Literal(""), nullptr, false},
      {ValueKind::kInt, Literal("99999999999999999999"), nullptr, false},
      {ValueKind::kInt, Literal(7.5), nullptr, true},
      {ValueKind::kInt, Literal(true), nullptr, false},
      {ValueKind::kBool, Literal("true"), "true", false},
      {ValueKind::kBool, Literal("yes"), nullptr, false},
      {ValueKind::kString, Literal(int64_t{7}), "\"7\"", false},
      {ValueKind::kString, Literal("7"), "\"7\"", true},
      {ValueKind::kSemver, Literal("1.2.0"), "semver(\"1.2.0\")", false},
      {ValueKind::kList, Literal("a"), nullptr, false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(LiteralText(one.literal));
    EXPECT_EQ(AreComparable(one.kind, one.literal), one.comparable);
    const auto meant = AsKind(one.kind, one.literal);
    if (!one.comparable) EXPECT_EQ(meant.has_value(), one.want != nullptr);
    if (!one.comparable && meant.has_value()) EXPECT_EQ(*meant, one.want);
  }
}

TEST(LintTypes, KeepTheQuotesThatStandThere) {
  EXPECT_EQ(FixesFor(Literal("1.2.0"), "semver(\"1.2.0\")"),
            (std::vector<TextFix>{{"\"1.2.0\"", "semver(\"1.2.0\")"},
                                  {"'1.2.0'", "semver('1.2.0')"},
                                  {"\\\"1.2.0\\\"", "semver(\\\"1.2.0\\\")"}}));
  EXPECT_EQ(FixesFor(Literal(int64_t{7}), "\"7\""), (std::vector<TextFix>{{"7", "\"7\""}}));
}

}  // namespace
}  // namespace dray::planning
