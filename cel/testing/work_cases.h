// SPDX-License-Identifier: Apache-2.0
// One expression for each operator and function of the language, on an argument of any size: what
// it is charged is compared with what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/work.h"
#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/eval/program.h"

namespace dray::cel::testing {

struct WorkCase {
  std::string_view name;
  /// Over device.driver, a text of as many letters as the size says; and the attributes of "d":
  /// ints and texts, of as many elements; letters, a text of as many bytes outside ASCII; digits.
  std::string_view expression;
  size_t divisor = 1;  // of the size: for what grows with its square
};

/// Those whose work grows with the size of an argument, and those that are done once for each
/// element of ints.
std::span<const WorkCase> WorkCases();

/// A device whose parts have a size.
class SizedDevice {
 public:
  explicit SizedDevice(size_t size);
  const DeviceActivation& activation() const { return *activation_; }

 private:
  std::string text_;
  std::string letters_;
  std::string digits_;
  std::vector<int64_t> ints_;
  std::vector<std::string> texts_;
  std::unique_ptr<DeviceActivation> activation_;
};

/// What one evaluation says, "true", "false", "value" or the error, within `work`.
std::string Evaluate(const eval::Program& program, const SizedDevice& device, Work& work);

}  // namespace dray::cel::testing
