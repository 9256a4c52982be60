// SPDX-License-Identifier: Apache-2.0
// Decoded forms of stored objects that take much more memory than their bytes: the last ones that
// somebody asked for, as many as a limit lets. The others are decoded again when they are wanted.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "base/mutex.h"

namespace dray::server::storage {

/// Keeps values alive for a while. Safe from any thread.
class DecodedCache {
 public:
  /// Of all of them together; one that is larger alone is not kept.
  static constexpr size_t kBytesMax = size_t{64} << 20;

  explicit DecodedCache(size_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}

  /// Keeps `decoded`, which takes `bytes`; those that came first go when there is no more room.
  void Keep(std::shared_ptr<const void> decoded, size_t bytes);
  size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const void> decoded;
    size_t bytes;
  };

  const size_t bytes_max_;
  mutable Mutex mutex_;
  std::deque<Entry> entries_ DRAY_GUARDED_BY(mutex_);  // in the order in which they came
  size_t bytes_ DRAY_GUARDED_BY(mutex_) = 0;
};

/// That of this process: memory is the process's.
DecodedCache& DecodedOfProcess();

}  // namespace dray::server::storage
