// SPDX-License-Identifier: Apache-2.0
// Keeps a device from being given to two claims, whoever writes: judges a write by all that the
// store holds, and has the commit refused if anybody decided about the same device meanwhile.
//
// The guard follows the events of claims and slices, so that it knows who has which devices at some
// revision R. What it allows, it allows as of R; each device that a write newly takes becomes a
// fence (store/store.h) of the transaction, which fails if a later transaction took it, in this
// process or in another that uses the same etcd. The write is then judged again. So nothing has to
// be written beside the claim, repaired after a crash or migrated: claims are the only truth.
//
// A claim whose record cannot be read may hold any device that its bytes name. Until it is deleted
// or readable again, no other claim gets one of those.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "base/mutex.h"
#include "base/published.h"
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

  /// Reads what there is, so that the first write need not. O(claims and slices), the first time;
  /// then O(their changes since).
  void CatchUp();

  /// What the transaction that replaces `before` with `after` must have to be safe: nothing unless
  /// they are claims and devices are newly allocated.
  ///
  /// Errors: kConflict  another claim has what is to be allocated, or may have it and cannot be
  /// read; the message names both.
  ///         kInvalid   an amount of a share is negative, or zero without having been asked for.
  Result<std::vector<store::Fence>> FencesFor(const api::Object& before, const api::Object& after);

 private:
  /// What has been read of the store, up to two revisions.
  struct Known {
    registry::DeviceHolders holders{};
    Revision claims_until{};  // 0: nothing has been read
    Revision slices_until{};

    /// Values of claims that cannot be read, by key.
    std::map<std::string, Frozen<store::Value>, std::less<>> unreadable{};

    void Follow(const store::Store& store);
    void Load(const store::Snapshot& snapshot);
    /// The record at `key` was `before` and is `after`; null: there was or is none.
    void SetClaim(std::string_view key, const store::Record* before, const store::Record* after);
    /// Why what `after` has and `before` has not may belong to a claim that cannot be read; empty
    /// if it does not. O(bytes of those claims).
    std::string HiddenOverlap(const api::resource_v1::ResourceClaim& before,
                              const api::resource_v1::ResourceClaim& after) const;
  };

  const store::Store& store_;
  Mutex mutex_;
  Known known_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
