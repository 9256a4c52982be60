// SPDX-License-Identifier: Apache-2.0
// Label values that clients choose: only the first ones have metrics of their own, so that no
// client makes the server keep any number of series.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace dray::metrics {

/// Safe from any thread.
class LimitedNames {
 public:
  /// What all later names are called together.
  static constexpr std::string_view kOther = "other";

  explicit LimitedNames(size_t max) : max_(max) {}

  /// Whether `name` is one of the first `max`. O(log max).
  bool Takes(std::string_view name) {
    const MutexLock lock(mutex_);
    if (names_.contains(name)) return true;
    if (names_.size() >= max_) return false;
    names_.emplace(name);
    return true;
  }
  /// `name`, or kOther.
  std::string NameFor(std::string_view name) { return std::string(Takes(name) ? name : kOther); }

 private:
  const size_t max_;
  Mutex mutex_;
  std::set<std::string, std::less<>> names_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::metrics
