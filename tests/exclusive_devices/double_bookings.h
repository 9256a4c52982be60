// SPDX-License-Identifier: Apache-2.0
// INV-1 as a watch of claims sees it: no device is in two allocations, at any revision.
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

/// A claim as it is from `revision` on, and the devices that it has: none when it is not allocated,
/// or gone.
struct Seen {
  Revision revision{};
  std::string claim{};
  std::vector<std::string> devices{};
};

/// The devices of a claim, "driver/pool/name". Access for administration does not count.
std::vector<std::string> DevicesOf(const api::resource_v1::ResourceClaim& claim);

/// Every change of a claim in the history of `store` after `after`, in order.
///
/// Errors: kExpired  a part of it is forgotten.
Result<std::vector<Seen>> SeenAfter(const store::Store& store, Revision after);

/// "revision 7: d/p/x of default/b is default/a's", for each device that somebody gets who is not
/// the only one. Whoever frees its device in the same revision as another gets it has freed it.
std::vector<std::string> DoubleBookings(std::span<const Seen> history);

}  // namespace dray::exclusive_devices
