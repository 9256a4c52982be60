// SPDX-License-Identifier: Apache-2.0
#include "tests/history/facts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/strong.h"
#include "tests/history/describe.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/timeline.h"

namespace dray::history {
namespace {

Revision Before(Revision revision) {
  return Revision{revision.value() - 1};
}

class Collector {
 public:
  Facts Collect(const History& history) {
    for (const Item& item : history.held) facts_[item.key];
    for (const Operation& operation : history.operations) OfOperation(operation);
    for (const Watch& watch : history.watches) OfWatch(watch);
    for (const Operation* list : lists_) Absences(*list);  // once all keys are known
    for (auto& [key, facts] : facts_) std::ranges::sort(facts, {}, &Fact::at);
    return std::move(facts_);
  }

 private:
  void Add(const std::string& key, Fact fact) { facts_[key].push_back(fact); }

  void OfOperation(const Operation& operation) {
    if (const auto* write = std::get_if<Write>(&operation.request)) {
      for (const Change& change : write->changes) facts_[change.key];
      if (const auto* done = std::get_if<Done>(&operation.answer)) OfDone(operation, *write, *done);
      if (const auto* refused = std::get_if<Refused>(&operation.answer))
        OfRefused(operation, *write, *refused);
      return;
    }
    if (const auto* seen = std::get_if<Seen>(&operation.answer)) OfSeen(operation, *seen);
  }

  void OfDone(const Operation& operation, const Write& write, const Done& done) {
    const bool is_new = ChangedAnything(write, done);
    const Revision before = is_new ? Before(done.revision) : done.revision;
    for (const Condition& condition : write.conditions) {
      Add(condition.key,
          {.at = before,
           .claim = Fact::Claim::kModifiedAt,
           .modified = condition.modified,
           .property = Property::kConditions,
           .operation = &operation});
    }
    for (size_t i = 0; i < done.items.size() && i < write.changes.size(); ++i) {
      const std::string& key = write.changes[i].key;
      Fact fact{.at = before,
                .claim = Fact::Claim::kAbsent,
                .property = Property::kCommitAnswer,
                .operation = &operation};
      if (const std::optional<Item>& item = done.items[i]; item.has_value()) {
        const bool is_put = write.changes[i].value.has_value();
        fact.item = &*item;
        fact.claim = is_put ? Fact::Claim::kHolds : Fact::Claim::kHeld;
        if (is_put) fact.at = done.revision;
      }
      Add(key, fact);
    }
  }

  static bool ChangedAnything(const Write& write, const Done& done) {
    for (size_t i = 0; i < write.changes.size(); ++i) {
      if (write.changes[i].value.has_value() || done.items.size() <= i || done.items[i].has_value())
        return true;
    }
    return false;
  }

  void OfRefused(const Operation& operation, const Write& write, const Refused& refused) {
    if (refused.revision.value() == 0 || refused.mismatches.empty()) return;
    for (const Condition& condition : write.conditions) {
      const auto found =
          std::ranges::find(refused.mismatches, condition.key, &Refused::Mismatch::key);
      const bool is_met = found == refused.mismatches.end();
      Add(condition.key,
          {.at = refused.revision,
           .claim = is_met ? Fact::Claim::kModifiedAt : Fact::Claim::kNotModifiedAt,
           .modified = condition.modified,
           .property = Property::kConditions,
           .operation = &operation});
    }
    for (const Refused::Mismatch& mismatch : refused.mismatches)
      Holding(operation, refused.revision, mismatch.key, mismatch.current, Property::kConditions);
  }

  void Holding(const Operation& operation,
               Revision at,
               const std::string& key,
               const std::optional<Item>& item,
               Property property) {
    Add(key,
        {.at = at,
         .claim = item.has_value() ? Fact::Claim::kHolds : Fact::Claim::kAbsent,
         .item = item.has_value() ? &*item : nullptr,
         .property = property,
         .operation = &operation});
  }

  void OfSeen(const Operation& operation, const Seen& seen) {
    for (const Item& item : seen.items) {
      facts_[item.key];
      if (seen.revision.value() == 0) continue;
      Add(item.key,
          {.at = seen.revision,
           .claim = Fact::Claim::kHolds,
           .item = &item,
           .property = Property::kRead,
           .operation = &operation});
    }
    if (seen.revision.value() == 0) return;
    if (const auto* get = std::get_if<Get>(&operation.request)) {
      if (seen.items.empty()) Absent(operation, seen, get->key);
    } else {
      lists_.push_back(&operation);
    }
  }

  void Absent(const Operation& operation, const Seen& seen, const std::string& key) {
    Add(key,
        {.at = seen.revision,
         .claim = Fact::Claim::kAbsent,
         .property = Property::kRead,
         .operation = &operation});
  }

  void Absences(const Operation& operation) {
    const auto& list = std::get<List>(operation.request);
    const auto& seen = std::get<Seen>(operation.answer);
    const Window window = WindowOf(list, seen);
    for (auto at = facts_.lower_bound(std::max(window.prefix, window.first)); at != facts_.end();
         ++at) {
      if (!window.Has(at->first)) break;
      if (!std::ranges::binary_search(seen.items, at->first, {}, &Item::key))
        Absent(operation, seen, at->first);
    }
  }

  void OfWatch(const Watch& watch) {
    for (const Response& response : watch.responses) {
      for (const Event& event : response.events) OfEvent(watch, event);
    }
  }

  void OfEvent(const Watch& watch, const Event& event) {
    const Revision at = event.item.modified;
    const bool is_gone = event.kind == Event::Kind::kDeleted;
    Fact fact{.at = at,
              .claim = is_gone ? Fact::Claim::kDeletedAt : Fact::Claim::kPutAt,
              .item = &event.item,
              .property = Property::kWatchCommitted,
              .watch = &watch,
              .event = &event};
    Add(event.item.key, fact);
    fact.at = Before(at);
    if (is_gone) {
      fact.claim = Fact::Claim::kHeld;
    } else {
      fact.claim =
          event.kind == Event::Kind::kCreated ? Fact::Claim::kAbsent : Fact::Claim::kPresent;
      fact.property = Property::kWatchCreation;
    }
    Add(event.item.key, fact);
    if (!event.previous.has_value()) return;
    fact.claim = Fact::Claim::kHolds;
    fact.item = &*event.previous;
    fact.property = Property::kWatchPrevious;
    Add(event.item.key, fact);
  }

  Facts facts_;
  std::vector<const Operation*> lists_;
};

enum class Differs : uint8_t { kNothing, kValue, kVersions };

/// Whether the reported value equals the actual one, as far as it was reported.
Differs Compare(const Item& reported, const Item& is, Fact::Claim claim) {
  const auto differ = [](auto a, auto b) {
    return a != decltype(a){} && b != decltype(b){} && a != b;
  };
  if (reported.value != is.value) return Differs::kValue;
  if (claim != Fact::Claim::kHeld && differ(reported.modified, is.modified)) return Differs::kValue;
  const bool is_same =
      !differ(reported.created, is.created) && !differ(reported.version, is.version);
  return is_same ? Differs::kNothing : Differs::kVersions;
}

/// How `fact` and the state before or at it differ.
Differs Difference(const Fact& fact, const Timeline& timeline, const Version& state) {
  const auto differs = [](bool is_different) {
    return is_different ? Differs::kValue : Differs::kNothing;
  };
  const Revision modified = state.item.has_value() ? state.item->modified : Revision{};
  switch (fact.claim) {
    case Fact::Claim::kHolds:
    case Fact::Claim::kHeld:
      return state.item.has_value() ? Compare(*fact.item, *state.item, fact.claim)
                                    : Differs::kValue;
    case Fact::Claim::kAbsent: return differs(state.item.has_value());
    case Fact::Claim::kPresent: return differs(!state.item.has_value());
    case Fact::Claim::kModifiedAt: return differs(modified != fact.modified);
    case Fact::Claim::kNotModifiedAt: return differs(modified == fact.modified);
    case Fact::Claim::kPutAt: {
      const Version* changed = timeline.ChangedAt(fact.at);
      if (changed == nullptr || !changed->item.has_value()) return Differs::kValue;
      return Compare(*fact.item, *changed->item, fact.claim);
    }
    case Fact::Claim::kDeletedAt: {
      const Version* changed = timeline.ChangedAt(fact.at);
      return differs(changed == nullptr || changed->item.has_value());
    }
    case Fact::Claim::kMayExpire: return differs(!state.item.has_value() || !state.may_expire);
    case Fact::Claim::kUnchangedAt: return differs(timeline.ChangedAt(fact.at) != nullptr);
  }
  return Differs::kNothing;
}

std::string Saying(std::string_view key, const Fact& fact) {
  switch (fact.claim) {
    case Fact::Claim::kHolds: return Describe(*fact.item);
    case Fact::Claim::kHeld: return "deleted was " + Describe(*fact.item);
    case Fact::Claim::kAbsent: return fmt::format("{} absent", key);
    case Fact::Claim::kPresent: return fmt::format("{} present", key);
    case Fact::Claim::kModifiedAt:
      return fact.modified.value() == 0 ? fmt::format("{} absent", key)
                                        : fmt::format("{}@{}", key, fact.modified.value());
    case Fact::Claim::kNotModifiedAt:
      return fact.modified.value() == 0 ? fmt::format("{} present", key)
                                        : fmt::format("{} not @{}", key, fact.modified.value());
    case Fact::Claim::kPutAt: return "put " + Describe(*fact.item);
    case Fact::Claim::kDeletedAt: return fmt::format("{} deleted", key);
    case Fact::Claim::kMayExpire: return fmt::format("{} may expire", key);
    case Fact::Claim::kUnchangedAt: return fmt::format("{} unchanged", key);
  }
  return "";
}

/// The actual value, and the write that made it.
std::string Truth(std::string_view key, const Version& state) {
  const std::string text = Describe(key, state.item);
  if (state.by == nullptr) return text + " as at the beginning";
  return text + fmt::format(" since {}, by {}", state.at.value(), Name(*state.by));
}

std::string SourceOf(const Fact& fact) {
  if (fact.watch == nullptr) return Describe(*fact.operation);
  return fmt::format("{}, event {},", Name(*fact.watch), Describe(*fact.event));
}

}  // namespace

Facts FactsOf(const History& history) {
  return Collector().Collect(history);
}

Window WindowOf(const List& list, const Seen& seen) {
  Window window{.prefix = list.prefix, .first = list.start_key, .last = {}};
  if (list.limit > 0 && seen.items.size() >= list.limit) window.last = seen.items.back().key;
  return window;
}

bool Holds(const Fact& fact, const Timeline& timeline) {
  const Version* state = timeline.At(fact.at);
  return state == nullptr || Difference(fact, timeline, *state) == Differs::kNothing;
}

std::optional<Falsehood> Judge(std::string_view key, const Fact& fact, const Timeline& timeline) {
  const Version* state = timeline.At(fact.at);
  if (state == nullptr) return std::nullopt;
  const Differs difference = Difference(fact, timeline, *state);
  if (difference == Differs::kNothing) return std::nullopt;
  const bool is_committed = fact.property == Property::kWatchCommitted;
  return Falsehood{.property = is_committed && difference == Differs::kVersions
                                   ? Property::kWatchVersions
                                   : fact.property,
                   .text = fmt::format("{} says that at revision {} {}, but it is {}",
                                       SourceOf(fact),
                                       fact.at.value(),
                                       Saying(key, fact),
                                       Truth(key, *state))};
}

}  // namespace dray::history
