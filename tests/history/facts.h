// SPDX-License-Identifier: Apache-2.0
// The claims of answers and events about a key at a revision, and whether they are true.
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

/// One statement about a key, from an answer or an event. Points into the history.
struct Fact {
  enum class Claim : uint8_t {
    kHolds,          // it holds `item`
    kHeld,           // it had the value `item`, whose `modified` is that of its deletion
    kAbsent,         // it is absent
    kPresent,        // it is not
    kModifiedAt,     // it was modified last at `modified`; 0: it is absent
    kNotModifiedAt,  // it was not
    kPutAt,          // exactly `at`, `item` was put
    kDeletedAt,      // exactly at `at`, it was deleted
    kMayExpire,      // its value may expire
    kUnchangedAt,    // exactly at `at`, nothing happened to it
  };

  Revision at{};  // in the state after this revision
  Claim claim = Claim::kHolds;
  const Item* item = nullptr;
  Revision modified{};
  Property property = Property::kRead;
  const Operation* operation = nullptr;  // the operation whose answer made the claim,
  const Watch* watch = nullptr;          // or the watch, with
  const Event* event = nullptr;          // this event
  bool is_dropped = false;               // reported, and ignored from now on
};

/// By key, ascending by revision.
using Facts = std::map<std::string, std::vector<Fact>, std::less<>>;

/// All facts of `history` that have a revision. Keys without facts are there too.
Facts FactsOf(const History& history);

/// The range of keys that a list covers: from the first requested key to the last one in the
/// answer.
struct Window {
  std::string_view prefix;
  std::string_view first;
  std::optional<std::string_view> last;  // the list does not cover keys after it
  bool Has(std::string_view key) const {
    return key.starts_with(prefix) && key >= first && (!last.has_value() || key <= *last);
  }
};

/// The range that a list with the answer `seen` covers.
Window WindowOf(const List& list, const Seen& seen);

/// Why a fact is false.
struct Falsehood {
  Property property = Property::kRead;
  std::string text;
};

/// Whether `fact` holds of the key with this timeline.
std::optional<Falsehood> Judge(std::string_view key, const Fact& fact, const Timeline& timeline);

/// The same without a text.
bool Holds(const Fact& fact, const Timeline& timeline);

}  // namespace dray::history
