// SPDX-License-Identifier: Apache-2.0
// Which server compacts etcd, and up to where.
//
// Every interval each server tries to write the same key, on the condition that it has not been
// written since its last try. One succeeds, and compacts what was the newest revision at its last
// try: so everybody keeps at least one interval of history, and it costs one write per interval
// however many servers there are. kube-apiserver does the same with the same key, so the two can
// share an etcd.
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/messages.h"

namespace dray::store::etcd {

class Compaction {
 public:
  /// An interval of zero: never.
  Compaction(std::chrono::nanoseconds interval, MonotonicTime now)
      : interval_(interval), due_(now + interval) {}

  /// The try that is due now, if there is one; its answer is for Next.
  std::optional<TxnQuery> Try(MonotonicTime now);

  /// What to compact after the answer, if anything.
  std::optional<Revision> Next(const TxnAnswer& answer);

 private:
  const std::chrono::nanoseconds interval_;
  MonotonicTime due_;
  int64_t version_ = 0;  // of the key at the last try
  Revision newest_{0};   // of etcd at the last try; 0: there was none
  std::string value_{};  // of the try under way
};

}  // namespace dray::store::etcd
