// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/hindrance.h"

namespace dray::planning::inline objects {

std::string_view HindranceText(Hindrance hindrance, Number number) {
  const bool is_one = number == Number::kOne;
  switch (hindrance) {
    case Hindrance::kDevices: return is_one ? "gets no devices" : "get no devices";
    case Hindrance::kCreation: return "may not be created";
    case Hindrance::kClaims: return is_one ? "gets no claim" : "get no claims";
    case Hindrance::kGates:
      return is_one ? "waits for its scheduling gates" : "wait for their scheduling gates";
    case Hindrance::kVolumes: return is_one ? "waits for its volumes" : "wait for their volumes";
    case Hindrance::kGroup: return is_one ? "waits for its group" : "wait for their group";
  }
  return {};
}

}  // namespace dray::planning::inline objects
