// SPDX-License-Identifier: Apache-2.0
#include "tests/history/reads.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "base/strong.h"
#include "tests/history/arrangement.h"
#include "tests/history/describe.h"
#include "tests/history/facts.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/timeline.h"

namespace dray::history {
namespace {

/// "" if the items are those that the answer may have, in order.
std::string WrongItems(const List& list, const Seen& seen) {
  if (list.limit > 0 && seen.items.size() > list.limit)
    return fmt::format("has {} keys", seen.items.size());
  for (size_t i = 0; i < seen.items.size(); ++i) {
    const std::string& key = seen.items[i].key;
    if (!key.starts_with(list.prefix) || key < list.start_key)
      return fmt::format("has {}, which was not asked for", key);
    if (i > 0 && key <= seen.items[i - 1].key)
      return fmt::format("{} comes after {}", key, seen.items[i - 1].key);
  }
  return "";
}

/// A key that the list does not show, and that a write of unknown outcome may have changed, may be
/// there or not.
std::string WrongCount(const List& list, const Seen& seen, const Arrangement& arrangement) {
  const bool is_reported = seen.count.has_value() && seen.revision.value() != 0;
  if (!is_reported || !arrangement.is_decided()) return "";
  const Window window = WindowOf(list, seen);
  size_t count = 0;
  size_t uncertain = 0;
  for (const std::string& key : arrangement.Keys()) {
    if (!key.starts_with(list.prefix) || key < list.start_key) continue;
    const Version* state = arrangement.TimelineOf(key).At(seen.revision);
    if (state == nullptr) return "";
    if (!window.Has(key) && arrangement.IsUncertain(key, seen.revision)) {
      ++uncertain;
    } else {
      count += state->item.has_value() ? 1 : 0;
    }
  }
  if (*seen.count >= count && *seen.count <= count + uncertain) return "";
  return fmt::format("counts {} keys, but there are {}", *seen.count, count);
}

std::string WrongRevision(Freshness freshness, Revision at, const Seen& seen) {
  if (freshness != Freshness::kExact || seen.revision.value() == 0 || seen.revision == at)
    return "";
  return fmt::format("was to be of revision {} and is of {}", at.value(), seen.revision.value());
}

}  // namespace

void CheckReads(const History& history,
                const Arrangement& arrangement,
                const Limits& limits,
                Report& report) {
  for (const Operation& operation : history.operations) {
    const auto* seen = std::get_if<Seen>(&operation.answer);
    if (seen == nullptr) continue;
    std::string wrong;
    if (const auto* get = std::get_if<Get>(&operation.request)) {
      wrong = WrongRevision(get->freshness, get->at, *seen);
      if (seen->items.size() > 1) wrong = "has more than one key";
    } else if (const auto* list = std::get_if<List>(&operation.request)) {
      wrong = WrongRevision(list->freshness, list->at, *seen);
      if (wrong.empty()) wrong = WrongItems(*list, *seen);
      if (wrong.empty()) wrong = WrongCount(*list, *seen, arrangement);
    }
    if (!wrong.empty()) report.Add(limits, Property::kRead, Describe(operation) + " " + wrong);
  }
}

}  // namespace dray::history
