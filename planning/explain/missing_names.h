// SPDX-License-Identifier: Apache-2.0
// Names that an expression reads and devices lack: on how many they exist, and what could be meant.
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
  size_t total = 0;    // devices there are
  std::vector<CountedName> suggestions = {};

  /// device.attributes["d"].x exists on 3 of 8 devices, did you mean …?
  std::string ToText() const;
};

/// Those of `names` that the failure `message` ("no such key: x") can be about: of that id, and not
/// on all devices.
std::vector<MissingName> MissingIn(std::string_view message,
                                   std::span<const cel::DeviceName> names,
                                   const Survey& survey);

/// Those of `names` that no device has and no failure is about.
std::vector<MissingName> MissingQuietly(std::span<const cel::DeviceName> names,
                                        const Survey& survey);

}  // namespace dray::planning::inline explain
