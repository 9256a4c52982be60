// SPDX-License-Identifier: Apache-2.0
// The rule of docs/design/cost.md, in the form in which tests check measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cost/usage.h"

namespace dray::cost {

/// The largest input that is tried: the limit of a request's body.
inline constexpr size_t kBodyBytes = size_t{3} << 20;

// Memory limit of any test: this much, and this much for each byte of input.
inline constexpr uint64_t kPeakBase = uint64_t{24} << 20;
inline constexpr uint64_t kPeakPerByte = 72;
inline constexpr uint64_t kAllocatedBase = uint64_t{300} << 20;  // patterns of one object
inline constexpr uint64_t kAllocatedPerByte = 200;
inline constexpr uint64_t kAnswerBase = uint64_t{1} << 20;
inline constexpr uint64_t kAnswerPerByte = 20;
/// Without optimisation; a released program needs a tenth.
inline constexpr uint64_t kInstructionsBase = 2'000'000'000;
inline constexpr uint64_t kInstructionsPerByte = 14'000;  // numbers in YAML
/// Factor for instructions that a sanitizer adds.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr uint64_t kInstrumentation = 4;
#else
inline constexpr uint64_t kInstrumentation = 1;
#endif
/// For server-side apply, which looks up the owner of each list element by its key, several times.
inline constexpr uint64_t kApplyInstructionsPerByte = 26'000;

/// The cost of inputs of n, 2n and 4n bytes.
class Growth {
 public:
  explicit Growth(std::string name, uint64_t instructions_per_byte = kInstructionsPerByte)
      : name_(std::move(name)), instructions_per_byte_(instructions_per_byte) {}

  void Add(size_t input, const Usage& usage, size_t answer);

  /// Describes the violated bound: the last cost is above a limit, or the second step was much more
  /// than twice the first. Empty if there is none.
  std::string Complaint() const;

 private:
  struct Sample {
    size_t input;
    Usage usage;
    uint64_t answer;
  };
  std::string name_;
  uint64_t instructions_per_byte_;
  std::vector<Sample> samples_;
};

}  // namespace dray::cost
