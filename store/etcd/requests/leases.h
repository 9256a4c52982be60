// SPDX-License-Identifier: Apache-2.0
// Which lease of etcd an expiring record gets.
//
// A lease for each record would cost etcd more than the record. So records that expire at about the
// same time share one, as kube-apiserver's do: a lease lives a little longer than its first record
// needs, and serves other records whose expiry falls into that time. No record is deleted before
// its expiry, nor later than the lesser of kSlackMax and a twentieth of its life after it (plus the
// time that etcd takes to notice).
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/world.h"

namespace dray::store::etcd::requests {

class Leases {
 public:
  static constexpr std::chrono::seconds kSlackMax{60};
  static constexpr int64_t kSlackOfLife = 20;  // the slack is at most 1/20 of the record's life
  /// Limit of records with one lease, because etcd deletes them all in one revision.
  static constexpr size_t kRecordsMax = 1000;
  /// Limit of leases remembered. A lease that was dropped from here still expires in etcd.
  static constexpr size_t kLeasesMax = 256;

  /// Returns a lease for one more record, or nothing if a new lease has to be granted.
  std::optional<int64_t> Take(WallTime expiry, WallTime now);

  /// The time to live of a new lease for such a record, in whole seconds, at least one.
  static int64_t TtlSeconds(WallTime expiry, WallTime now);

  /// Adds a lease that was granted for one record. `asked` is when the grant was requested.
  void Add(int64_t id, int64_t ttl_seconds, WallTime asked);

  /// Removes a lease that no longer exists in etcd.
  void Forget(int64_t id);

  size_t size() const { return leases_.size(); }

 private:
  struct Lease {
    int64_t id = 0;
    size_t records = 0;
  };

  static std::chrono::nanoseconds SlackOf(WallTime expiry, WallTime now);

  std::multimap<WallTime, Lease> leases_;  // by the earliest time they can end
};

}  // namespace dray::store::etcd::requests
