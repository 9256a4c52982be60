// SPDX-License-Identifier: Apache-2.0
// Limits of what expressions may need and say, each at it and one past it. Limits of texts and
// patterns are tested in cel/selector_test.cc and cel/library/library_test.cc.
#include "cel/syntax/limits.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cel/compile.h"
#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/eval/evaluator.h"
#include "cel/syntax/source_error.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// "true", or the error's words.
std::string OutcomeOn(std::string_view text, const Device& device, Arena& arena) {
  const auto program = CompileProgram(text, {.purpose = Purpose::kFree});
  if (!program.has_value()) return program.error().message;
  const DeviceActivation activation(device);
  eval::Meter meter(UINT64_MAX);
  const Value value = eval::Evaluate(**program, {&activation.value({}), 1}, arena, meter);
  if (value.is_error()) return std::string(value.text());
  return value.is(ValueKind::kBool) && value.boolean() ? "true" : "not true";
}

std::string OutcomeOn(std::string_view text, const Device& device = {.driver = "a"}) {
  Arena arena;
  return OutcomeOn(text, device, arena);
}

TEST(CelLimits, RangesUpToTheirLongest) {
  EXPECT_EQ(OutcomeOn("lists.range(1000000).size() == 1000000"), "true");
  EXPECT_EQ(OutcomeOn("lists.range(1000001).size() == 1000001"),
            "lists.range: size 1000001 exceeds maximum allowed (1000000)");
}

TEST(CelLimits, MemoryOfAnEvaluation) {
  for (const size_t bytes : {kArenaBytesMax, kArenaBytesMax + 1}) {
    Arena arena;
    arena.NewText(bytes);
    EXPECT_EQ(OutcomeOn("1 + 1 == 2", {.driver = "a"}, arena),
              bytes == kArenaBytesMax ? "true" : "operation cancelled: memory limit exceeded");
  }
}

TEST(CelLimits, PatternsOfAnEvaluation) {
  constexpr std::string_view kText = "'a'.matches(device.driver)";
  Arena arena;
  EXPECT_EQ(arena.pattern_instructions_left(), kEvaluationPatternsMax);
  ASSERT_EQ(OutcomeOn(kText, {.driver = "a"}, arena), "true");
  arena.pattern_instructions_left() = kEvaluationPatternsMax - arena.pattern_instructions_left();
  EXPECT_EQ(OutcomeOn(kText, {.driver = "a"}, arena), "true");
  EXPECT_EQ(OutcomeOn(kText, {.driver = "a"}, arena),
            "error parsing regexp: expression too large: `a`");
}

TEST(CelLimits, ErrorsThatAreShown) {
  const auto shown = [](size_t count) {
    return syntax::FormatErrors("x", std::vector<syntax::SourceError>(count, {0, "wrong"}));
  };
  const std::string fits = shown(syntax::kErrorsShownMax);
  EXPECT_THAT(fits, Not(HasSubstr("truncated")));
  EXPECT_EQ(std::ranges::count(fits, '\n'), 3 * std::ptrdiff_t{syntax::kErrorsShownMax} - 1);
  EXPECT_EQ(shown(syntax::kErrorsShownMax + 1), fits + "\n1 more errors were truncated");
}

TEST(CelLimits, LinesThatAreShownUnderAnError) {
  const auto shown = [](size_t bytes) {
    const std::string line(bytes, 'x');
    return syntax::FormatErrors(line + "\n", std::vector<syntax::SourceError>{{0, "wrong"}});
  };
  EXPECT_THAT(shown(syntax::kSnippetBytesMax), EndsWith("\n | ^"));
  EXPECT_EQ(shown(syntax::kSnippetBytesMax + 1), "ERROR: <input>:1:1: wrong");
}

// Each step reports the errors of those before it twice.
TEST(CelLimits, ErrorsThatAreReportedAgain) {
  const auto left_out = [](std::string text, int steps) {
    for (int i = 0; i < steps; ++i) text += ".optMap(x, x)";
    const std::string message = OutcomeOn(text);
    return message.substr(message.rfind('\n') + 1);
  };
  const auto more = [](size_t errors) {
    return fmt::format("{} more errors were truncated", errors - syntax::kErrorsShownMax);
  };
  constexpr int kSteps = 13;
  static_assert(1 << kSteps < syntax::kErrorsMax && 2 << kSteps > syntax::kErrorsMax);
  for (const char* const wrong : {"unknown", "optional.of(duration('x'))"}) {
    EXPECT_EQ(left_out(wrong, kSteps), more(1 << kSteps)) << wrong;
    EXPECT_EQ(left_out(wrong, kSteps + 1), more(syntax::kErrorsMax)) << wrong;
  }
}

// Past so many the paths below a device are walked, with the same answers.
TEST(CelLimits, AttributesThatHaveAnIndex) {
  for (const size_t count : {DeepIndex::kEntriesMax, DeepIndex::kEntriesMax + 1}) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(fmt::format("a{}", i));
    Device device{.driver = "d.example"};
    for (size_t i = 0; i < count; ++i) {
      device.attributes.push_back({names[i], static_cast<int64_t>(i)});
    }
    for (const size_t i : {size_t{0}, size_t{1}, count / 2, count - 1}) {
      EXPECT_EQ(OutcomeOn(fmt::format("device.attributes['d.example'].a{0} == {0}", i), device),
                "true")
          << count;
    }
    EXPECT_EQ(OutcomeOn("!has(device.attributes['d.example'].b)", device), "true");
  }
}

}  // namespace
}  // namespace dray::cel
