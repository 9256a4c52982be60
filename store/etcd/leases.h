// SPDX-License-Identifier: Apache-2.0
// Which lease of etcd an expiring record gets.
//
// A lease for each record would cost etcd more than the record. So records that expire at about the
// same time share one, as kube-apiserver's do: a lease lives a little longer than its first record
// needs, and takes others whose expiry falls into that time. No record goes before its expiry, and
// none stays longer than kSlackMax, or a twentieth of its life if that is less, beyond it (and the
// moments etcd takes to notice).
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/world.h"

namespace dray::store::etcd {

class Leases {
 public:
  static constexpr std::chrono::seconds kSlackMax{60};
  static constexpr int64_t kSlackOfLife = 20;  // the slack is one of so many parts
  /// Records on one lease: its end is one revision.
  static constexpr size_t kRecordsMax = 1000;
  /// Leases remembered; what is forgotten still ends by itself.
  static constexpr size_t kLeasesMax = 256;

  /// A lease for a record, which counts as used; none if a new one has to be granted.
  std::optional<int64_t> Take(WallTime expiry, WallTime now);

  /// How long a new lease has to live for it, in whole seconds, at least one.
  static int64_t TtlSeconds(WallTime expiry, WallTime now);

  /// A lease was granted for one record, after it had been asked for at `asked`.
  void Add(int64_t id, int64_t ttl_seconds, WallTime asked);

  /// It is gone from etcd.
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

}  // namespace dray::store::etcd
