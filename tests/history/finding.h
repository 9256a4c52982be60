// SPDX-License-Identifier: Apache-2.0
// The findings of a check, and its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::history {

/// The guarantees of a store. Those of watches are the ones that etcd's own robustness tests check.
enum class Property : uint8_t {
  kHistory,            // the record itself makes sense
  kRevisionOnce,       // a revision belongs to one write
  kRealTime,           // revisions follow the order of the clock
  kCommitAnswer,       // the answer to a write has the records that it stored
  kConditions,         // conditions held, or did not, as in the answer
  kRead,               // a read is the state at its revision
  kLinearizable,       // operations on one key have an order that explains their answers
  kWatchCommitted,     // every event was committed at its revision
  kWatchVersions,      // its creation revision and version are right
  kWatchCreation,      // an event is called a creation exactly if it is one
  kWatchPrevious,      // the previous value of the key is right
  kWatchFiltered,      // only keys that were requested
  kWatchOrdered,       // revisions ascend; within one, as in its write
  kWatchUnique,        // no event twice
  kWatchAtomic,        // all of a revision in one response
  kWatchReliable,      // no gap between the events seen
  kWatchResumable,     // no gap and no repetition where it began
  kWatchBookmarkable,  // no event up to a bookmark comes after it, or is missing before it
};

inline constexpr size_t kPropertyCount = static_cast<size_t>(Property::kWatchBookmarkable) + 1;

/// "watch.reliable"
std::string_view PropertyName(Property property);

struct Finding {
  Property property = Property::kHistory;
  std::string text;  // operations and events by name: "#17 get of client 2 …"
};

struct Limits {
  /// Limits of the arrangements of unknown writes that are tried, and of the steps of the search
  /// for an order of one key.
  size_t steps_max = 100'000;
  size_t findings_max = 20;
};

struct Report {
  std::vector<Finding> findings;
  /// Checks that reached a limit; empty if there are none.
  std::vector<std::string> undecided;
  size_t steps = 0;

  bool is_sound() const { return findings.empty() && undecided.empty(); }
  /// Notes a finding, unless there are as many as `limits` allows.
  void Add(const Limits& limits, Property property, std::string text) {
    if (findings.size() < limits.findings_max) findings.push_back({property, std::move(text)});
  }
};

/// A line for each finding; "sound" if there is none.
std::string ToText(const Report& report);

}  // namespace dray::history
