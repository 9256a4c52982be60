// SPDX-License-Identifier: Apache-2.0
// Names that an expression reads and devices lack: how many devices have them, and likely meant
// names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/device_names.h"
#include "planning/explain/survey.h"

namespace dray::planning::inline explain {

struct MissingName {
  cel::DeviceName name;
  size_t devices = 0;  // that have it
  size_t total = 0;    // all devices
  std::vector<CountedName> suggestions = {};

  /// device.attributes["d"].x exists on 3 of 8 devices, did you mean …?
  std::string ToText() const;
};

/// The elements of `names` that may cause the failure `message` ("no such key: x"): they have that
/// id, and some device lacks them.
std::vector<MissingName> MissingIn(std::string_view message,
                                   std::span<const cel::DeviceName> names,
                                   const Survey& survey);

/// The elements of `names` that no device has and no failure mentions.
std::vector<MissingName> MissingQuietly(std::span<const cel::DeviceName> names,
                                        const Survey& survey);

}  // namespace dray::planning::inline explain
