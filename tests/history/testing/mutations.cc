// SPDX-License-Identifier: Apache-2.0
// One way to break each guarantee, at a random place of a history that keeps them all.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/strong.h"
#include "base/world.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/real_time.h"
#include "tests/history/testing/model_history.h"
#include "tests/history/watch_rules.h"

namespace dray::history::testing {
namespace {

/// One of `places`, by chance; null if there is none.
template <class Place>
Place* AnyOf(std::vector<Place>& places, Random& random) {
  return places.empty() ? nullptr : &places[random.Next() % places.size()];
}

struct EventPlace {
  Watch* watch = nullptr;
  size_t response = 0;
  size_t event = 0;
  Response& in() const { return watch->responses[response]; }
  Event& what() const { return in().events[event]; }
  Revision at() const { return what().item.modified; }
};

/// The events of all watches for which `is_fit` holds.
template <class IsFit>
std::optional<EventPlace> AnyEvent(History& history, Random& random, const IsFit& is_fit) {
  std::vector<EventPlace> places;
  for (Watch& watch : history.watches) {
    for (size_t r = 0; r < watch.responses.size(); ++r) {
      for (size_t e = 0; e < watch.responses[r].events.size(); ++e) {
        const EventPlace place{.watch = &watch, .response = r, .event = e};
        if (is_fit(place)) places.push_back(place);
      }
    }
  }
  const EventPlace* any = AnyOf(places, random);
  return any == nullptr ? std::nullopt : std::optional(*any);
}

template <class IsFit>
Operation* AnyOperation(History& history, Random& random, const IsFit& is_fit) {
  std::vector<Operation*> places;
  for (Operation& operation : history.operations) {
    if (is_fit(operation)) places.push_back(&operation);
  }
  Operation** any = AnyOf(places, random);
  return any == nullptr ? nullptr : *any;
}

bool HasRevisionBefore(const Watch& watch, const Response& response, Revision at) {
  for (const Response& other : watch.responses) {
    for (const Event& event : other.events) {
      if (event.item.modified == at) return true;
    }
    if (&other == &response) break;
  }
  return false;
}

/// Whether an answer acknowledged the write that made this revision; otherwise the write may not
/// have happened at all.
bool IsAcknowledged(const History& history, Revision at) {
  return std::ranges::any_of(history.operations, [&](const Operation& operation) {
    return ChangedSomething(operation) && std::get<Done>(operation.answer).revision == at;
  });
}

bool LoseEvent(History& history, Random& random) {
  const auto place = AnyEvent(history, random, [&](const EventPlace& p) {
    if (!IsAcknowledged(history, p.at())) return false;
    Watch rest = *p.watch;
    auto& events = rest.responses[p.response].events;
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(p.event));
    return CompleteThrough(rest) >= p.at();
  });
  if (!place.has_value()) return false;
  auto& events = place->in().events;
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(place->event));
  return true;
}

bool RepeatEvent(History& history, Random& random) {
  const auto place = AnyEvent(history, random, [](const EventPlace&) { return true; });
  if (!place.has_value()) return false;
  const Event event = place->what();
  place->watch->responses.push_back(
      {.received = place->watch->responses.back().received + 1, .events = {event}});
  return true;
}

bool SwapEvents(History& history, Random& random) {
  std::vector<std::pair<Event*, Event*>> neighbours;
  for (Watch& watch : history.watches) {
    Event* last = nullptr;
    for (Response& response : watch.responses) {
      for (Event& event : response.events) {
        if (last != nullptr && last->item.modified != event.item.modified)
          neighbours.emplace_back(last, &event);
        last = &event;
      }
    }
  }
  const auto* pair = AnyOf(neighbours, random);
  if (pair == nullptr) return false;
  std::swap(*pair->first, *pair->second);
  return true;
}

bool SplitRevision(History& history, Random& random) {
  const auto place = AnyEvent(history, random, [](const EventPlace& p) {
    return p.event > 0 && p.in().events[p.event - 1].item.modified == p.at();
  });
  if (!place.has_value()) return false;
  Response& whole = place->in();
  const auto middle = whole.events.begin() + static_cast<std::ptrdiff_t>(place->event);
  const Response second{.received = whole.received + 1,
                        .events = {middle, whole.events.end()},
                        .through = whole.through};
  whole.through = Revision{};
  whole.events.erase(middle, whole.events.end());
  auto& responses = place->watch->responses;
  responses.insert(responses.begin() + static_cast<std::ptrdiff_t>(place->response) + 1, second);
  return true;
}

bool FalsifyPrevious(History& history, Random& random) {
  const auto place =
      AnyEvent(history, random, [](const EventPlace& p) { return p.what().previous.has_value(); });
  if (!place.has_value()) return false;
  if (auto& previous = place->what().previous; previous.has_value()) previous->value += "?";
  return true;
}

bool FlipCreation(History& history, Random& random) {
  const auto place = AnyEvent(
      history, random, [](const EventPlace& p) { return p.what().kind == Event::Kind::kCreated; });
  if (!place.has_value()) return false;
  place->what().kind = Event::Kind::kUpdated;
  return true;
}

bool FalsifyVersion(History& history, Random& random) {
  const auto place = AnyEvent(history, random, [](const EventPlace&) { return true; });
  if (!place.has_value()) return false;
  ++place->what().item.version;
  return true;
}

bool BookmarkEarly(History& history, Random& random) {
  const auto place = AnyEvent(history, random, [](const EventPlace& p) {
    return p.response > 0 &&
           !HasRevisionBefore(*p.watch, p.watch->responses[p.response - 1], p.at());
  });
  if (!place.has_value()) return false;
  place->watch->responses[place->response - 1].through = place->at();
  return true;
}

bool RepeatAfterReconnect(History& history, Random& random) {
  std::vector<std::pair<Watch*, const Event*>> places;
  for (Watch& later : history.watches) {
    if (later.responses.empty()) continue;
    for (const Watch& earlier : history.watches) {
      for (const Response& response : earlier.responses) {
        for (const Event& event : response.events) {
          if (event.item.modified <= later.after && event.item.key.starts_with(later.prefix))
            places.emplace_back(&later, &event);
        }
      }
    }
  }
  const auto* place = AnyOf(places, random);
  if (place == nullptr) return false;
  const Event event = *place->second;
  auto& events = place->first->responses.front().events;
  events.insert(events.begin(), event);
  return true;
}

bool NarrowPrefix(History& history, Random& random) {
  const auto place = AnyEvent(history, random, [](const EventPlace& p) { return p.event > 0; });
  if (!place.has_value()) return false;
  const std::string key = place->what().item.key;
  const std::string other = place->in().events[0].item.key;
  if (other.starts_with(key)) return false;
  place->watch->prefix = key;
  return true;
}

bool AnswerFromThePast(History& history, Random& random) {
  const std::vector<SeenBefore> reported = SeenBeforeCalls(history);
  std::vector<std::pair<Operation*, Seen>> places;
  for (size_t i = 0; i < history.operations.size(); ++i) {
    const auto* get = std::get_if<Get>(&history.operations[i].request);
    if (get == nullptr || get->freshness != Freshness::kLinearizable) continue;
    for (const Operation& other : history.operations) {
      const auto* seen = std::get_if<Seen>(&other.answer);
      const auto* asked = std::get_if<Get>(&other.request);
      if (seen == nullptr || asked == nullptr || asked->key != get->key) continue;
      if (seen->revision.value() != 0 && seen->revision < reported[i].anybody.revision)
        places.emplace_back(&history.operations[i], *seen);
    }
  }
  const auto* place = AnyOf(places, random);
  if (place == nullptr) return false;
  place->first->answer = place->second;
  return true;
}

/// The value of a key before `item` was written, if a watch has reported it.
std::optional<Item> PreviousOf(const History& history, const Item& item) {
  for (const Watch& watch : history.watches) {
    for (const Response& response : watch.responses) {
      for (const Event& event : response.events) {
        if (event.item == item && event.previous.has_value()) return event.previous;
      }
    }
  }
  return std::nullopt;
}

/// A read does not show the last write of a key but the one before.
bool HideWrite(History& history, Random& random) {
  std::vector<std::pair<Item*, Item>> places;
  for (Operation& operation : history.operations) {
    auto* seen = std::get_if<Seen>(&operation.answer);
    if (seen == nullptr || seen->revision.value() == 0) continue;  // it may have been earlier
    for (Item& item : seen->items) {
      if (const auto previous = PreviousOf(history, item)) places.emplace_back(&item, *previous);
    }
  }
  const auto* place = AnyOf(places, random);
  if (place == nullptr) return false;
  *place->first = place->second;
  return true;
}

bool FalsifyRead(History& history, Random& random) {
  Operation* operation = AnyOperation(history, random, [](const Operation& o) {
    const auto* seen = std::get_if<Seen>(&o.answer);
    return seen != nullptr && !seen->items.empty();
  });
  if (operation == nullptr) return false;
  std::get<Seen>(operation->answer).items.back().value += "?";
  return true;
}

bool FalsifyCount(History& history, Random& random) {
  Operation* operation = AnyOperation(history, random, [](const Operation& o) {
    const auto* seen = std::get_if<Seen>(&o.answer);
    return seen != nullptr && seen->count.has_value();
  });
  if (operation == nullptr) return false;
  auto& count = std::get<Seen>(operation->answer).count;
  count = count.value_or(0) + 100;  // more than the unknown outcomes allow
  return true;
}

bool DisownWrite(History& history, Random& random) {
  const auto place = AnyEvent(
      history, random, [](const EventPlace& p) { return p.what().kind != Event::Kind::kDeleted; });
  if (!place.has_value()) return false;
  for (Operation& operation : history.operations) {
    const auto* done = std::get_if<Done>(&operation.answer);
    if (done == nullptr || done->revision != place->at() || !ChangedSomething(operation)) continue;
    operation.answer = Failed{.reason = "it never happened"};
    return true;
  }
  return false;
}

bool ReuseRevision(History& history, Random& random) {
  const auto is_write = [](const Operation& operation) { return ChangedSomething(operation); };
  const Operation* first = AnyOperation(history, random, is_write);
  Operation* second = AnyOperation(history, random, is_write);
  if (first == second) return false;
  std::get<Done>(second->answer).revision = std::get<Done>(first->answer).revision;
  return true;
}

bool SplitTransaction(History& history, Random& random) {
  Operation* operation = AnyOperation(history, random, [](const Operation& o) {
    const auto* done = std::get_if<Done>(&o.answer);
    return done != nullptr && done->items.size() > 1 && done->items[1].has_value() &&
           std::get<Write>(o.request).changes[1].value.has_value();
  });
  if (operation == nullptr) return false;
  std::optional<Item>& item = std::get<Done>(operation->answer).items[1];
  if (item.has_value()) item->modified = Revision{item->modified.value() + 1};
  return true;
}

bool RefuseForNothing(History& history, Random& random) {
  Operation* operation = AnyOperation(history, random, [](const Operation& o) {
    return std::holds_alternative<Refused>(o.answer);
  });
  if (operation == nullptr) return false;
  const auto& mismatches = std::get<Refused>(operation->answer).mismatches;
  auto& conditions = std::get<Write>(operation->request).conditions;
  for (Condition& condition : conditions) {
    for (const Refused::Mismatch& mismatch : mismatches) {
      if (mismatch.key != condition.key) continue;
      condition.modified = mismatch.current.has_value() ? mismatch.current->modified : Revision{};
    }
  }
  return true;
}

/// A write that was never carried out is acknowledged, and later reads do not show it.
bool AcknowledgeLost(History& history, Random& random) {
  Revision newest = history.first;
  for (const Operation& operation : history.operations) {
    if (const auto* done = std::get_if<Done>(&operation.answer))
      newest = std::max(newest, done->revision);
  }
  const auto is_put = [](const Operation& o) {
    const auto* refused = std::get_if<Refused>(&o.answer);
    return refused != nullptr && std::get<Write>(o.request).changes[0].value.has_value();
  };
  Operation* operation = AnyOperation(history, random, is_put);
  if (operation == nullptr) return false;
  const bool is_read_later = std::ranges::any_of(history.operations, [&](const Operation& o) {
    const auto* get = std::get_if<Get>(&o.request);
    const auto* seen = std::get_if<Seen>(&o.answer);
    return get != nullptr && seen != nullptr && get->freshness == Freshness::kLinearizable &&
           seen->revision.value() != 0 && o.called > operation->returned;
  });
  if (!is_read_later) return false;
  std::get<Write>(operation->request).conditions.clear();
  operation->answer = Done{.revision = Revision{newest.value() + 100}, .items = {}};
  return true;
}

}  // namespace

std::vector<Mutation> AllMutations() {
  return {
      {"lose an event",
       {Property::kWatchAtomic,
        Property::kWatchReliable,
        Property::kWatchResumable,
        Property::kWatchBookmarkable},
       LoseEvent},
      {"repeat an event", {Property::kWatchUnique}, RepeatEvent},
      {"swap two events", {Property::kWatchOrdered}, SwapEvents},
      {"split a revision", {Property::kWatchAtomic}, SplitRevision},
      {"falsify a previous value", {Property::kWatchPrevious}, FalsifyPrevious},
      {"call a creation an update", {Property::kWatchCreation}, FlipCreation},
      {"falsify a version", {Property::kWatchVersions}, FalsifyVersion},
      {"bookmark too early", {Property::kWatchBookmarkable}, BookmarkEarly},
      {"repeat after a reconnect", {Property::kWatchResumable}, RepeatAfterReconnect},
      {"show what was not asked for", {Property::kWatchFiltered}, NarrowPrefix},
      {"answer from the past", {Property::kRealTime}, AnswerFromThePast},
      {"hide a write", {Property::kRead}, HideWrite},
      {"falsify a read", {Property::kRead, Property::kLinearizable}, FalsifyRead},
      {"falsify a count", {Property::kRead}, FalsifyCount},
      {"disown a write", {Property::kWatchCommitted}, DisownWrite},
      {"reuse a revision", {Property::kRevisionOnce}, ReuseRevision},
      {"split a transaction", {Property::kCommitAnswer}, SplitTransaction},
      {"refuse for nothing", {Property::kConditions}, RefuseForNothing},
      {"acknowledge what is lost", {Property::kRealTime}, AcknowledgeLost},
  };
}

}  // namespace dray::history::testing
