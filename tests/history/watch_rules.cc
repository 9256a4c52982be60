// SPDX-License-Identifier: Apache-2.0
#include "tests/history/watch_rules.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/strong.h"
#include "tests/history/arrangement.h"
#include "tests/history/describe.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/timeline.h"

namespace dray::history {
namespace {

/// Findings of one watch: only the first of each property, so that one error is not reported a
/// hundred times.
class Complaints {
 public:
  Complaints(const Watch& watch, const Limits& limits, Report& report)
      : watch_(watch), limits_(limits), report_(report) {}

  void Add(Property property, const std::string& text) {
    if (!reported_.insert(property).second) return;
    report_.Add(limits_, property, Name(watch_) + ": " + text);
  }

 private:
  const Watch& watch_;
  const Limits& limits_;
  Report& report_;
  std::set<Property> reported_;
};

/// Goes through the responses in order.
class Sequence {
 public:
  Sequence(const Watch& watch, Complaints& complaints) : watch_(watch), complaints_(complaints) {}

  void Follow(const Response& response) {
    for (const Event& event : response.events) {
      if (IsNew(event)) Place(event, response);
    }
    if (response.through.value() == 0) return;
    if (response.through < std::max(newest_, bookmark_)) {
      complaints_.Add(Property::kWatchBookmarkable,
                      fmt::format("the bookmark {} comes after revision {}",
                                  response.through.value(),
                                  std::max(newest_, bookmark_).value()));
    }
    bookmark_ = std::max(bookmark_, response.through);
  }

 private:
  /// Whether the event may be here at all.
  bool IsNew(const Event& event) {
    const Revision at = event.item.modified;
    if (!event.item.key.starts_with(watch_.prefix)) {
      complaints_.Add(Property::kWatchFiltered, Describe(event) + " was not asked for");
    }
    if (watch_.shows_previous && event.kind != Event::Kind::kCreated && !event.previous) {
      complaints_.Add(Property::kWatchPrevious, Describe(event) + " comes without previous value");
    }
    if (at <= watch_.after) {
      complaints_.Add(Property::kWatchResumable,
                      fmt::format("{} of revision {} comes again", Describe(event), at.value()));
      return false;
    }
    if (!seen_.insert({at, event.item.key}).second) {
      complaints_.Add(Property::kWatchUnique,
                      fmt::format("{} of revision {} comes twice", Describe(event), at.value()));
      return false;
    }
    return true;
  }

  void Place(const Event& event, const Response& response) {
    const Revision at = event.item.modified;
    if (at <= bookmark_) {
      complaints_.Add(Property::kWatchBookmarkable,
                      fmt::format("{} of revision {} comes after the bookmark {}",
                                  Describe(event),
                                  at.value(),
                                  bookmark_.value()));
    }
    if (at < newest_) {
      complaints_.Add(Property::kWatchOrdered,
                      fmt::format("{} of revision {} comes after one of revision {}",
                                  Describe(event),
                                  at.value(),
                                  newest_.value()));
    }
    if (at == newest_ && newest_in_ != &response) {
      complaints_.Add(Property::kWatchAtomic,
                      fmt::format("the events of revision {} come in two responses, {} in the "
                                  "second",
                                  at.value(),
                                  Describe(event)));
    }
    if (at > newest_) {
      newest_ = at;
      newest_in_ = &response;
    }
  }

  const Watch& watch_;
  Complaints& complaints_;
  std::set<std::pair<Revision, std::string_view>> seen_;
  Revision newest_{};
  const Response* newest_in_ = nullptr;
  Revision bookmark_{};
};

/// The events that came: at each revision, the keys in their order.
using Events = std::map<Revision, std::vector<std::string_view>>;

Events EventsOf(const Watch& watch) {
  Events reported;
  for (const Response& response : watch.responses) {
    for (const Event& event : response.events)
      reported[event.item.modified].push_back(event.item.key);
  }
  return reported;
}

struct Missing {
  Revision at{};
  std::string text;
};

/// The expected events that did not come, by revision.
std::vector<Missing> MissingFrom(const Watch& watch,
                                 const Events& reported,
                                 const Arrangement& arrangement) {
  std::vector<Missing> missing;
  const Revision end = CompleteThrough(watch);
  for (const std::string& key : arrangement.Keys()) {
    if (!key.starts_with(watch.prefix)) continue;
    for (const Version& version : arrangement.TimelineOf(key).versions()) {
      if (version.by == nullptr || version.at <= watch.after || version.at > end) continue;
      const auto at = reported.find(version.at);
      if (at != reported.end() && std::ranges::find(at->second, key) != at->second.end()) continue;
      missing.push_back({.at = version.at,
                         .text = fmt::format("{} at revision {}, by {}",
                                             Describe(key, version.item),
                                             version.at.value(),
                                             Describe(*version.by))});
    }
  }
  std::ranges::sort(missing, {}, &Missing::at);
  return missing;
}

Property KindOf(const Missing& missing, const Events& reported) {
  if (reported.contains(missing.at)) return Property::kWatchAtomic;
  if (reported.empty() || missing.at > reported.rbegin()->first)
    return Property::kWatchBookmarkable;
  return missing.at < reported.begin()->first ? Property::kWatchResumable
                                              : Property::kWatchReliable;
}

std::string_view Saying(Property property) {
  if (property == Property::kWatchAtomic)
    return "only a part of this revision was reported; missing is";
  if (property == Property::kWatchBookmarkable) return "a bookmark says it is complete; missing is";
  return property == Property::kWatchResumable ? "between the start and the first event is missing"
                                               : "between two events is missing";
}

/// Events of one revision come in the order in which their write names the keys.
void CheckOrderInWrite(const Events& reported,
                       const Arrangement& arrangement,
                       Complaints& complaints) {
  for (const auto& [at, keys] : reported) {
    const auto writers = arrangement.writers().find(at);
    if (writers == arrangement.writers().end() || writers->second.size() != 1) continue;
    // If several writes with unknown outcome do the same, another one may have this place.
    if (std::holds_alternative<Unknown>(writers->second[0]->answer)) continue;
    const auto& changes = std::get<Write>(writers->second[0]->request).changes;
    const auto place = [&](std::string_view key) {
      return std::ranges::find(changes, key, &Change::key) - changes.begin();
    };
    const auto wrong = std::ranges::adjacent_find(
        keys, [&](std::string_view a, std::string_view b) { return place(a) > place(b); });
    if (wrong == keys.end()) continue;
    complaints.Add(Property::kWatchOrdered,
                   fmt::format("in revision {}, {} comes before {}, unlike in {}",
                               at.value(),
                               wrong[0],
                               wrong[1],
                               Describe(*writers->second[0])));
  }
}

}  // namespace

Revision CompleteThrough(const Watch& watch) {
  Revision end = watch.after;
  for (const Response& response : watch.responses) {
    end = std::max(end, response.through);
    for (const Event& event : response.events) end = std::max(end, event.item.modified);
  }
  return end;
}

void CheckSequence(const Watch& watch, const Limits& limits, Report& report) {
  Complaints complaints(watch, limits, report);
  Sequence sequence(watch, complaints);
  for (const Response& response : watch.responses) sequence.Follow(response);
}

void CheckCompleteness(const Watch& watch,
                       const Arrangement& arrangement,
                       const Limits& limits,
                       Report& report) {
  Complaints complaints(watch, limits, report);
  const Events reported = EventsOf(watch);
  for (const Missing& missing : MissingFrom(watch, reported, arrangement)) {
    const Property property = KindOf(missing, reported);
    complaints.Add(property, fmt::format("{} {}", Saying(property), missing.text));
  }
  CheckOrderInWrite(reported, arrangement, complaints);
}

}  // namespace dray::history
