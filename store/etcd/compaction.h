// SPDX-License-Identifier: Apache-2.0
// Which server compacts etcd, and up to which revision.
//
// Every interval each server tries to write the same key, on the condition that nobody has written
// it since its last try. One succeeds, and compacts up to the revision that was the newest at its
// last try: so at least one interval of history is kept, and it costs one write per interval
// however many servers there are. kube-apiserver does the same with the same key, so both can share
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
  /// An interval of zero: never.
  Compaction(std::chrono::nanoseconds interval, MonotonicTime now)
      : interval_(interval), due_(now + interval) {}

  /// The transaction to try now, if one is due; its answer is for Next.
  std::optional<rpc::TxnQuery> Try(MonotonicTime now);

  /// Up to where to compact after the answer, if at all.
  std::optional<Revision> Next(const rpc::TxnAnswer& answer);

 private:
  const std::chrono::nanoseconds interval_;
  MonotonicTime due_;
  int64_t version_ = 0;  // of the key at the last try
  Revision newest_{0};   // of etcd at the last try; 0: there was none
  std::string value_{};  // of the try under way
};

}  // namespace dray::store::etcd
