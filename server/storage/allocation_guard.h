// SPDX-License-Identifier: Apache-2.0
// Prevents the allocation of one device to two claims by any client: checks each write against all
// claims in the store, and makes the commit fail if another transaction allocates the same device
// in between.
//
// The guard follows the events of claims and slices, so it knows which claim holds which devices at
// some revision R. A check is valid as of R. Each device that a write newly allocates becomes a
// fence (store/store.h) of the transaction, which fails if a later transaction allocated the
// device, in this process or in another that uses the same etcd. The write is then checked again.
// Claims are the only record of allocations, so nothing beside them is written, repaired after a
// crash or migrated.
//
// A claim whose record cannot be read may hold any device that its bytes name. Until the claim is
// deleted or readable again, no other claim is allocated one of those devices.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/registry/device_holders.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::storage {

/// Safe from any thread.
class AllocationGuard {
 public:
  /// The store outlives it.
  explicit AllocationGuard(const store::Store& store) : store_(store) {}
  AllocationGuard(const AllocationGuard&) = delete;
  AllocationGuard& operator=(const AllocationGuard&) = delete;
  ~AllocationGuard() = default;

  /// Reads the store up to its newest revision, so that the first write need not. The first call
  /// costs O(claims and slices), later ones O(their changes since).
  void CatchUp();

  /// The fences that the transaction that replaces `before` with `after` needs. Empty unless both
  /// are claims and `after` has devices that `before` has not.
  ///
  /// Errors: kConflict  another claim holds one of the new devices, or cannot be read and may hold
  ///                    one; the message names device and claim.
  ///         kInvalid   an amount of a share is negative, or zero without having been asked for.
  Result<std::vector<store::Fence>> FencesFor(const api::Object& before, const api::Object& after);

 private:
  /// The claims read up to one revision of the store, and the slices read up to another.
  struct Known {
    registry::DeviceHolders holders{};
    Revision claims_until{};  // 0: no claims have been read yet
    Revision slices_until{};

    /// Values of claims that cannot be read, by key.
    std::map<std::string, Frozen<store::Value>, std::less<>> unreadable{};

    void Follow(const store::Store& store);
    void Load(const store::Snapshot& snapshot);
    /// Replaces the record at `key`; a null `before` or `after` means that there is none.
    void SetClaim(std::string_view key, const store::Record* before, const store::Record* after);
    /// The reason why a device that `after` has and `before` has not may belong to a claim that
    /// cannot be read; empty if there is none. O(bytes of those claims).
    std::string HiddenOverlap(const api::resource_v1::ResourceClaim& before,
                              const api::resource_v1::ResourceClaim& after) const;
  };

  const store::Store& store_;
  Mutex mutex_;
  Known known_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
