// SPDX-License-Identifier: Apache-2.0
#include "tests/history/arrangement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/simulated_world.h"
#include "base/strong.h"
#include "tests/history/describe.h"
#include "tests/history/facts.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/real_time.h"
#include "tests/history/timeline.h"
#include "tests/history/watch_rules.h"

namespace dray::history {
namespace {

/// Limit of the revisions tried for one write to satisfy one fact.
constexpr int64_t kPlacesExaminedMax = 10'000;

const Write& WriteOf(const Operation& operation) {
  return std::get<Write>(operation.request);
}

/// The change of a key that would satisfy a fact, and its possible revisions: (low, high].
struct Mending {
  enum class Want : uint8_t { kPut, kExpiringPut, kDelete, kAny };
  Want want = Want::kAny;
  const std::string* value = nullptr;  // of kPut; null: any
  Revision low{};
  Revision high{};
};

Revision BeforeIt(Revision revision) {
  return Revision{revision.value() - 1};
}

Mending Exactly(Revision at, Mending::Want want, const std::string* value = nullptr) {
  return {.want = want, .value = value, .low = BeforeIt(at), .high = at};
}

/// For a fact that the key has the value `item`.
std::optional<Mending> ForItem(const Fact& fact, const Version& state, Revision first) {
  const Item& item = *fact.item;
  const bool has_same_value = state.item.has_value() && state.item->value == item.value;
  const bool shows_when = fact.claim == Fact::Claim::kHolds && item.modified.value() != 0;
  const bool is_same_put = has_same_value && (!shows_when || state.item->modified == item.modified);
  if (is_same_put) {  // creation or version differ: something happened before
    return Mending{.low = first, .high = Revision{state.at.value() - 1}};
  }
  if (!shows_when) {
    return Mending{
        .want = Mending::Want::kPut, .value = &item.value, .low = state.at, .high = fact.at};
  }
  if (state.at >= item.modified || item.modified > fact.at) return std::nullopt;
  return Exactly(item.modified, Mending::Want::kPut, &item.value);
}

std::optional<Mending> ForPut(const Fact& fact, const Timeline& timeline, Revision first) {
  const Version* changed = timeline.ChangedAt(fact.at);
  if (changed == nullptr) return Exactly(fact.at, Mending::Want::kPut, &fact.item->value);
  if (!changed->item.has_value() || changed->item->value != fact.item->value) return std::nullopt;
  return Mending{.low = first, .high = Revision{fact.at.value() - 1}};
}

/// The changes that could satisfy `fact`, which does not hold; none if there are none.
std::optional<Mending> MendingOf(const Fact& fact, const Timeline& timeline, Revision first) {
  const Version& state = *timeline.At(fact.at);
  const Mending deletion{.want = Mending::Want::kDelete, .low = state.at, .high = fact.at};
  switch (fact.claim) {
    case Fact::Claim::kHolds:
    case Fact::Claim::kHeld: return ForItem(fact, state, first);
    case Fact::Claim::kAbsent: return deletion;
    case Fact::Claim::kPresent:
      return Mending{.want = Mending::Want::kPut, .low = state.at, .high = fact.at};
    case Fact::Claim::kModifiedAt:
      if (fact.modified.value() == 0) return deletion;
      if (state.at >= fact.modified || fact.modified > fact.at) return std::nullopt;
      return Exactly(fact.modified, Mending::Want::kPut);
    case Fact::Claim::kNotModifiedAt: return Mending{.low = state.at, .high = fact.at};
    case Fact::Claim::kPutAt: return ForPut(fact, timeline, first);
    case Fact::Claim::kDeletedAt:
      if (timeline.ChangedAt(fact.at) != nullptr) return std::nullopt;
      if (state.item.has_value()) return Exactly(fact.at, Mending::Want::kDelete);
      return Mending{.want = Mending::Want::kPut, .low = state.at, .high = BeforeIt(fact.at)};
    case Fact::Claim::kMayExpire:
      return Mending{.want = Mending::Want::kExpiringPut, .low = state.at, .high = fact.at};
    case Fact::Claim::kUnchangedAt:  // for a deletion: the key was absent already
      return Mending{.want = Mending::Want::kDelete,
                     .low = timeline.At(BeforeIt(fact.at))->at,
                     .high = BeforeIt(fact.at)};
  }
  return std::nullopt;
}

bool IsWanted(const Mending& mending, const Change& change) {
  switch (mending.want) {
    case Mending::Want::kAny: return true;
    case Mending::Want::kDelete: return !change.value.has_value();
    case Mending::Want::kExpiringPut: return change.may_expire;
    case Mending::Want::kPut:
      return change.value.has_value() &&
             (mending.value == nullptr || *mending.value == *change.value);
  }
  return false;
}

}  // namespace

Arrangement::Arrangement(const History& history,
                         const std::vector<SeenBefore>& reported,
                         const Limits& limits)
    : history_(history), limits_(limits) {
  for (auto& [name, facts] : FactsOf(history)) {
    Key& key = keys_[name];
    key.first = {.at = history.first, .item = std::nullopt};
    key.facts = std::move(facts);
    for (const Fact& fact : key.facts) key.turns.insert(fact.at);
  }
  for (const Item& item : history.held) keys_.at(item.key).first.item = item;
  for (size_t i = 0; i < history.operations.size(); ++i) {
    const Operation& operation = history.operations[i];
    if (!std::holds_alternative<Write>(operation.request)) continue;
    if (ChangedSomething(operation)) PlaceAcknowledged(operation);
    if (std::holds_alternative<Unknown>(operation.answer)) NoteLoose(operation, reported[i]);
  }
  NoteExpiries();
  for (size_t i = 0; i < loose_.size(); ++i) {
    for (const Change& change : WriteOf(*loose_[i].operation).changes)
      keys_.at(change.key).loose.push_back(i);
  }
  for (const Watch& watch : history.watches) coverages_.push_back(CoverageOf(watch));
  for (auto& [name, key] : keys_) {
    std::ranges::sort(key.placed_changes, {}, &PlacedChange::at);
    Rebuild(name);
  }
}

Arrangement::Coverage Arrangement::CoverageOf(const Watch& watch) {
  Coverage coverage{.prefix = watch.prefix,
                    .after = watch.after,
                    .through = CompleteThrough(watch),
                    .events = {}};
  for (const Response& response : watch.responses) {
    for (const Event& event : response.events)
      coverage.events.insert({event.item.modified, event.item.key});
  }
  return coverage;
}

bool Arrangement::IsUncertain(const std::string& key, Revision revision) const {
  return std::ranges::any_of(keys_.at(key).loose,
                             [&](size_t i) { return loose_[i].later_than < revision; });
}

Revision Arrangement::PlaceOf(const Operation& write) const {
  const auto found = std::ranges::find_if(loose_, [&](const Loose& loose) {
    return loose.expires == nullptr && loose.operation == &write;
  });
  return found == loose_.end() ? Revision{} : found->placed;
}

Revision Arrangement::ExpiryOf(const Operation& write, std::string_view key) const {
  const auto found = std::ranges::find_if(loose_, [&](const Loose& loose) {
    return loose.expires == &write && WriteOf(*loose.operation).changes[0].key == key;
  });
  return found == loose_.end() ? Revision{} : found->placed;
}

/// Whether a watch covers `key` at `at`, and has reported no event.
bool Arrangement::IsSilent(std::string_view key, Revision at) const {
  return std::ranges::any_of(coverages_, [&](const Coverage& watch) {
    return at > watch.after && at <= watch.through && key.starts_with(watch.prefix) &&
           !watch.events.contains({at, key});
  });
}

/// Whether a watch would have reported the write's change there, as far as is known.
bool Arrangement::IsDenied(const Attempt& attempt) const {
  if (silence_ == Silence::kIgnored) return false;
  const auto& changes = WriteOf(*loose_[attempt.loose].operation).changes;
  return std::ranges::any_of(changes, [&](const Change& change) {
    const Version* before = keys_.at(change.key).timeline.At(Revision{attempt.at.value() - 1});
    const bool shows = change.value.has_value() || (before != nullptr && before->item.has_value());
    return shows && IsSilent(change.key, attempt.at);
  });
}

void Arrangement::PlaceAcknowledged(const Operation& operation) {
  const Revision at = std::get<Done>(operation.answer).revision;
  writers_[at].push_back(&operation);
  for (const Change& change : WriteOf(operation).changes) {
    Key& key = keys_.at(change.key);
    key.placed_changes.push_back({.at = at, .change = &change, .by = &operation});
    key.turns.insert(at);
  }
}

void Arrangement::NoteLoose(const Operation& operation, const SeenBefore& reported) {
  loose_.push_back({.operation = &operation, .later_than = reported.anybody.revision});
}

void Arrangement::NoteExpiries() {
  for (const Operation& operation : history_.operations) {
    const auto* write = std::get_if<Write>(&operation.request);
    const auto* done = std::get_if<Done>(&operation.answer);
    const bool is_loose = std::holds_alternative<Unknown>(operation.answer);
    if (write == nullptr || (done == nullptr && !is_loose)) continue;
    for (const Change& change : write->changes) {
      if (!change.may_expire) continue;
      expiries_.push_back(
          {.called = operation.called,
           .client = kStoreItself,
           .request = Write{.conditions = {}, .changes = {{.key = change.key, .value = {}}}},
           .answer = Unknown{}});
      loose_.push_back({.operation = &expiries_.back(),
                        .expires = &operation,
                        .later_than = done != nullptr ? done->revision : history_.first});
    }
  }
}

std::vector<std::string> Arrangement::Keys() const {
  std::vector<std::string> names;
  names.reserve(keys_.size());
  for (const auto& [name, key] : keys_) names.push_back(name);
  return names;
}

std::vector<std::string> Arrangement::KeysOf(const Loose& loose) const {
  std::vector<std::string> names;
  for (const Change& change : WriteOf(*loose.operation).changes) names.push_back(change.key);
  for (const Condition& condition : WriteOf(*loose.operation).conditions) {
    const bool is_known = keys_.contains(condition.key);
    if (is_known && std::ranges::find(names, condition.key) == names.end())
      names.push_back(condition.key);
  }
  return names;
}

/// The conditions on the key under which the writes placed so far could happen.
std::vector<Fact> Arrangement::ConditionsOn(const std::string& name) const {
  std::vector<Fact> conditions;
  for (const size_t index : keys_.at(name).placed) {
    const Loose& loose = loose_[index];
    const Write& write = WriteOf(*loose.operation);
    Fact fact{.at = Revision{loose.placed.value() - 1},
              .claim = Fact::Claim::kModifiedAt,
              .property = Property::kConditions,
              .operation = loose.operation};
    for (const Condition& condition : write.conditions) {
      if (condition.key != name) continue;
      fact.modified = condition.modified;
      conditions.push_back(fact);
    }
    if (loose.expires != nullptr) {
      fact.claim = Fact::Claim::kMayExpire;
      conditions.push_back(fact);
    }
    if (silence_ == Silence::kRespected && IsSilent(name, loose.placed)) {
      fact.at = loose.placed;
      fact.claim = Fact::Claim::kUnchangedAt;
      conditions.push_back(fact);
    }
  }
  return conditions;
}

/// Lays the key's writes out anew and looks for its first fact that does not hold.
void Arrangement::Rebuild(const std::string& name) {
  Key& key = keys_.at(name);
  key.timeline = Timeline(key.first, key.placed_changes);
  if (const auto old = failures_.find(name); old != failures_.end()) {
    by_revision_.erase({old->second.fact.at, name});
    failures_.erase(old);
  }
  std::optional<Failure> failure;
  for (const Fact& fact : key.facts) {
    if (fact.is_dropped || Holds(fact, key.timeline)) continue;
    failure = Failure{.key = name, .fact = fact};
    break;
  }
  for (const Fact& condition : ConditionsOn(name)) {
    if (Holds(condition, key.timeline)) continue;
    if (!failure.has_value() || condition.at < failure->fact.at)
      failure = Failure{.key = name, .fact = condition, .is_of_placed = true};
  }
  if (!failure.has_value()) return;
  by_revision_.emplace(failure->fact.at, name);
  failures_.emplace(name, *std::move(failure));
}

const Arrangement::Failure* Arrangement::FirstFailure() const {
  return by_revision_.empty() ? nullptr : &failures_.at(by_revision_.begin()->second);
}

void Arrangement::Place(const Attempt& attempt) {
  Loose& loose = loose_[attempt.loose];
  loose.placed = attempt.at;
  ++placed_count_;
  Stamp(attempt);
  placed_at_[attempt.at].push_back(attempt.loose);
  writers_[attempt.at].push_back(loose.operation);
  for (const std::string& name : KeysOf(loose)) keys_.at(name).placed.insert(attempt.loose);
  for (const Change& change : WriteOf(*loose.operation).changes) {
    Key& key = keys_.at(change.key);
    const auto place =
        std::ranges::upper_bound(key.placed_changes, attempt.at, {}, &PlacedChange::at);
    key.placed_changes.insert(place, {.at = attempt.at, .change = &change, .by = loose.operation});
  }
  for (const std::string& name : KeysOf(loose)) Rebuild(name);
}

void Arrangement::Remove(const Attempt& attempt) {
  Loose& loose = loose_[attempt.loose];
  loose.placed = Revision{};
  --placed_count_;
  Stamp(attempt);
  std::erase(placed_at_[attempt.at], attempt.loose);
  for (const std::string& name : KeysOf(loose)) keys_.at(name).placed.erase(attempt.loose);
  const auto writers = writers_.find(attempt.at);
  std::erase(writers->second, loose.operation);
  if (writers->second.empty()) writers_.erase(writers);
  for (const Change& change : WriteOf(*loose.operation).changes) {
    std::erase_if(keys_.at(change.key).placed_changes,
                  [&](const PlacedChange& placed) { return placed.by == loose.operation; });
  }
  for (const std::string& name : KeysOf(loose)) Rebuild(name);
}

/// Whether `loose` may stand there. Things that expire together may be deleted by one write.
bool Arrangement::IsFree(Revision revision, const Loose& loose) const {
  const auto writers = writers_.find(revision);
  if (writers == writers_.end()) return true;
  return loose.expires != nullptr &&
         std::ranges::all_of(writers->second, [&](const Operation* other) {
           return other->client == kStoreItself &&
                  WriteOf(*other).changes[0].key != WriteOf(*loose.operation).changes[0].key;
         });
}

/// Places for one write, latest first: at most as many between two turns of its keys as there are
/// writes that might need one.
void Arrangement::AddPlaces(const Failure& failure,
                            size_t index,
                            std::vector<Attempt>& attempts) const {
  const Loose& loose = loose_[index];
  const Timeline& timeline = keys_.at(failure.key).timeline;
  const auto mending = MendingOf(failure.fact, timeline, history_.first);
  const auto& changes = WriteOf(*loose.operation).changes;
  const auto change = std::ranges::find(changes, failure.key, &Change::key);
  if (!mending.has_value() || change == changes.end() || !IsWanted(*mending, *change)) return;
  const std::vector<std::string> names = KeysOf(loose);
  const Revision low = std::max(mending->low, loose.later_than);
  size_t taken = 0;
  int64_t examined = 0;
  for (Revision at = mending->high; at > low; at = Revision{at.value() - 1}) {
    if (++examined > kPlacesExaminedMax) {
      gave_up_ = true;
      return;
    }
    const bool is_turn = std::ranges::any_of(
        names, [&](const std::string& name) { return keys_.at(name).turns.contains(at); });
    if (is_turn) taken = 0;
    const Attempt attempt{.loose = index, .at = at};
    if (taken >= loose_.size() || !IsFree(at, loose) || IsDenied(attempt)) continue;
    attempts.push_back(attempt);
    ++taken;
  }
}

std::vector<Arrangement::Attempt> Arrangement::Remedies(const Failure& failure) const {
  std::vector<Attempt> attempts;
  for (const size_t i : keys_.at(failure.key).loose) {
    if (loose_[i].placed.value() == 0) AddPlaces(failure, i, attempts);
  }
  return attempts;
}

/// Adds a write that stands somewhere to the arrangement's stamp, or takes it out again. Two
/// arrangements have the same stamp by a chance of 2^-128.
void Arrangement::Stamp(const Attempt& attempt) {
  const auto mix = [&](uint64_t seed) {
    SeededRandom first(seed + attempt.loose);
    SeededRandom second(first.Next() ^ static_cast<uint64_t>(attempt.at.value()));
    return second.Next();
  };
  stamp_.first ^= mix(0);
  stamp_.second ^= mix(uint64_t{1} << 32U);
}

void Arrangement::NoteBest(const Failure& failure) {
  const bool is_further =
      std::pair(failure.fact.at, placed_count_) > std::pair(best_at_, best_placed_);
  const Key& key = keys_.at(failure.key);
  std::optional<Falsehood> falsehood_here = Judge(failure.key, failure.fact, key.timeline);
  if (failure.is_of_placed || !is_further || !falsehood_here.has_value()) return;
  best_placed_ = placed_count_;
  best_at_ = failure.fact.at;
  best_key_ = failure.key;
  best_ = *std::move(falsehood_here);
  best_facts_.clear();
  for (size_t i = 0; i < key.facts.size(); ++i) {
    const Fact& fact = key.facts[i];
    if (fact.is_dropped) continue;
    const auto falsehood = Judge(failure.key, fact, key.timeline);
    if (falsehood.has_value() && falsehood->property == best_.property) best_facts_.push_back(i);
  }
}

/// The placed writes without which `failure` might not be, or might be mended.
std::set<size_t> Arrangement::InTheWay(const Failure& failure) const {
  const Key& key = keys_.at(failure.key);
  std::set<size_t> found = key.placed;
  const auto mending = MendingOf(failure.fact, key.timeline, history_.first);
  if (!mending.has_value()) return found;
  for (auto at = placed_at_.upper_bound(mending->low);
       at != placed_at_.end() && at->first <= mending->high;
       ++at) {
    found.insert(at->second.begin(), at->second.end());
  }
  return found;
}

Arrangement::Outcome Arrangement::Search() {
  const Failure* first = FirstFailure();
  if (first == nullptr) return {.is_found = true, .blamed = {}};
  const Failure failure = *first;
  NoteBest(failure);
  Outcome outcome{.is_found = false, .blamed = InTheWay(failure)};
  for (const Attempt& attempt : Remedies(failure)) {
    if (++steps_ > limits_.steps_max) break;
    Place(attempt);
    if (met_.insert(stamp_).second) {
      Outcome further = Search();
      if (further.is_found) return further;
      Remove(attempt);
      if (!further.blamed.contains(attempt.loose)) return further;
      outcome.blamed.merge(further.blamed);
    } else {
      for (const auto& [at, placed] : placed_at_) {
        outcome.blamed.insert(placed.begin(), placed.end());
      }
      Remove(attempt);
    }
  }
  return outcome;
}

/// Reports the fact that stopped the best arrangement, and drops it.
void Arrangement::Blame(Report& report) {
  Key& key = keys_.at(best_key_);
  for (const size_t index : best_facts_) key.facts[index].is_dropped = true;
  if (best_facts_.size() > 1)
    best_.text += fmt::format("; {} more like it on {}", best_facts_.size() - 1, best_key_);
  report.Add(limits_, best_.property, best_.text);
  blamed_.insert(best_key_);
  best_at_ = Revision{};
  best_placed_ = 0;
  Rebuild(best_key_);
}

/// Looks for an arrangement; first for one that no watch contradicts.
bool Arrangement::IsArranged() {
  for (const Silence silence : {Silence::kRespected, Silence::kIgnored}) {
    silence_ = silence;
    met_.clear();
    if (Search().is_found) return true;
    if (steps_ > limits_.steps_max) break;
  }
  return false;
}

void Arrangement::Find(Report& report) {
  while (!IsArranged()) {
    if (gave_up_ || steps_ > limits_.steps_max) {
      report.undecided.push_back(
          fmt::format("{} writes have an unknown outcome, and {} arrangements of them explain not "
                      "all answers; the best one leaves: {}",
                      loose_.size(),
                      std::min(steps_, limits_.steps_max),
                      best_.text));
      is_decided_ = false;
      break;
    }
    Blame(report);
    if (report.findings.size() >= limits_.findings_max) break;
  }
  report.steps += steps_;
}

}  // namespace dray::history
