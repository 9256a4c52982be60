// SPDX-License-Identifier: Apache-2.0
#include "server/storage/decoded_cache.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dray::server::storage {

void DecodedCache::Keep(std::shared_ptr<const void> decoded, size_t bytes) {
  std::vector<Entry> gone;  // destroyed after the lock is released: large objects take long
  const MutexLock lock(mutex_);
  if (bytes > bytes_max_) return;
  bytes_ += bytes;
  entries_.push_back({.decoded = std::move(decoded), .bytes = bytes});
  while (bytes_ > bytes_max_) {
    bytes_ -= entries_.front().bytes;
    gone.push_back(std::move(entries_.front()));
    entries_.pop_front();
  }
}

size_t DecodedCache::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

DecodedCache& DecodedOfProcess() {
  static DecodedCache cache;
  return cache;
}

}  // namespace dray::server::storage
