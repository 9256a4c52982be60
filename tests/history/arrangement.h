// SPDX-License-Identifier: Apache-2.0
// Gives every write a revision, also the writes of unknown outcome.
//
// An acknowledged write has the revision of its answer. A write of unknown outcome may have any
// revision that no other write has and that is later than all that were observed before its call,
// or it was not carried out. The search starts with none of these carried out and compares all
// facts (facts.h) with the resulting state. The first fact that does not hold names the key that
// lacks a write, and often the revision, so only writes that could make it hold are tried there. An
// arrangement that was tried before is not tried again.
//
// A write is not placed where a watch of that key and revision reported no event, unless nothing
// else explains the facts: then the watch is wrong (watch_rules.h).
//
// A fact that no placement explains is reported and ignored, and the search continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strong.h"
#include "tests/history/facts.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/real_time.h"
#include "tests/history/timeline.h"

namespace dray::history {

class Arrangement {
 public:
  /// `history` outlives it.
  Arrangement(const History& history,
              const std::vector<SeenBefore>& reported,
              const Limits& limits);

  /// Looks for an arrangement, and reports the facts that none explains.
  void Find(Report& report);

  /// False if Find reached a limit. Then the timelines may lack writes and prove nothing.
  bool is_decided() const { return is_decided_; }
  /// The values of each key. Complete once Find has returned.
  const Timeline& TimelineOf(const std::string& key) const { return keys_.at(key).timeline; }
  /// Keys with findings.
  const std::set<std::string>& blamed() const { return blamed_; }
  /// All keys of the history, in order.
  std::vector<std::string> Keys() const;
  /// Whether a write of unknown outcome might have changed `key` at or before `revision`.
  bool IsUncertain(const std::string& key, Revision revision) const;
  /// The place of a write of unknown outcome; 0: none.
  Revision PlaceOf(const Operation& write) const;
  /// The place of the deletion by which the store expired the value that `write` had put under
  /// `key`; 0: none.
  Revision ExpiryOf(const Operation& write, std::string_view key) const;
  /// The writes at each revision.
  const std::map<Revision, std::vector<const Operation*>>& writers() const { return writers_; }

 private:
  struct Key {
    Version first;
    std::vector<PlacedChange> placed_changes;  // ascending; acknowledged and placed
    std::vector<Fact> facts;
    Timeline timeline;
    std::set<Revision> turns;   // revisions of its facts and changes
    std::vector<size_t> loose;  // writes of unknown outcome that change it
    std::set<size_t> placed;    // the placed ones among those that change the key or compare it
  };
  /// The revisions and keys for which a watch claims to be complete.
  struct Coverage {
    std::string_view prefix;
    Revision after{};
    Revision through{};
    std::set<std::pair<Revision, std::string_view>> events;
  };
  enum class Silence : uint8_t { kRespected, kIgnored };
  /// A write of unknown outcome: by a client, or by the store when a key expires.
  struct Loose {
    const Operation* operation = nullptr;
    const Operation* expires = nullptr;  // set if the store wrote this (an expiry); null: a client
                                         // did
    Revision later_than{};
    Revision placed{};  // 0: nowhere
  };
  struct Attempt {
    size_t loose = 0;
    Revision at{};
  };
  /// The first fact that does not hold.
  struct Failure {
    std::string key;
    Fact fact;
    bool is_of_placed = false;  // a condition of a write that was placed, not a fact
  };

  /// The result of a search. If nothing was found, the writes of unknown outcome whose places
  /// prevent it; moving any other one would not help.
  struct Outcome {
    bool is_found = false;
    std::set<size_t> blamed;
  };

  static Coverage CoverageOf(const Watch& watch);
  void PlaceAcknowledged(const Operation& operation);
  void NoteLoose(const Operation& operation, const SeenBefore& reported);
  void NoteExpiries();
  void Rebuild(const std::string& name);
  std::vector<std::string> KeysOf(const Loose& loose) const;
  std::vector<Fact> ConditionsOn(const std::string& name) const;
  bool IsSilent(std::string_view key, Revision at) const;
  bool IsDenied(const Attempt& attempt) const;
  const Failure* FirstFailure() const;
  void Place(const Attempt& attempt);
  void Remove(const Attempt& attempt);
  bool IsFree(Revision revision, const Loose& loose) const;
  std::vector<Attempt> Remedies(const Failure& failure) const;
  void AddPlaces(const Failure& failure, size_t index, std::vector<Attempt>& attempts) const;
  bool IsArranged();
  Outcome Search();
  std::set<size_t> InTheWay(const Failure& failure) const;
  void NoteBest(const Failure& failure);
  void Blame(Report& report);
  void Stamp(const Attempt& attempt);

  const History& history_;
  const Limits limits_;
  std::map<std::string, Key, std::less<>> keys_;
  std::map<Revision, std::vector<const Operation*>> writers_;
  std::vector<Loose> loose_;
  std::deque<Operation> expiries_;
  std::map<std::string, Failure, std::less<>> failures_;  // of each key, the first
  std::set<std::pair<Revision, std::string>> by_revision_;
  std::map<Revision, std::vector<size_t>> placed_at_;
  size_t placed_count_ = 0;
  std::vector<Coverage> coverages_;
  Silence silence_ = Silence::kRespected;
  std::pair<uint64_t, uint64_t> stamp_{0, 0};  // identifies the arrangement: the place of each
                                               // write
  std::set<std::pair<uint64_t, uint64_t>> met_;
  std::set<std::string> blamed_;
  size_t steps_ = 0;
  bool is_decided_ = true;
  mutable bool gave_up_ = false;  // there were too many places for one write

  // The arrangement that came furthest, as a finding.
  Revision best_at_{};
  size_t best_placed_ = 0;  // writes placed by then
  std::string best_key_;
  Falsehood best_;
  std::vector<size_t> best_facts_;  // facts about best_key_ to drop
};

}  // namespace dray::history
