// SPDX-License-Identifier: Apache-2.0
// The progress of a component's caches, so that a player can wait for it instead of for a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "client/client.h"

namespace dray::stories {

/// Resource versions by plural.
using Revisions = std::map<std::string, int64_t, std::less<>>;

/// The newest revision of each kind that one component has listed or received. Safe from any
/// thread.
class Sightings {
 public:
  void Note(std::string_view plural, std::string_view resource_version);
  void Note(std::string_view plural, const std::vector<client::WatchEvent>& events);

  /// Waits until the component has received the revision in `wanted` of each kind that it follows.
  /// Skips a kind that it has not listed yet, because its list will include all objects. Returns
  /// false after `patience`.
  bool Await(const Revisions& wanted, std::chrono::milliseconds patience) const;

 private:
  bool HasAll(const Revisions& wanted) const DRAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  mutable Condition changed_;
  Revisions seen_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::stories
