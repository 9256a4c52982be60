// SPDX-License-Identifier: Apache-2.0
// What answers and events say about single keys at single revisions, and whether it is so.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/timeline.h"

namespace dray::history {

/// One thing that somebody was told about a key. Points into the history.
struct Fact {
  enum class Claim : uint8_t {
    kHolds,          // it holds `item`
    kHeld,           // it holds `item`, whose `modified` is that of its deletion
    kAbsent,         // it is absent
    kPresent,        // it is not
    kModifiedAt,     // it was modified last at `modified`; 0: it is absent
    kNotModifiedAt,  // it was not
    kPutAt,          // exactly `at`, `item` was put
    kDeletedAt,      // exactly at `at`, it was deleted
    kMayExpire,      // what it holds may expire
    kUnchangedAt,    // exactly at `at`, nothing happened to it
  };

  Revision at{};  // in the state after this revision
  Claim claim = Claim::kHolds;
  const Item* item = nullptr;
  Revision modified{};
  Property property = Property::kRead;
  const Operation* operation = nullptr;  // who was told: an operation,
  const Watch* watch = nullptr;          // or a watch, by
  const Event* event = nullptr;          // this event
  bool is_dropped = false;               // reported: not to be asked again
};

/// By key, ascending by revision.
using Facts = std::map<std::string, std::vector<Fact>, std::less<>>;

/// All that `history` says and that its revisions place. Keys without facts are there too.
Facts FactsOf(const History& history);

/// The keys between which a list answers: from the first it asked for to the last it can know of.
struct Window {
  std::string_view prefix;
  std::string_view first;
  std::optional<std::string_view> last;  // beyond it the list says nothing
  bool Has(std::string_view key) const {
    return key.starts_with(prefix) && key >= first && (!last.has_value() || key <= *last);
  }
};

/// What a list that was answered by `seen` speaks of.
Window WindowOf(const List& list, const Seen& seen);

/// A fact that is not so.
struct Falsehood {
  Property property = Property::kRead;
  std::string text;
};

/// Whether `fact` holds of the key with this timeline.
std::optional<Falsehood> Judge(std::string_view key, const Fact& fact, const Timeline& timeline);

/// The same without words.
bool Holds(const Fact& fact, const Timeline& timeline);

}  // namespace dray::history
