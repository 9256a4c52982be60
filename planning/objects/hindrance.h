// SPDX-License-Identifier: Apache-2.0
// Why a pod or claim is rejected before its nodes are considered.
#pragma once

#include <cstdint>
#include <string_view>

namespace dray::planning::inline objects {

enum class Hindrance : uint8_t {
  kDevices,   // its claims, or objects that they name, are wrong
  kCreation,  // the server rejects the pod
  kClaims,    // the server rejects a claim to be made for it
  kGates,     // it has scheduling gates
  kVolumes,   // the pod's volumes do not exist
  kGroup,     // the pod's group does not exist, or is not complete
};

enum class Number : uint8_t { kOne, kSeveral };

/// The words before the reason: "gets no devices", "wait for their volumes".
std::string_view HindranceText(Hindrance hindrance, Number number);

}  // namespace dray::planning::inline objects
