// SPDX-License-Identifier: Apache-2.0
// A bounded cache of decoded objects, whose records hold bytes. It keeps the most recently written
// and decoded ones; a reader of any other decodes it again.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "base/mutex.h"

namespace dray::server::storage {

/// Keeps values alive until newer ones need the room (first in, first out). Thread-safe.
class DecodedCache {
 public:
  /// Limit of all values together; a larger value is not kept.
  static constexpr size_t kBytesMax = size_t{32} << 20;

  explicit DecodedCache(size_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}

  /// Keeps `decoded`, which takes `bytes`, and drops the oldest values that no longer fit.
  void Keep(std::shared_ptr<const void> decoded, size_t bytes);
  size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const void> decoded;
    size_t bytes;
  };

  const size_t bytes_max_;
  mutable Mutex mutex_;
  std::deque<Entry> entries_ DRAY_GUARDED_BY(mutex_);  // oldest first
  size_t bytes_ DRAY_GUARDED_BY(mutex_) = 0;
};

/// The cache of this process; there is one because the memory that it limits is the process's.
DecodedCache& DecodedOfProcess();

}  // namespace dray::server::storage
