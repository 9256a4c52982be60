// SPDX-License-Identifier: Apache-2.0
// Devices as the CEL vectors write them (tests/data/vectors/cel/README.md, section Devices).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "api/value/quantity.h"
#include "cel/device.h"
#include "cel/device_activation.h"

namespace dray::vectors {

/// One device with all that it refers to.
class CelDevice {
 public:
  /// `json` is well formed: integers and quantities can be read.
  explicit CelDevice(const boost::json::object& json);
  CelDevice(const CelDevice&) = delete;
  CelDevice& operator=(const CelDevice&) = delete;
  ~CelDevice() = default;

  const cel::DeviceActivation& activation() const {
    return *activation_;  // the constructor fills it
  }
  /// Whether some attribute is a list, which no release before 1.36 knows.
  bool has_lists() const { return has_lists_; }

 private:
  std::string_view Keep(std::string_view text) { return texts_.emplace_back(text); }
  cel::AttributeValue AttributeOf(const boost::json::object& json);
  cel::AttributeValue ListAttributeOf(std::string_view kind, const boost::json::array& items);

  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<std::vector<std::string>> lists_;
  std::deque<api::Quantity> quantities_;
  bool has_lists_ = false;
  std::optional<cel::DeviceActivation> activation_;
};

}  // namespace dray::vectors
