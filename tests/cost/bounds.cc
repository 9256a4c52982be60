// SPDX-License-Identifier: Apache-2.0
#include "tests/cost/bounds.h"

#include <string_view>

#include <fmt/format.h>

#include "base/check.h"

namespace dray::cost {
namespace {

// A step twice as large may take so much more: 4 would be the square.
constexpr double kStepMax = 2.8;
constexpr uint64_t kMiB = 1U << 20U;

struct Quantity {
  std::string_view name;
  std::vector<uint64_t> values;  // of n, 2n, 4n
  uint64_t base, per_byte;
  uint64_t noise;  // steps up to here may be of any size: budgets begin, vectors grow
};

void Judge(const Quantity& quantity, size_t input, std::string& complaint) {
  const uint64_t most = quantity.base + quantity.per_byte * input;
  if (quantity.values[2] > most) {
    complaint += fmt::format("{} are {}, more than {}; ", quantity.name, quantity.values[2], most);
  }
  const auto step = [&](size_t i) {
    return static_cast<double>(quantity.values[i + 1]) - static_cast<double>(quantity.values[i]);
  };
  if (step(1) <= static_cast<double>(quantity.noise) || step(1) <= kStepMax * step(0)) return;
  complaint += fmt::format("{} grow from {} to {} to {}; ",
                           quantity.name,
                           quantity.values[0],
                           quantity.values[1],
                           quantity.values[2]);
}

}  // namespace

void Growth::Add(size_t input, const Usage& usage, size_t answer) {
  samples_.push_back({.input = input, .usage = usage, .answer = answer});
  fmt::print("{} {}: {} allocations, {} bytes, {} at most, answer {}, {} instructions\n",
             name_,
             input,
             usage.allocations,
             usage.allocated,
             usage.peak,
             answer,
             usage.instructions.value_or(0));
}

std::string Growth::Complaint() const {
  DRAY_CHECK(samples_.size() == 3);
  std::vector<Quantity> quantities = {
      {.name = "bytes held", .base = kPeakBase, .per_byte = kPeakPerByte, .noise = kMiB * 48},
      {.name = "bytes allocated",
       .base = kAllocatedBase,
       .per_byte = kAllocatedPerByte,
       .noise = kMiB * 64},
      {.name = "bytes of the answer",
       .base = kAnswerBase,
       .per_byte = kAnswerPerByte,
       .noise = kMiB * 2},
      {.name = "instructions",
       .base = kInstructionsBase * kInstrumentation,
       .per_byte = instructions_per_byte_ * kInstrumentation,
       .noise = 4'000'000'000}};
  for (const Sample& sample : samples_) {
    quantities[0].values.push_back(sample.usage.peak);
    quantities[1].values.push_back(sample.usage.allocated);
    quantities[2].values.push_back(sample.answer);
    quantities[3].values.push_back(sample.usage.instructions.value_or(0));
  }
  std::string complaint;
  for (const Quantity& quantity : quantities) Judge(quantity, samples_[2].input, complaint);
  return complaint;
}

}  // namespace dray::cost
