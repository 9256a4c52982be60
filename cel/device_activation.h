// SPDX-License-Identifier: Apache-2.0
// A device as the variable `device` of expressions.
#pragma once

#include <string>

#include "cel/device.h"
#include "cel/language/environment.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel {

/// A device made ready for evaluation, to be built once and used by any number of selectors and
/// threads. Refers to what the Device refers to.
///
/// Names without a domain belong to the driver's. If "id" and "driver/id" are both there, the first
/// counts (upstream picks either). An unknown domain reads as an empty map.
/// Costs O(n log n) for n names and a few allocations.
class DeviceActivation {
 public:
  explicit DeviceActivation(const Device& device);
  DeviceActivation(const DeviceActivation&) = delete;
  DeviceActivation& operator=(const DeviceActivation&) = delete;
  ~DeviceActivation() = default;

  /// Why no selector can be evaluated on this device, or empty. An attribute has no value of a
  /// known type, or a version that is not a valid one, or a list although the environment has no
  /// lists. Names the first such attribute by name.
  const std::string& error(const Environment& environment) const {
    return environment.reads_lists() ? error_ : error_without_lists_;
  }
  /// The value of the variable `device`. Valid only if there is no error. Before 1.34 it has no
  /// allowMultipleAllocations.
  const Value& value(const Environment& environment) const {
    return environment.since(api::Release::k1_34) ? value_ : value_before_34_;
  }

 private:
  Arena arena_;
  Value value_;
  Value value_before_34_;
  std::string error_;
  std::string error_without_lists_;
};

}  // namespace dray::cel
