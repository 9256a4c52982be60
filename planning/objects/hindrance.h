// SPDX-License-Identifier: Apache-2.0
// What keeps a pod or claim from running that is refused before its nodes are looked at.
#pragma once

#include <cstdint>
#include <string_view>

namespace dray::planning::inline objects {

enum class Hindrance : uint8_t {
  kDevices,   // something is wrong with its claims, or with what they name
  kCreation,  // the server refuses the pod
  kClaims,    // the server refuses a claim that is to be made for it
  kGates,     // it has scheduling gates
  kVolumes,   // the pod's volumes are not there
  kGroup,     // the pod's group is not there, or not complete
};

enum class Number : uint8_t { kOne, kSeveral };

/// What is said of it before the reason: "gets no devices", "wait for their volumes".
std::string_view HindranceText(Hindrance hindrance, Number number);

}  // namespace dray::planning::inline objects
