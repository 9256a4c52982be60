// SPDX-License-Identifier: Apache-2.0
#include "tests/history/testing/model_history.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "tests/history/history.h"

namespace dray::history::testing {
namespace {

struct Held {
  Item item;
  bool may_expire = false;
};
using State = std::map<std::string, Held>;

/// A store with all its past states. states_[i] is the state at revision i + 1, events_[i] the
/// events that led to it.
class Model {
 public:
  Revision newest() const { return Revision{static_cast<int64_t>(states_.size())}; }
  const State& At(Revision revision) const {
    return states_[static_cast<size_t>(revision.value() - 1)];
  }
  const std::vector<Event>& EventsAt(Revision revision) const {
    return events_[static_cast<size_t>(revision.value() - 1)];
  }

  std::optional<Item> Find(const std::string& key) const {
    const auto found = states_.back().find(key);
    if (found == states_.back().end()) return std::nullopt;
    return found->second.item;
  }

  Answer Carry(const Write& write) {
    Refused refused{.revision = newest(), .mismatches = {}};
    for (const Condition& condition : write.conditions) {
      std::optional<Item> current = Find(condition.key);
      const Revision modified = current.has_value() ? current->modified : Revision{};
      if (modified != condition.modified)
        refused.mismatches.push_back({.key = condition.key, .current = std::move(current)});
    }
    if (!refused.mismatches.empty()) return refused;
    const Revision next{newest().value() + 1};
    State state = states_.back();
    Done done;
    std::vector<Event> events;
    for (const Change& change : write.changes)
      done.items.push_back(Do(change, next, state, events));
    done.revision = events.empty() ? newest() : next;
    if (!events.empty()) {
      states_.push_back(std::move(state));
      events_.push_back(std::move(events));
    }
    return done;
  }

 private:
  static std::optional<Item> Do(const Change& change,
                                Revision at,
                                State& state,
                                std::vector<Event>& events) {
    const auto old = state.find(change.key);
    Event event{.kind = Event::Kind::kCreated, .item = {}, .previous = {}};
    if (old != state.end()) event.previous = old->second.item;
    if (!change.value.has_value()) {
      if (old == state.end()) return std::nullopt;
      event.kind = Event::Kind::kDeleted;
      event.item = old->second.item;
      event.item.modified = at;
      state.erase(old);
    } else {
      event.item = {
          .key = change.key, .value = *change.value, .created = at, .modified = at, .version = 1};
      if (event.previous.has_value()) {
        event.kind = Event::Kind::kUpdated;
        event.item.created = event.previous->created;
        event.item.version = event.previous->version + 1;
      }
      state.insert_or_assign(change.key, Held{.item = event.item, .may_expire = change.may_expire});
    }
    events.push_back(event);
    return event.item;
  }

  std::vector<State> states_{State{}};
  std::vector<std::vector<Event>> events_{{}};
};

constexpr std::array<const char*, 3> kPrefixes = {"/", "/a/", "/b/"};

class Run {
 public:
  explicit Run(const ModelOptions& options)
      : options_(options), random_(options.seed), clients_(options.clients) {}

  History Go() {
    for (size_t i = 0; i < options_.watchers; ++i) Open(Revision{1});
    while (called_ < options_.operations || AnyBusy()) Step();
    for (size_t i = 0; i < history_.watches.size(); ++i) Deliver(i, 1000);
    return std::move(history_);
  }

 private:
  enum class Phase : uint8_t { kIdle, kCalled, kCarriedOut };
  /// The fate of a write whose client does not learn the outcome.
  enum class Fate : uint8_t { kTold, kLost, kDone, kDoneLater };
  struct Client {
    Phase phase = Phase::kIdle;
    Fate fate = Fate::kTold;
    size_t operation = 0;
    Answer answer;
  };
  struct Cursor {
    Revision through{};
    bool is_open = true;
  };

  uint64_t Below(uint64_t bound) { return random_.Next() % bound; }
  bool Percent(uint64_t percent) { return Below(100) < percent; }
  Moment Now() { return now_ += kMomentGap; }

  bool AnyBusy() const {
    return std::ranges::any_of(clients_, [](const Client& c) { return c.phase != Phase::kIdle; });
  }

  void Step() {
    const uint64_t choice = Below(options_.clients + options_.watchers + 1);
    if (choice < options_.clients) return Advance(choice);
    if (choice < options_.clients + options_.watchers) return Watchers();
    if (!later_.empty() && Percent(50)) {
      model_.Carry(later_.back());
      later_.pop_back();
    } else if (Percent(20)) {
      Expire();
    } else {
      lagging_ = Revision{lagging_.value() + static_cast<int64_t>(Below(static_cast<uint64_t>(
                                                 model_.newest().value() - lagging_.value() + 1)))};
    }
  }

  void Expire() {
    Write write;
    for (const auto& [key, held] : model_.At(model_.newest())) {
      if (held.may_expire && Percent(50)) write.changes.push_back({.key = key, .value = {}});
    }
    if (!write.changes.empty()) model_.Carry(write);
  }

  void Advance(size_t index) {
    Client& client = clients_[index];
    switch (client.phase) {
      case Phase::kIdle:
        if (called_ < options_.operations) Call(index);
        break;
      case Phase::kCalled: CarryOut(client); break;
      case Phase::kCarriedOut: Return(client); break;
    }
  }

  std::string AnyKey() {
    const uint64_t number = Below(options_.keys);
    return std::string(number % 2 == 0 ? "/a/" : "/b/") + std::to_string(number);
  }

  Request AnyRequest() {
    const uint64_t choice = Below(10);
    Freshness freshness = Freshness::kLinearizable;
    Revision at{};
    if (Percent(20)) freshness = Freshness::kLocal;
    if (Percent(20)) {
      freshness = Freshness::kExact;
      at =
          Revision{1 + static_cast<int64_t>(Below(static_cast<uint64_t>(model_.newest().value())))};
    }
    if (choice < 2) return Get{.key = AnyKey(), .freshness = freshness, .at = at};
    if (choice < 4) {
      return List{.prefix = kPrefixes[Below(kPrefixes.size())],
                  .start_key = Percent(30) ? AnyKey() : "",
                  .limit = Percent(30) ? 1 + Below(3) : 0,
                  .freshness = freshness,
                  .at = at};
    }
    return AnyWrite();
  }

  Write AnyWrite() {
    Write write;
    std::map<std::string, Change> changes;
    for (uint64_t i = 1 + Below(10) / 7; i > 0; --i) {
      Change change{.key = AnyKey(), .value = std::nullopt};
      if (!Percent(25)) {
        change.value = "v" + std::to_string(++values_);
        change.may_expire = Percent(15);
      }
      changes.insert_or_assign(change.key, change);
    }
    for (const auto& [key, change] : changes) {
      write.changes.push_back(change);
      if (!Percent(60)) continue;
      const std::optional<Item> current = model_.Find(key);
      write.conditions.push_back(
          {.key = key, .modified = current.has_value() ? current->modified : Revision{}});
    }
    return write;
  }

  void Call(size_t index) {
    Client& client = clients_[index];
    client.phase = Phase::kCalled;
    client.fate = Fate::kTold;
    client.operation = history_.operations.size();
    ++called_;
    history_.operations.push_back({.called = Now(),
                                   .client = static_cast<uint32_t>(index),
                                   .server = static_cast<uint32_t>(index % 2),
                                   .request = AnyRequest(),
                                   .answer = Unknown{}});
    const bool is_write = std::holds_alternative<Write>(history_.operations.back().request);
    if (is_write && Percent(options_.unknown_percent))
      client.fate = static_cast<Fate>(1 + Below(3));
  }

  void CarryOut(Client& client) {
    client.phase = Phase::kCarriedOut;
    Operation& operation = history_.operations[client.operation];
    if (const auto* write = std::get_if<Write>(&operation.request)) {
      client.answer = Unknown{.reason = "Timeout"};
      if (client.fate == Fate::kDoneLater) later_.push_back(*write);
      if (client.fate == Fate::kDone) model_.Carry(*write);
      if (client.fate == Fate::kTold) client.answer = model_.Carry(*write);
      return;
    }
    client.answer = ReadNow(operation);
  }

  Seen ReadNow(const Operation& operation) {
    const auto* get = std::get_if<Get>(&operation.request);
    const auto* list = std::get_if<List>(&operation.request);
    DRAY_CHECK(get != nullptr || list != nullptr);  // another function carries out writes
    const Freshness freshness = get != nullptr ? get->freshness : list->freshness;
    Seen seen{.revision = model_.newest(), .items = {}, .count = {}};
    if (freshness == Freshness::kExact) seen.revision = get != nullptr ? get->at : list->at;
    if (freshness == Freshness::kLocal && operation.server == 1) seen.revision = lagging_;
    const State& state = model_.At(seen.revision);
    if (get != nullptr) {
      if (const auto found = state.find(get->key); found != state.end())
        seen.items.push_back(found->second.item);
      const bool is_hidden =
          freshness == Freshness::kLinearizable && Percent(options_.hidden_percent);
      if (is_hidden) seen.revision = Revision{};
      return seen;
    }
    uint64_t count = 0;
    for (const auto& [key, held] : state) {
      if (!key.starts_with(list->prefix) || key < list->start_key) continue;
      ++count;
      if (list->limit == 0 || seen.items.size() < list->limit) seen.items.push_back(held.item);
    }
    if (Percent(50)) seen.count = count;
    return seen;
  }

  void Return(Client& client) {
    client.phase = Phase::kIdle;
    Operation& operation = history_.operations[client.operation];
    operation.returned = Now();
    operation.answer = std::move(client.answer);
    if (operation.server == 1)
      lagging_ = model_.newest();  // its answer shows that it knows the
                                   // revision
  }

  void Open(Revision after) {
    history_.watches.push_back({.opened = Now(),
                                .client = 100 + static_cast<uint32_t>(history_.watches.size()),
                                .server = 0,
                                .prefix = kPrefixes[Below(kPrefixes.size())],
                                .after = after,
                                .shows_previous = Percent(50),
                                .responses = {}});
    cursors_.push_back({.through = after});
  }

  void Watchers() {
    const size_t index = Below(history_.watches.size());
    if (!cursors_[index].is_open) return;
    if (!Percent(10)) return Deliver(index, 1 + Below(4));
    cursors_[index].is_open = false;
    Open(cursors_[index].through);
    history_.watches.back().prefix = history_.watches[index].prefix;
  }

  void Deliver(size_t index, uint64_t revisions) {
    if (!cursors_[index].is_open) return;
    Watch& watch = history_.watches[index];
    Cursor& cursor = cursors_[index];
    Response response;
    for (; revisions > 0 && cursor.through < model_.newest(); --revisions) {
      cursor.through = Revision{cursor.through.value() + 1};
      for (Event event : model_.EventsAt(cursor.through)) {
        if (!event.item.key.starts_with(watch.prefix)) continue;
        if (!watch.shows_previous) event.previous.reset();
        response.events.push_back(std::move(event));
      }
    }
    if (Percent(50)) response.through = cursor.through;
    if (response.events.empty() && response.through.value() == 0) return;
    response.received = Now();
    watch.responses.push_back(std::move(response));
  }

  const ModelOptions options_;
  SeededRandom random_;
  Model model_;
  History history_;
  std::vector<Client> clients_;
  std::vector<Cursor> cursors_;
  std::vector<Write> later_;
  Revision lagging_{1};  // the newest revision that server 1 knows
  Moment now_ = 0;
  size_t called_ = 0;
  uint64_t values_ = 0;
};

}  // namespace

History ModelHistory(const ModelOptions& options) {
  return Run(options).Go();
}

}  // namespace dray::history::testing
