// SPDX-License-Identifier: Apache-2.0
#include "tests/store_faults/workload.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/strong.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "store/store.h"
#include "tests/history/history.h"
#include "tests/history/recorder.h"
#include "tests/store_faults/client_script.h"

namespace dray::store_faults {
namespace {

constexpr uint32_t kClientsPerPhase = 100;
constexpr uint32_t kFirstWatcher = 50;
constexpr uint32_t kLastClient = 99;
constexpr auto kLookAgain = std::chrono::milliseconds(5);

}  // namespace

Workload::Workload(history::Recorder& recorder, const WorkloadOptions& options)
    : recorder_(recorder), options_(options), phase_(options.first_phase) {
  for (size_t i = 0; i < options.watchers; ++i) {
    watchers_.push_back({.prefix = std::string(kWatchedPrefixes[i % kWatchedPrefixes.size()]),
                         .after = options.follow_after});
  }
}

void Workload::Run(const std::vector<Server>& servers, const Chaos& chaos) {
  const uint32_t first = phase_++ * kClientsPerPhase;
  is_over_ = false;
  const auto server_of = [&](size_t i) { return servers[i % servers.size()]; };
  std::vector<std::jthread> watchers;
  for (size_t i = 0; i < watchers_.size(); ++i) {
    const uint32_t client = first + kFirstWatcher + static_cast<uint32_t>(i);
    watchers.emplace_back([this, client, i, server = server_of(i)] {
      RunWatcher(server, client, watchers_[i], i == 0 ? options_.lag_revisions : 0);
    });
  }
  watchers.emplace_back([this, &servers] { Expire(*servers[0].store); });
  if (chaos) watchers.emplace_back([this, &chaos] { chaos(is_over_); });
  std::vector<std::jthread> clients;
  for (size_t i = 0; i < options_.clients; ++i) {
    clients.emplace_back([this, first, i, server = server_of(i)] {
      ClientScript(recorder_, server, first + static_cast<uint32_t>(i), options_, seconds_).Run();
    });
  }
  clients.clear();
  is_over_ = true;
  is_over_.notify_all();
}

/// Follows until all clients are done and everything its store knows has been seen.
void Workload::RunWatcher(const Server& server,
                          uint32_t client,
                          Watcher& watcher,
                          int64_t lag_revisions) {
  SeededRandom random(options_.seed * 7'777 + client);
  Wakeup wakeup;
  const history::Identity identity{.client = client, .server = server.id};
  history::RecordedClient reader(recorder_, *server.store, identity);
  std::optional<history::RecordedWatch> watch;
  store::Subscription subscription;
  const auto begin = [&](Revision after) {
    watch.emplace(recorder_, *server.store, identity, watcher.prefix, after);
    subscription = *server.store->Subscribe([&](Revision) { wakeup.Wake(); });
  };
  begin(watcher.after);
  while (true) {
    const auto is_near = [&] {
      const int64_t newest = server.store->Read()->revision().value();
      return newest < watch->through().value() + lag_revisions;
    };
    while (is_near() && !is_over_) wakeup.WaitFor(kLookAgain);
    const bool was_over = is_over_;
    const Result<store::Batch> batch = watch->Next(1 + random.Next() % 8);
    if (!batch.has_value()) {  // too late: list, and watch from there
      const auto list = reader.Read(history::List{
          .prefix = watcher.prefix, .start_key = {}, .freshness = history::Freshness::kLocal});
      if (!list.has_value()) break;
      begin(list->revision);
      continue;
    }
    if (watch->through() >= server.store->Read()->revision()) {
      if (was_over) break;
      wakeup.WaitFor(kLookAgain);
    }
    // Breaks the connection now and then; the watch continues after the last event, or the last
    // bookmark.
    if (random.Next() % 20 == 0)
      begin(random.Next() % 2 == 0 ? watch->through() : watch->last_event());
  }
  subscription.Cancel();
  watcher.after = random.Next() % 2 == 0 ? watch->through() : watch->last_event();
}

void Workload::Expire(store::Store& store) {
  Wakeup nobody;
  while (!is_over_) {
    static_cast<void>(store.ExpireDueAndWait(WallTime(std::chrono::seconds(seconds_.load())), 4));
    nobody.WaitFor(kLookAgain);
  }
}

void Workload::Finish(const Server& server) {
  const history::Identity identity{.client = phase_ * kClientsPerPhase + kLastClient,
                                   .server = server.id};
  history::RecordedClient reader(recorder_, *server.store, identity);
  static_cast<void>(reader.Read(history::List{.prefix = "", .start_key = {}}));
  history::RecordedWatch watch(
      recorder_, *server.store, identity, "", server.store->status().floor);
  while (watch.through() < server.store->Read()->revision() && watch.Next(64).has_value()) continue;
}

}  // namespace dray::store_faults
