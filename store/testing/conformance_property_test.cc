// SPDX-License-Identifier: Apache-2.0
// Random histories against a model that keeps every state as a whole std::map.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/record.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/testing/conformance.h"

namespace dray::store::testing {
namespace {

using State = std::map<std::string, Frozen<Record>, std::less<>>;

/// The obvious store. states[i] is the state at revision i + 1.
struct Model {
  std::vector<State> states{State{}};

  const State& newest() const { return states.back(); }
  Revision revision() const { return Revision{static_cast<int64_t>(states.size())}; }
  const State& At(Revision revision) const {
    return states[static_cast<size_t>(revision.value() - 1)];
  }
  Revision ModifiedAt(const std::string& key) const {
    const auto found = newest().find(key);
    return found == newest().end() ? kAbsent : found->second->modified;
  }

  /// Whether the compares held.
  bool Commit(const Txn& txn) {
    for (const Compare& compare : txn.compares) {
      if (ModifiedAt(compare.key) != compare.modified) return false;
    }
    State next = newest();
    const Revision revision{this->revision().value() + 1};
    bool changed = false;
    for (const Operation& operation : txn.operations) changed |= Change(operation, revision, next);
    if (changed) states.push_back(std::move(next));
    return true;
  }

  static bool Change(const Operation& operation, Revision revision, State& state) {
    if (const Delete* gone = std::get_if<Delete>(&operation)) return state.erase(gone->key) > 0;
    const Put& put = std::get<Put>(operation);
    const auto old = state.find(put.key);
    RecordFields fields{.key = put.key,
                        .value = put.value,
                        .created = revision,
                        .modified = revision,
                        .version = 1,
                        .expiry = put.expiry};
    if (old != state.end()) {
      fields.created = old->second->created;
      fields.version = old->second->version() + 1;
    }
    state.insert_or_assign(put.key, MakeRecord(std::move(fields)));
    return true;
  }

  /// The keys whose expiry is not after `now`, deleted as one transaction.
  size_t Expire(WallTime now) {
    Txn txn;
    for (const auto& [key, record] : newest()) {
      if (record->expiry().value_or(WallTime::max()) <= now) {
        txn.operations.emplace_back(Delete{key});
      }
    }
    Commit(txn);
    return txn.operations.size();
  }
};

std::string FullText(const Record& record) {
  const std::optional<WallTime> expiry = record.expiry();
  return Text(record) + "!" +
         (expiry.has_value() ? std::to_string(expiry->time_since_epoch().count()) : "");
}

std::vector<std::string> Render(const State& state, std::string_view prefix) {
  std::vector<std::string> texts;
  for (const auto& [key, record] : state) {
    if (key.starts_with(prefix)) texts.push_back(FullText(*record));
  }
  return texts;
}

std::vector<std::string> Render(const Snapshot& snapshot, std::string_view prefix) {
  std::vector<std::string> texts;
  for (const Record& record : snapshot.Range({.prefix = prefix})) {
    texts.push_back(FullText(record));
  }
  return texts;
}

constexpr std::array<std::string_view, 6> kPrefixes = {
    "", "/r/pods/", "/r/pods/1", "/r/leases/", "/r/", "/r/none/"};

/// One random history of one store, checked as it goes.
class RandomHistory {
 public:
  RandomHistory(Store& store, const Backend& backend, uint64_t seed)
      : store_(store), expires_by_itself_(backend.expires_by_itself), random_(seed) {}

  void Go(size_t steps) {
    for (size_t step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      Step();
      CheckNewest();
      if (step % 10 == 0) CheckWindow();
    }
  }

 private:
  uint64_t Below(uint64_t bound) { return random_.Next() % bound; }

  std::string AnyKey() {
    constexpr std::array<std::string_view, 3> kGroups = {"/r/pods/", "/r/leases/", "/r/x"};
    return std::string(kGroups[Below(kGroups.size())]) + std::to_string(Below(25));
  }

  Txn AnyTxn() {
    Txn txn;
    std::map<std::string, Operation> operations;
    for (uint64_t i = Below(5); i > 0; --i) {
      const std::string key = AnyKey();
      if (Below(3) == 0) {
        operations.emplace(key, Delete{key});
        continue;
      }
      std::optional<WallTime> expiry;
      if (!expires_by_itself_ && Below(4) == 0)
        expiry = WallTime(std::chrono::seconds(now_ + Below(50)));
      operations.emplace(key, Put{.key = key, .value = Bytes(std::to_string(i)), .expiry = expiry});
    }
    for (auto& [key, operation] : operations) txn.operations.push_back(std::move(operation));
    for (uint64_t i = Below(3); i > 0; --i) {
      const std::string key = AnyKey();
      const bool is_right = Below(4) != 0;
      txn.compares.push_back({key, is_right ? model_.ModifiedAt(key) : AnyRevision()});
    }
    return txn;
  }

  Revision AnyRevision() { return Revision{static_cast<int64_t>(Below(model_.states.size() + 2))}; }

  void Step() {
    now_ += Below(2);
    const uint64_t choice = Below(50);
    if (choice == 0) return Compact();
    if (choice < 4 && !expires_by_itself_) {
      const WallTime now(std::chrono::seconds{now_});
      EXPECT_EQ(store_.ExpireDueAndWait(now, kTxnOperationsMax).value(), model_.Expire(now));
      return;
    }
    const Txn txn = AnyTxn();
    const State before = model_.newest();
    const bool holds = model_.Commit(txn);
    const Result<CommitOutcome> outcome = store_.CommitAndWait(txn);
    ASSERT_TRUE(outcome.has_value());
    ASSERT_EQ(std::holds_alternative<Committed>(*outcome), holds);
    if (holds) {
      EXPECT_EQ(std::get<Committed>(*outcome).revision, model_.revision());
    } else {
      CheckConflict(txn, std::get<Conflict>(*outcome), before);
    }
  }

  static void CheckConflict(const Txn& txn, const Conflict& conflict, const State& state) {
    std::vector<std::string> want;
    for (const Compare& compare : txn.compares) {
      const auto found = state.find(compare.key);
      const bool is_absent = found == state.end();
      if ((is_absent ? kAbsent : found->second->modified) == compare.modified) continue;
      want.push_back(is_absent ? compare.key : FullText(*found->second));
    }
    std::vector<std::string> got;
    for (const Conflict::Mismatch& mismatch : conflict.mismatches) {
      got.push_back(mismatch.current == nullptr ? mismatch.key : FullText(*mismatch.current));
    }
    EXPECT_EQ(got, want);
  }

  void Compact() {
    const Revision revision = AnyRevision();
    const Result<> done = store_.Compact(revision);
    ASSERT_EQ(done.has_value(), revision <= model_.revision());
    if (done.has_value()) EXPECT_GE(store_.status().floor, revision);
  }

  void CheckNewest() {
    const Frozen<Snapshot> newest = store_.Read();
    ASSERT_EQ(newest->revision(), model_.revision());
    const std::string_view prefix = kPrefixes[Below(kPrefixes.size())];
    EXPECT_EQ(Render(*newest, prefix), Render(model_.newest(), prefix));
    EXPECT_EQ(newest->Count({.prefix = prefix}), Render(model_.newest(), prefix).size());
    EXPECT_EQ(newest->size(), model_.newest().size());
  }

  /// The window is exact: everything from the floor on, nothing below.
  void CheckWindow() {
    const Revision floor = store_.status().floor;
    const Revision below{floor.value() - 1};
    EXPECT_EQ(store_.ReadAt(below).error().reason, StatusReason::kExpired);
    EXPECT_EQ(store_.EventsAfter(below, "", 1).error().reason, StatusReason::kExpired);
    const Revision above{model_.revision().value() + 1};
    EXPECT_EQ(store_.ReadAt(above).error().reason, StatusReason::kTimeout);
    for (int64_t i = floor.value(); i <= model_.revision().value();
         i += 1 + static_cast<int64_t>(Below(9))) {
      const Result<Frozen<Snapshot>> then = store_.ReadAt(Revision{i});
      ASSERT_TRUE(then.has_value()) << i;
      EXPECT_EQ((*then)->revision(), Revision{i});
      EXPECT_EQ(Render(**then, ""), Render(model_.At(Revision{i}), "")) << i;
    }
    CheckReplay(floor);
    const uint64_t width = static_cast<uint64_t>(model_.revision().value() - floor.value()) + 1;
    CheckReplay(Revision{floor.value() + static_cast<int64_t>(Below(width))});
  }

  /// A list at `from` and the events after it give every later state.
  void CheckReplay(Revision from) {
    const std::string_view prefix = kPrefixes[Below(kPrefixes.size())];
    const size_t max = Below(12);
    State state;
    const Frozen<Snapshot> list = *store_.ReadAt(from);
    const RecordRange records = list->Range({.prefix = prefix});
    for (auto at = records.begin(); at != records.end(); ++at)
      state.emplace(at->key(), at.shared());
    Revision cursor = from;
    while (cursor < model_.revision()) {
      const Result<Batch> batch = store_.EventsAfter(cursor, prefix, max);
      ASSERT_TRUE(batch.has_value());
      ASSERT_GT(batch->through, cursor);
      for (const Frozen<Event>& event : batch->events) Follow(*event, cursor, prefix, state);
      cursor = batch->through;
      ASSERT_EQ(Render(state, prefix), Render(model_.At(cursor), prefix));
    }
    ASSERT_EQ(cursor, model_.revision());
  }

  static void Follow(const Event& event, Revision after, std::string_view prefix, State& state) {
    EXPECT_GT(event.revision(), after);
    EXPECT_TRUE(event.record->key().starts_with(prefix));
    const auto old = state.find(event.record->key());
    ASSERT_EQ(event.previous != nullptr, old != state.end());
    if (old != state.end()) EXPECT_EQ(FullText(*event.previous), FullText(*old->second));
    if (event.type == Event::Type::kDelete) {
      state.erase(old);
    } else {
      state.insert_or_assign(std::string(event.record->key()), event.record);
    }
  }

  Store& store_;
  const bool expires_by_itself_;
  SeededRandom random_;
  Model model_;
  uint64_t now_ = 0;
};

TEST_P(StoreProperty, RandomHistoriesAgreeWithTheModel) {
  constexpr std::array<size_t, 3> kEventsMax = {40, 700, 100'000};
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const auto store = Open({.events_max = kEventsMax[seed % kEventsMax.size()]});
    RandomHistory(*store, GetParam(), seed).Go(400);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dray::store::testing
