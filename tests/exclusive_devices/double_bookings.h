// SPDX-License-Identifier: Apache-2.0
// Checks the events of a watch of claims: no device is in two allocations, at any revision.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/resource_v1/claim.h"
#include "base/result.h"
#include "base/strong.h"
#include "store/store.h"

namespace dray::exclusive_devices {

/// A claim from `revision` on, with its devices: none if it is not allocated, or deleted.
struct Seen {
  Revision revision{};
  std::string claim{};
  std::vector<std::string> devices{};
};

/// The devices of a claim, "driver/pool/name". Devices with admin access do not count.
std::vector<std::string> DevicesOf(const api::resource_v1::ResourceClaim& claim);

/// Every change of a claim in the history of `store` after `after`, in order.
///
/// Errors: kExpired  a part of it is no longer kept.
Result<std::vector<Seen>> SeenAfter(const store::Store& store, Revision after);

/// "revision 7: d/p/x of default/b is default/a's", for each device that is allocated while another
/// claim has it. If one claim frees a device in the same revision in which another gets it, it was
/// free.
std::vector<std::string> DoubleBookings(std::span<const Seen> history);

}  // namespace dray::exclusive_devices
