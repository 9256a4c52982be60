// SPDX-License-Identifier: Apache-2.0
// Texts that are made to take much: of the greatest length, nesting, number of errors, memory. Each
// ends with a program or an error that says where, and evaluation ends at one of its limits.
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/compile.h"
#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/syntax/limits.h"

namespace dray::cel {
namespace {

std::string Repeat(std::string_view unit, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += unit;
  return out;
}

std::string Fill(std::string_view unit, size_t bytes = syntax::kExpressionBytesMax) {
  return Repeat(unit, bytes / unit.size());
}

std::string Nest(std::string_view open, std::string_view inner, std::string_view close, size_t n) {
  return Repeat(open, n) + std::string(inner) + Repeat(close, n);
}

// Each variable is twice the one before.
std::string Doubling(std::string_view first, int steps) {
  std::string out;
  for (int i = 0; i < steps; ++i) {
    const std::string before = "v" + std::to_string(i - 1);
    out += "cel.bind(v" + std::to_string(i) + ", ";
    out += (i == 0 ? std::string(first) : fmt::format("{0} + {0}", before)) + ", ";
  }
  return out + "v" + std::to_string(steps - 1) + Repeat(")", static_cast<size_t>(steps));
}

// "ok", "error TEXT" or "refused TEXT".
std::string OutcomeOfText(const std::string& text) {
  constexpr uint64_t kCostMax = 1'000'000;
  const auto program = CompileProgram(text, {.purpose = Purpose::kFree});
  if (!program.has_value()) return "refused " + program.error().message;
  const Device device{.driver = "a.example"};
  const DeviceActivation activation(device);
  Arena arena;
  eval::Meter meter(kCostMax);
  const Value value = eval::Evaluate(**program, {&activation.value({}), 1}, arena, meter);
  return value.is_error() ? "error " + std::string(value.text()) : "ok";
}

struct HostileCase {
  const char* name;
  std::function<std::string()> text;
  const char* want;  // how the outcome starts
};

class HostileTextTest : public ::testing::TestWithParam<HostileCase> {};

TEST_P(HostileTextTest, EndsAsExpected) {
  const std::string text = GetParam().text();
  ASSERT_LE(text.size(), syntax::kExpressionBytesMax);
  EXPECT_TRUE(OutcomeOfText(text).starts_with(GetParam().want))
      << OutcomeOfText(text).substr(0, 200);
}

constexpr const char* kTooNested =
    "refused compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
constexpr const char* kTooDeep =
    "refused compilation failed: ERROR: <input>:-1:0: max recursion depth exceeded";
constexpr const char* kTooDear = "error operation cancelled: actual cost limit exceeded";

const HostileCase kHostileCases[] = {
    {"Parentheses", [] { return Fill("("); }, kTooNested},
    {"Brackets", [] { return Fill("["); }, kTooNested},
    {"Braces", [] { return Fill("{"); }, kTooNested},
    {"NestingAtItsLimit", [] { return Nest("(", "true", ")", syntax::kNestingMax - 1); }, "ok"},
    {"NestingPastItsLimit", [] { return Nest("(", "true", ")", syntax::kNestingMax); }, kTooNested},
    {"Nots", [] { return Fill("!", syntax::kExpressionBytesMax - 4) + "true"; }, "ok"},
    {"Sums", [] { return Fill("1+", syntax::kExpressionBytesMax - 2) + "1"; }, kTooDeep},
    {"Fields", [] { return "device" + Fill(".a", syntax::kExpressionBytesMax - 6); }, kTooDeep},
    {"Indexes", [] { return "device" + Fill("[0]", syntax::kExpressionBytesMax - 6); }, kTooDeep},
    {"Conjunctions", [] { return Fill("true&&", syntax::kExpressionBytesMax - 4) + "true"; }, "ok"},
    {"ErrorsInAll",
     [] { return Fill("x&&", syntax::kExpressionBytesMax - 1) + "x"; },
     "refused compilation failed: ERROR: <input>:1:1: undeclared reference to 'x'"},
    {"EmptyLists", [] { return "[" + Fill("[],", syntax::kExpressionBytesMax - 4) + "[]]"; }, "ok"},
    {"EmptyMaps", [] { return "[" + Fill("{},", syntax::kExpressionBytesMax - 4) + "{}]"; }, "ok"},
    {"Entries", [] { return "{" + Fill("1:1,", syntax::kExpressionBytesMax - 2) + "}"; }, "ok"},
    {"BytesThatAreNoText",
     [] { return Fill("\xFF"); },
     "refused compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error"},
    {"OperatorsTooMany",
     [] { return Fill("+-"); },
     "refused compilation failed: ERROR: <input>:1:1: Syntax error: extraneous input '+'"},
    {"KeywordsAsFields",
     [] { return "a" + Fill(".in", syntax::kExpressionBytesMax - 1); },
     "refused compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative"},
    {"LoopsInLoops", [] { return Nest("[1,2].map(x,", "x", ")", 240); }, kTooDear},
    {"LongLoop", [] { return std::string("lists.range(999999).all(x, x >= 0)"); }, kTooDear},
    {"ListsThatDouble", [] { return Doubling("[1, 2]", 100); }, "error list too long"},
    {"TextsThatDouble", [] { return Doubling("'abcdefgh'", 100); }, "error string too long"},
    {"TargetsThatRepeat", [] { return "optional.of(1)" + Repeat(".optMap(x, x)", 200); }, kTooDear},
    {"SetsOfMany",
     [] { return std::string("sets.equivalent(lists.range(60000), lists.range(60000))"); },
     kTooDear},
    {"ManyDistinct", [] { return std::string("lists.range(60000).distinct()"); }, kTooDear},
    {"ManyLists",
     [] { return "[" + Fill("lists.range(1000000),", 10'000) + "[1]].size() == 0"; },
     kTooDear},
    {"ManyLargePatterns",
     [] { return Fill("'a'.matches('\\\\pL{90}')||", 10'000) + "true"; },
     "refused compilation failed: ERROR: <input>:1:63: invalid matches argument"},
    {"ManyLargePatternsToFind",
     [] { return Fill("'a'.find('\\\\pL{90}')==''||", 10'000) + "true"; },
     "refused program instantiation failed: error parsing regexp: "},
    {"PatternsThatAreMadeAgainAndAgain",
     [] {
       return std::string(
           "lists.range(10000).all(x, 'a'.matches(string(x) + '\\\\pL{9}') || true)");
     },
     "ok"},
    {"LargePatternsThatAreMade",
     [] { return std::string("lists.range(10000).all(x, !'a'.matches(string(x) + '\\\\pL{9}'))"); },
     "error error parsing regexp: pattern too large"},
    {"PatternThatBacktracksElsewhere",
     [] { return "'" + Repeat("a", 5000) + "'.matches('" + Repeat("(a*)*", 500) + "b')"; },
     "ok"},
    {"PatternThatRepeatsRepeats",
     [] { return std::string("''.matches('((a{1000}){1000})')"); },
     "refused compilation failed: ERROR: <input>:1:12: invalid matches argument"},
    {"ReplaceEverywhere",
     [] { return "'" + Repeat("a", 4000) + "'.replace('', '" + Repeat("b", 4000) + "')"; },
     "error string too long"},
    {"Overflow", [] { return std::string("9223372036854775807 + 1"); }, "error integer overflow"},
};

INSTANTIATE_TEST_SUITE_P(Table,
                         HostileTextTest,
                         ::testing::ValuesIn(kHostileCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Selectors have a lower limit of their own.
TEST(HostileText, LongExpressionsAreRefused) {
  const std::string text = "'" + Repeat("\xC3\xA4", syntax::kCodePointsMax - 2) + "'";
  EXPECT_EQ(OutcomeOfText(text), "ok");
  EXPECT_EQ(OutcomeOfText(text + " "),
            "refused compilation failed: ERROR: <input>:-1:0: expression code point size exceeds "
            "limit: size: 100001, limit 100000");
}

}  // namespace
}  // namespace dray::cel
