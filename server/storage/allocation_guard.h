// SPDX-License-Identifier: Apache-2.0
// Keeps a device from being given to two claims, whoever writes: judges a write by all that the
// store holds, and has the commit refused if anybody decided about the same device meanwhile.
//
// The guard follows the events of claims and slices, so that it knows who has which devices at some
// revision R. What it allows, it allows as of R; each device that a write newly takes becomes a
// fence (store/store.h) of the transaction, which fails if a later transaction took it, in this
// process or in another that uses the same etcd. The write is then judged again. So nothing has to
// be written beside the claim, repaired after a crash or migrated: claims are the only truth.
#pragma once

#include <vector>

#include "api/object.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/registry/device_holders.h"
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
  /// Errors: kConflict  another claim has what is to be allocated; the message names both.
  Result<std::vector<store::Fence>> FencesFor(const api::Object& before, const api::Object& after);

 private:
  /// What has been read of the store, up to two revisions.
  struct Known {
    registry::DeviceHolders holders{};
    Revision claims_until{};  // 0: nothing has been read
    Revision slices_until{};

    void Follow(const store::Store& store);
    void Load(const store::Snapshot& snapshot);
  };

  const store::Store& store_;
  Mutex mutex_;
  Known known_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
