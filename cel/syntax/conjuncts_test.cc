// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/conjuncts.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "cel/compile.h"

namespace dray::cel::syntax {
namespace {

struct Case {
  const char* name;
  const char* expression;
  const char* want;  // parts on one line each, with | between them
};

constexpr Case kCases[] = {
    {"One", "a", "a"},
    {"Two", "a && b", "a|b"},
    {"OrderOfTheText", "a && b && c && d", "a|b|c|d"},
    {"LooserOr", "a && b || c", "a && b || c"},
    {"LooserConditional", "a ? b : c && d", "a ? b : c && d"},
    {"ConditionalOfAFieldOfTheRoot", "a ? .b : c && d", "a ? .b : c && d"},
    {"OptionalSelection", "a.?b.orValue(true) && c", "a.?b.orValue(true)|c"},
    {"SpacedOptionalSelection", "a. ? b.orValue(true) && c", "a. ? b.orValue(true)|c"},
    {"ParenthesisedOr", "(a || b) && c", "a || b|c"},
    {"ParenthesisedAnd", "a && (b && c)", "a|b|c"},
    {"AroundAll", "((a && b))", "a|b"},
    {"TwoPairs", "(a && b) && (c || d)", "a|b|c || d"},
    {"NotOnePair", "(a) || (b && c)", "(a) || (b && c)"},
    {"Negation", "!(a && b) && c", "!(a && b)|c"},
    {"InsideCalls", "f(a && b) && g(c, d && e)", "f(a && b)|g(c, d && e)"},
    {"InsideBrackets", "[a && b][0] && {1: c && d}[1]", "[a && b][0]|{1: c && d}[1]"},
    {"OptionalBrackets",
     "a[?'b'].orValue(c) && [?d].size() > 0",
     "a[?'b'].orValue(c)|[?d].size() > 0"},
    {"Macros",
     "cel.bind(x, a, x && b) && l.all(x, x && c)",
     "cel.bind(x, a, x && b)|l.all(x, x && c)"},
    {"InTexts", "a == '&& (' && b == \")\"", "a == '&& ('|b == \")\""},
    {"InRawTexts", "a == r'\\' && b == '''x ' && y'''", "a == r'\\'|b == '''x ' && y'''"},
    {"Comments", "a // && x\n && b // last", "a|b"},
    {"CommentInside", "a ==  // why\n\t1 && b", "a == 1|b"},
    {"LineBreakInText", "a == '''x\ny''' && b", "a == '''x\\ny'''|b"},
    {"Unmatched", "(a && b", "(a && b"},
    {"MatchedWrong", "(a && b]", "(a && b]"},
    {"NoTokens", "a && #", "a && #"},
    {"Empty", "", ""},
};

class ConjunctsTest : public ::testing::TestWithParam<Case> {};

TEST_P(ConjunctsTest, AreCut) {
  std::vector<std::string> parts;
  for (const std::string_view part : Conjuncts(GetParam().expression)) {
    parts.push_back(OneLine(part));
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(parts, "|")), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(, ConjunctsTest, ::testing::ValuesIn(kCases), [](const auto& info) {
  return std::string(info.param.name);
});

size_t CountLeaves(const Ast& ast, NodeId id) {
  if (ast[id].kind != NodeKind::kAnd) return 1;
  size_t leaves = 0;
  for (const NodeId child : ast[id].children) leaves += CountLeaves(ast, child);
  return leaves;
}

/// All expressions of `depth` levels of the operators that matter, over names and brackets.
std::vector<std::string> AllExpressions(int depth) {
  if (depth == 0) return {"true", "[false][0]"};
  const std::vector<std::string> inner = AllExpressions(depth - 1);
  std::vector<std::string> all = inner;
  for (const std::string& a : inner) {
    all.push_back(fmt::format("({})", a));
    all.push_back(fmt::format("!({})", a));
    all.push_back(fmt::format("[1].all(x, {})", a));
    for (const std::string& b : AllExpressions(0)) {
      all.push_back(fmt::format("{} && {}", a, b));
      all.push_back(fmt::format("{} && ({})", b, a));
      all.push_back(fmt::format("{} || {}", a, b));
      all.push_back(fmt::format("{} ? {} : {}", a, b, a));
    }
  }
  return all;
}

TEST(ConjunctsProperty, AreTheLeavesOfTheTreeAndCompileAlone) {
  const Environment environment = {.purpose = Purpose::kFree};
  for (const std::string& expression : AllExpressions(3)) {
    const auto program = CompileProgram(expression, environment);
    ASSERT_TRUE(program.has_value()) << expression;
    const auto parts = Conjuncts(expression);
    EXPECT_EQ(parts.size(), CountLeaves((*program)->ast(), (*program)->ast().root)) << expression;
    for (const std::string_view part : parts) {
      EXPECT_TRUE(CompileProgram(part, environment).has_value()) << expression << ": " << part;
    }
  }
}

TEST(ConjunctsProperty, DeepParenthesesNeedNoStack) {
  const std::string deep = std::string(5000, '(') + "a && b" + std::string(5000, ')');
  EXPECT_EQ(Conjuncts(deep).size(), 2U);
}

}  // namespace
}  // namespace dray::cel::syntax
