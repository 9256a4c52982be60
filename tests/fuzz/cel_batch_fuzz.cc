// SPDX-License-Identifier: Apache-2.0
// Bytes as a selector, or as the seed of one, on devices drawn from the first byte: a batch gives
// the scalar evaluator's result for every device, and no device costs more than the batch's bound.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "cel/batch/batch_selector.h"
#include "cel/syntax/limits.h"
#include "cel/testing/random_selector.h"

namespace {

using namespace dray::cel;  // NOLINT(google-build-using-namespace): this file is only glue

void Compare(const Selector& selector, uint8_t seed) {
  constexpr size_t kDevices = 80;
  testing::RandomDevices devices(seed);
  batch::DeviceTableBuilder builder;
  std::vector<std::unique_ptr<DeviceActivation>> activations;
  for (size_t i = 0; i < kDevices; ++i) {
    const Device& device = devices.Draw(/*wide=*/seed % 2 == 0);
    builder.Add(device);
    activations.push_back(std::make_unique<DeviceActivation>(device));
  }
  const auto table = builder.Build();
  batch::Outcomes outcomes;
  const uint64_t bound = batch::BatchSelector(selector).Evaluate(*table, outcomes);
  for (size_t lane = 0; lane < kDevices; ++lane) {
    const Evaluation wanted = selector.Evaluate(*activations[lane]);
    DRAY_CHECK(outcomes.matched.Has(lane) == wanted.matches());
    DRAY_CHECK(outcomes.failed.Has(lane) == (wanted.error() != nullptr));
    DRAY_CHECK(wanted.cost <= bound);
  }
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > syntax::kExpressionBytesMax) return 0;
  const Environment environment{.cost_max = 2'000};
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto selector = Selector::Compile(text, environment);
  if (!selector.has_value()) {
    uint64_t seed = 0;
    std::memcpy(&seed, text.data(), std::min(text.size(), sizeof seed));
    selector = Selector::Compile(testing::RandomSelector(seed).Draw(), environment);
    if (!selector.has_value()) return 0;
  }
  Compare(*selector, data[0]);
  return 0;
}
