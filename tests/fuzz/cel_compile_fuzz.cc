// SPDX-License-Identifier: Apache-2.0
// Bytes as an expression, in the environment that the first two bytes choose: compiling ends with a
// program or with errors inside the text, evaluating stays within its limits, and both give the
// same result when repeated.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "cel/compile.h"
#include "cel/cost/estimate.h"
#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/eval/program.h"
#include "cel/syntax/limits.h"

namespace {

using namespace dray::cel;  // NOLINT(google-build-using-namespace): this file is only glue

Environment EnvironmentOf(uint8_t release, uint8_t flags) {
  constexpr int kFirstMinor = 30;
  constexpr int kReleases = dray::api::MinorOf(dray::api::Release::kNewest) - kFirstMinor + 1;
  return {.release = static_cast<dray::api::Release>(kFirstMinor + release % kReleases),
          .use = (flags & 1U) != 0 ? ExpressionUse::kNew : ExpressionUse::kStored,
          .purpose = (flags & 8U) != 0 ? Purpose::kDerivedAttribute : Purpose::kFree,
          .consumable_capacity = (flags & 2U) != 0,
          .list_type_attributes = (flags & 4U) != 0,
          .cost_max = 10'000};
}

const DeviceActivation& SampleDevice() {
  static const std::vector<std::string> kTags = {"a", "b"};
  static const Device kDevice{.driver = "a.example",
                              .attributes = {{"model", std::string_view("x100")},
                                             {"index", int64_t{3}},
                                             {"firmware", VersionText{"1.2.3"}},
                                             {"tags", std::span<const std::string>(kTags)}}};
  static const DeviceActivation kActivation(kDevice);
  return kActivation;
}

void Evaluate(const eval::Program& program) {
  Arena first;
  Arena second;
  eval::Meter meter(program.environment().cost_max);
  eval::Meter again(program.environment().cost_max);
  const Value& device = SampleDevice().value(program.environment());
  const Value value = eval::Evaluate(program, {&device, 1}, first, meter);
  const Value same = eval::Evaluate(program, {&device, 1}, second, again);
  DRAY_CHECK(value.kind() == same.kind());
  DRAY_CHECK(meter.spent() == again.spent());
  DRAY_CHECK(!value.is_error() || value.text() == same.text());
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > syntax::kExpressionBytesMax) return 0;
  const Environment environment = EnvironmentOf(data[0], data[1]);
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto program = CompileProgram(text, environment);
  if (!program.has_value()) {
    DRAY_CHECK(!program.error().message.empty());
    for (const syntax::SourceError& problem : program.error().problems) {
      DRAY_CHECK(problem.offset == syntax::SourceError::kNowhere || problem.offset <= text.size());
    }
    return 0;
  }
  const cost::CostRange estimate = cost::EstimateCost((*program)->checked(), environment);
  DRAY_CHECK(estimate.min <= estimate.max);
  if (environment.purpose == Purpose::kFree) Evaluate(**program);
  return 0;
}
