// SPDX-License-Identifier: Apache-2.0
// The feature gates of kube-apiserver 1.37 that switch nothing in Dray: what they are about is
// always as Dray has it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/release.h"

namespace dray::api {

struct OtherGate {
  std::string_view name;
  uint8_t since = 0;           // minor release; 0: older than all that Dray plays
  uint8_t locked_since = 255;  // the release from which it cannot be changed
  bool locked_to = true;
};

/// The gate, if kube-apiserver of `release` knows it; null otherwise. A gate that 1.37 has dropped
/// is known in no release, as in kube-apiserver 1.37 that emulates one. O(log n)
const OtherGate* FindOtherGate(std::string_view name, Release release);

/// The settings ("ImageVolume=false") of --feature-gates, which commas separate.
std::vector<std::string_view> SettingsIn(std::string_view flags);

/// Those of these gates.
std::vector<std::string_view> OtherGatesIn(std::string_view flags, Release release);

}  // namespace dray::api
