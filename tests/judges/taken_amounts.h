// SPDX-License-Identifier: Apache-2.0
// The capacity that a request consumes of a device, written independently of the allocator from the
// rules (KEP-5075).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"

namespace dray::judges {

enum class Answer : uint8_t { kNo, kYes, kError };

struct TakenAmounts {
  /// kNo: the device lacks a requested capacity, or a policy rejects an amount. kError: an amount
  /// is negative or cannot be computed.
  Answer answer = Answer::kYes;
  std::map<std::string, api::Quantity> amounts = {};  // of every capacity, unless kError
};

/// `request` may be null; `in_milli`: the switch FractionalCapacityRange.
TakenAmounts AmountsOf(const api::resource_v1::Device& device,
                       const api::resource_v1::CapacityRequirements* request,
                       bool in_milli);

}  // namespace dray::judges
