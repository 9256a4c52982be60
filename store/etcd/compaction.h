// SPDX-License-Identifier: Apache-2.0
// Which server compacts etcd, and up to which revision.
//
// Every interval each server tries to write the same key, on the condition that the key has not
// changed since that server's last try. One server succeeds, and compacts up to the revision that
// was the newest at its last try. So at least one interval of history is kept, and the cost is one
// write per interval and server. kube-apiserver does the same with the same key, so both can share
// an etcd.
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd {

class Compaction {
 public:
  /// An interval of zero disables compaction.
  Compaction(std::chrono::nanoseconds interval, MonotonicTime now)
      : interval_(interval), due_(now + interval) {}

  /// Returns the transaction to send now, if one is due. Pass its answer to Next.
  std::optional<rpc::TxnQuery> Try(MonotonicTime now);

  /// Returns the revision to compact up to, or nothing if another server compacts this time.
  std::optional<Revision> Next(const rpc::TxnAnswer& answer);

 private:
  const std::chrono::nanoseconds interval_;
  MonotonicTime due_;
  int64_t version_ = 0;  // of the key at the last try
  Revision newest_{0};   // of etcd at the last try; 0: there was none
  std::string value_{};  // of the try under way
};

}  // namespace dray::store::etcd
