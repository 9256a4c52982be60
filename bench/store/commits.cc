// SPDX-License-Identifier: Apache-2.0
#include "bench/store/commits.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/world.h"
#include "bench/samples.h"
#include "bench/store/bare_sqlite.h"
#include "bench/store/figures.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/record.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace dray::bench {
namespace {

constexpr double kSecondsToWarmUp = 1;  // until the log has been checkpointed once
constexpr double kSecondsEach = 2;
constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kPatience{10'000};

/// Values of 2 to 8 KiB, all different.
std::vector<std::string> MakeValues() {
  SeededRandom random(1);
  std::vector<std::string> values;
  for (int i = 0; i < 256; ++i) {
    std::string value(2'048 + random.Next() % 6'145, '\0');
    for (char& byte : value) byte = static_cast<char>(random.Next());
    values.push_back(std::move(value));
  }
  return values;
}

struct Commits {
  double rate = 0;        // per second
  double slowest_ms = 0;  // of one commit
};

/// Calls `commit` with increasing numbers from `writers` threads for `seconds`.
Commits RunFor(size_t writers, double seconds, const std::function<void(uint64_t number)>& commit) {
  std::atomic<uint64_t> next{0};
  std::vector<double> slowest(writers);
  const MonotonicTime begin = Now();
  std::vector<std::jthread> threads;
  threads.reserve(writers);
  for (size_t i = 0; i < writers; ++i) {
    threads.emplace_back([&, i] {
      MonotonicTime commit_begin = Now();
      while (SecondsSince(begin) < seconds) {
        commit(next.fetch_add(1));
        const MonotonicTime commit_end = Now();
        slowest[i] = std::max(slowest[i], MillisecondsBetween(commit_begin, commit_end));
        commit_begin = commit_end;
      }
    });
  }
  threads.clear();
  return {.rate = static_cast<double>(next) / SecondsSince(begin),
          .slowest_ms = *std::ranges::max_element(slowest)};
}

struct StoreRun {
  Commits commits;
  std::vector<size_t> batches;  // numbers of commits that became durable together
  size_t warm = 0;              // number of batches during the warm-up
};

StoreRun RunStore(const std::string& folder,
                  size_t writers,
                  const std::vector<std::string>& values) {
  StoreRun run;
  const auto store = store::sqlite::SqliteStore::Open(folder).value();
  Revision seen = store->Read()->revision();
  const store::Subscription subscription = *store->Subscribe([&](Revision newest) {
    run.batches.push_back(static_cast<size_t>(newest.value() - seen.value()));
    seen = newest;
  });
  const auto put = [&](uint64_t number) {
    store::Txn txn;
    txn.operations.emplace_back(store::Put{
        .key = KeyOf(number % 1'000), .value = store::MakeBytes(values[number % values.size()])});
    DRAY_CHECK(store->CommitAndWait(std::move(txn)).has_value());
  };
  RunFor(writers, kSecondsToWarmUp, put);
  run.warm = run.batches.size();
  run.commits = RunFor(writers, kSecondsEach, put);
  return run;
}

/// The same through the client alone, without a mirror.
Commits RunEtcd(store::etcd::rpc::Client& client,
                size_t writers,
                const std::vector<std::string>& values) {
  return RunFor(writers, kSecondsEach, [&](uint64_t number) {
    store::etcd::rpc::TxnQuery query;
    query.writes.push_back({.key = KeyOf(number % 1'000), .value = values[number % values.size()]});
    DRAY_CHECK(client.TxnAndWait(query, kPatience).has_value());
  });
}

struct Figures {
  Samples store, bare, batch, to_bare, slowest_ms;
  Samples etcd, to_etcd, etcd_slowest_ms;  // empty without etcd
};

void Print(size_t writers, const Figures& figures) {
  const double bare = figures.to_bare.median();
  fmt::print("{:>7} {:>10.0f} {:>7.1f} {:>8.1f} {:>10.0f} {:>6.2f} x {}",
             writers,
             figures.store.median(),
             figures.batch.median(),
             figures.slowest_ms.max(),
             figures.bare.median(),
             bare,
             Against(bare >= 0.8, "0.8"));
  if (figures.etcd.size() > 0) {
    const double etcd = figures.to_etcd.median();
    fmt::print("{:>10.0f} {:>8.1f} {:>6.2f} x {}",
               figures.etcd.median(),
               figures.etcd_slowest_ms.max(),
               etcd,
               Against(etcd >= 1, "1"));
  }
  fmt::print("\n");
}

/// Measures one round of all stores, in turn.
void AddRound(const std::string& folder,
              size_t writers,
              const std::vector<std::string>& values,
              store::etcd::rpc::Client* etcd,
              Figures& figures) {
  const StoreRun run = RunStore(folder, writers, values);
  figures.store.Add(run.commits.rate);
  figures.slowest_ms.Add(run.commits.slowest_ms);
  figures.batch.Add(
      static_cast<double>(std::accumulate(run.batches.begin(), run.batches.end(), size_t{0})) /
      static_cast<double>(run.batches.size()));
  const double bare = BareSqliteRate(folder + "/bare.db", run.batches, run.warm, values);
  figures.bare.Add(bare);
  figures.to_bare.Add(run.commits.rate / bare);
  if (etcd != nullptr) {
    const Commits commits = RunEtcd(*etcd, writers, values);
    figures.etcd.Add(commits.rate);
    figures.etcd_slowest_ms.Add(commits.slowest_ms);
    figures.to_etcd.Add(run.commits.rate / commits.rate);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace

void MeasureCommits(const std::string& folder) {
  const std::vector<std::string> values = MakeValues();
  const std::string missing = store::etcd::testing::EtcdProcess::Missing();
  std::unique_ptr<store::etcd::testing::EtcdProcess> etcd;
  std::unique_ptr<store::etcd::rpc::Client> client;
  if (missing.empty()) {
    etcd = store::etcd::testing::EtcdProcess::Start({}).value();
    client =
        store::etcd::rpc::Client::Make(RealWorld().disk, {.endpoints = {etcd->endpoint()}}).value();
  } else {
    fmt::print("without etcd: {}\n", missing);
  }
  fmt::print("durable commits per second, values of 2 to 8 KiB; medians of {} rounds in turn\n",
             kRounds);
  fmt::print("max: the slowest commit of all rounds, in ms\n");
  fmt::print(
      "writers      store   batch      max  bare loop  store / bare loop      etcd      max  store "
      "/ "
      "etcd\n");
  for (const size_t writers : {size_t{1}, size_t{16}, size_t{64}}) {
    Figures figures;
    for (int round = 0; round < kRounds; ++round) {
      AddRound(fmt::format("{}/commits-{}-{}", folder, writers, round),
               writers,
               values,
               client.get(),
               figures);
    }
    Print(writers, figures);
  }
}

}  // namespace dray::bench
