// SPDX-License-Identifier: Apache-2.0
// How far a component's caches have come, so that a player can wait for it instead of for a time.
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

  /// Returns when the component has come as far as `wanted` with each kind that it follows; a kind
  /// that it has not listed yet is passed over, because its list will hold all of it. False after
  /// `patience`.
  bool Await(const Revisions& wanted, std::chrono::milliseconds patience) const;

 private:
  bool HasAll(const Revisions& wanted) const DRAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  mutable Condition changed_;
  Revisions seen_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::stories
