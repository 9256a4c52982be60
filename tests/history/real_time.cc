// SPDX-License-Identifier: Apache-2.0
#include "tests/history/real_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/strong.h"
#include "tests/history/describe.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {
namespace {

/// The greatest revision in an answer; 0: none.
Revision RevisionOf(const Operation& operation) {
  if (const auto* done = std::get_if<Done>(&operation.answer)) return done->revision;
  if (const auto* refused = std::get_if<Refused>(&operation.answer)) return refused->revision;
  const auto* seen = std::get_if<Seen>(&operation.answer);
  if (seen == nullptr) return Revision{};
  Revision newest = seen->revision;
  for (const Item& item : seen->items) newest = std::max(newest, item.modified);
  return newest;
}

Revision RevisionOf(const Response& response) {
  Revision newest = response.through;
  for (const Event& event : response.events) newest = std::max(newest, event.item.modified);
  return newest;
}

/// An event of the run: a call, an answer, or a response of a watch.
struct Happening {
  Moment at = 0;
  const Operation* operation = nullptr;
  const Watch* watch = nullptr;
  Revision reported{};
  size_t call = 0;  // of a call: the operation's index
  bool is_call = false;
};

std::vector<Happening> InOrder(const History& history) {
  std::vector<Happening> all;
  for (size_t i = 0; i < history.operations.size(); ++i) {
    const Operation& operation = history.operations[i];
    all.push_back({.at = operation.called, .call = i, .is_call = true});
    if (const Revision reported = RevisionOf(operation); reported.value() != 0)
      all.push_back({.at = operation.returned, .operation = &operation, .reported = reported});
  }
  for (const Watch& watch : history.watches) {
    for (const Response& response : watch.responses)
      all.push_back({.at = response.received, .watch = &watch, .reported = RevisionOf(response)});
  }
  std::ranges::sort(all, {}, &Happening::at);
  return all;
}

std::string TooOld(const Operation& operation, Revision revision, const Observed& reported) {
  return fmt::format("{} is at revision {}, but {} had told of revision {} before the call",
                     Describe(operation),
                     revision.value(),
                     reported.by.empty() ? "the beginning" : reported.by,
                     reported.revision.value());
}

/// The observation that an answer contradicts; null if none.
struct Wrong {
  Revision revision{};
  const Observed* against = nullptr;
};

Wrong WrongIn(const Operation& operation, const SeenBefore& before) {
  const auto unless = [](bool is_right, Revision revision, const Observed& reported) {
    return is_right ? Wrong{} : Wrong{.revision = revision, .against = &reported};
  };
  const Observed& anybody = before.anybody;
  if (const auto* done = std::get_if<Done>(&operation.answer)) {
    const bool is_new = ChangedSomething(operation);
    return unless(is_new ? done->revision > anybody.revision : done->revision >= anybody.revision,
                  done->revision,
                  anybody);
  }
  if (const auto* refused = std::get_if<Refused>(&operation.answer)) {
    return unless(refused->revision.value() == 0 || refused->revision >= anybody.revision,
                  refused->revision,
                  anybody);
  }
  const auto* seen = std::get_if<Seen>(&operation.answer);
  if (seen == nullptr || seen->revision.value() == 0) return {};
  const auto* get = std::get_if<Get>(&operation.request);
  const Freshness freshness =
      get != nullptr ? get->freshness : std::get<List>(operation.request).freshness;
  if (freshness == Freshness::kExact) return {};
  const Observed& reported = freshness == Freshness::kLocal ? before.same_server : anybody;
  return unless(seen->revision >= reported.revision, seen->revision, reported);
}

void CheckRevisionsOnce(const History& history, const Limits& limits, Report& report) {
  std::map<Revision, const Operation*> owners;
  for (const Operation& operation : history.operations) {
    const auto* done = std::get_if<Done>(&operation.answer);
    if (done == nullptr || !ChangedSomething(operation)) continue;
    const auto [owner, is_new] = owners.emplace(done->revision, &operation);
    if (is_new) continue;
    report.Add(limits,
               Property::kRevisionOnce,
               fmt::format("revision {} was given to {} and to {}",
                           done->revision.value(),
                           Describe(*owner->second),
                           Describe(operation)));
  }
}

}  // namespace

bool ChangedSomething(const Operation& operation) {
  const auto* write = std::get_if<Write>(&operation.request);
  const auto* done = std::get_if<Done>(&operation.answer);
  if (write == nullptr || done == nullptr || write->changes.empty()) return false;
  const bool puts = std::ranges::any_of(
      write->changes, [](const Change& change) { return change.value.has_value(); });
  if (puts || done->items.empty()) return true;
  return std::ranges::any_of(done->items, [](const auto& item) { return item.has_value(); });
}

std::vector<SeenBefore> SeenBeforeCalls(const History& history) {
  std::vector<SeenBefore> before(history.operations.size());
  SeenBefore start{.anybody = {.revision = history.first},
                   .same_server = {.revision = history.first}};
  Observed anybody = start.anybody;
  std::map<uint32_t, Observed> servers;
  for (const Happening& happening : InOrder(history)) {
    if (happening.is_call) {
      const uint32_t server = history.operations[happening.call].server;
      before[happening.call] = {
          .anybody = anybody,
          .same_server = servers.try_emplace(server, start.same_server).first->second};
      continue;
    }
    const uint32_t server =
        happening.watch != nullptr ? happening.watch->server : happening.operation->server;
    Observed& same_server = servers.try_emplace(server, start.same_server).first->second;
    if (happening.reported <= same_server.revision) continue;
    same_server = {
        .revision = happening.reported,
        .by = happening.watch != nullptr ? Name(*happening.watch) : Name(*happening.operation)};
    if (happening.reported > anybody.revision) anybody = same_server;
  }
  return before;
}

void CheckRealTime(const History& history,
                   const std::vector<SeenBefore>& reported,
                   const Limits& limits,
                   Report& report) {
  CheckRevisionsOnce(history, limits, report);
  std::set<std::string> tellers;  // servers that revealed a future revision; reported once, so that
                                  // they do not hide other errors
  for (size_t i = 0; i < history.operations.size(); ++i) {
    const Wrong wrong = WrongIn(history.operations[i], reported[i]);
    if (wrong.against == nullptr || !tellers.insert(wrong.against->by).second) continue;
    report.Add(
        limits, Property::kRealTime, TooOld(history.operations[i], wrong.revision, *wrong.against));
  }
}

}  // namespace dray::history
