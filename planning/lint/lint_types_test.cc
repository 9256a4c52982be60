// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_types.h"

#include <string>

#include <gtest/gtest.h>

namespace dray::planning::inline lint {
namespace {

using cel::NamedComparison;
using cel::ValueKind;
using Literal = NamedComparison::Literal;

struct LintTypeCase {
  const char* want;  // as a value of the kind; null: there is none
  Literal literal;
  ValueKind kind;
  bool comparable;
};

TEST(LintTypes, TellWhatALiteralCouldHaveMeant) {
  const LintTypeCase cases[] = {
      {"7", Literal("7"), ValueKind::kInt, false},
      {"-7", Literal("-7"), ValueKind::kInt, false},
      {nullptr, Literal("7a"), ValueKind::kInt, false},
      {nullptr, Literal(""), ValueKind::kInt, false},
      {nullptr, Literal("99999999999999999999"), ValueKind::kInt, false},
      {nullptr, Literal(7.5), ValueKind::kInt, true},
      {nullptr, Literal(true), ValueKind::kInt, false},
      {"true", Literal("true"), ValueKind::kBool, false},
      {nullptr, Literal("yes"), ValueKind::kBool, false},
      {"\"7\"", Literal(int64_t{7}), ValueKind::kString, false},
      {"\"7\"", Literal("7"), ValueKind::kString, true},
      {"semver(\"1.2.0\")", Literal("1.2.0"), ValueKind::kSemver, false},
      {nullptr, Literal("a"), ValueKind::kList, false},
  };
  for (const LintTypeCase& one : cases) {
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
}  // namespace dray::planning::inline lint
