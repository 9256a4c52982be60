// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/sightings.h"

#include <algorithm>
#include <charconv>

#include "base/world.h"

namespace dray::stories {

void Sightings::Note(std::string_view plural, std::string_view resource_version) {
  int64_t revision = 0;
  std::from_chars(
      resource_version.data(), resource_version.data() + resource_version.size(), revision);
  const MutexLock lock(mutex_);
  int64_t& seen = seen_[std::string(plural)];
  seen = std::max(seen, revision);
  changed_.NotifyAll();
}

void Sightings::Note(std::string_view plural, const std::vector<client::WatchEvent>& events) {
  for (const client::WatchEvent& event : events) {
    Note(plural, event.object.metadata().resource_version);
  }
}

bool Sightings::HasAll(const Revisions& wanted) const {
  for (const auto& [plural, revision] : wanted) {
    const auto seen = seen_.find(plural);
    if (seen != seen_.end() && seen->second < revision) return false;
  }
  return true;
}

bool Sightings::Await(const Revisions& wanted, std::chrono::milliseconds patience) const {
  const MonotonicTime until = RealWorld().clock.Monotonic() + patience;
  const MutexLock lock(mutex_);
  while (!HasAll(wanted)) {
    const auto left = until - RealWorld().clock.Monotonic();
    if (left <= left.zero()) return false;
    changed_.WaitFor(mutex_, left);
  }
  return true;
}

}  // namespace dray::stories
