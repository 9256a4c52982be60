// SPDX-License-Identifier: Apache-2.0
// Two servers on one etcd that is killed, stopped and cut off while clients work on both.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/options.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/record.h"
#include "store/store.h"
#include "tests/history/history.h"
#include "tests/history/recorder.h"
#include "tests/store_faults/verdict.h"
#include "tests/store_faults/workload.h"

namespace dray::store_faults {
namespace {

using std::chrono::milliseconds;

// Time limit of a store with its etcd. Every fault is repaired, so only a bug reaches the limit. A
// busy machine must not make outcomes unknown; only the faults below do.
constexpr std::chrono::minutes kPatience{10};

/// An etcd, and between it and each of two stores a proxy.
class Cluster {
 public:
  Cluster() : etcd_(store::etcd::testing::EtcdProcess::Start({}).value()) {
    for (size_t i = 0; i < 2; ++i) {
      proxies_.push_back(std::make_unique<store::etcd::testing::TcpProxy>(etcd_->port()));
      stores_.push_back(
          store::etcd::EtcdStore::Open(
              RealWorld(),
              Log::Silent(),
              {.endpoints = {"http://127.0.0.1:" + std::to_string(proxies_[i]->port())},
               .prefix = "/r",
               .dial_timeout = kPatience,
               .commit_timeout = kPatience,
               .sync_timeout = kPatience,
               .dial_backoff_min = milliseconds(10),
               .dial_backoff_max = milliseconds(50)},
              {.events_max = 300})
              .value());
    }
  }

  Server server(uint32_t i) { return {.store = stores_[i].get(), .id = i}; }

  /// A write is carried out, but its answer is lost. There is no other write yet, so the second
  /// store must see this one.
  void LoseAnswer(history::Recorder& recorder) {
    proxies_[0]->HoldAnswers();
    const std::jthread client([&] {
      history::RecordedClient lonely(recorder, *stores_[0], {.client = kLonely, .server = 0});
      store::Txn txn;
      txn.operations.emplace_back(
          store::Put{.key = "/r/pods/n/0", .value = store::MakeBytes("a write without an answer")});
      EXPECT_EQ(lonely.Commit(std::move(txn)).error().reason, StatusReason::kTimeout);
    });
    while (stores_[1]->Read()->revision() == store::kFirstRevision) IsInSync(*stores_[1]);
    proxies_[0]->Cut();
    proxies_[0]->Release();
  }

  /// One thing after the other goes wrong, and is put right again. Between two of them many more
  /// calls are answered than can be under way, however slowly.
  void Trouble(const history::Recorder& recorder, const std::atomic<bool>& is_over, uint64_t seed) {
    SeededRandom random(seed);
    Wakeup nobody;
    const auto wait = [&] { nobody.WaitFor(milliseconds(5 + random.Next() % 60)); };
    while (!is_over) {
      const uint64_t wanted = recorder.answered() + 20 + random.Next() % 30;
      while (recorder.answered() < wanted && !is_over) nobody.WaitFor(milliseconds(1));
      store::etcd::testing::TcpProxy& proxy = *proxies_[random.Next() % proxies_.size()];
      switch (random.Next() % 6) {
        case 0: proxy.Cut(); break;
        case 1:
          proxy.Refuse();
          wait();
          proxy.Allow();
          break;
        case 2:
          proxy.HoldAnswers();
          wait();
          if (random.Next() % 2 == 0) proxy.Cut();
          proxy.Release();
          break;
        case 3:
          proxy.Hold();
          wait();
          proxy.Release();
          break;
        case 4:
          etcd_->Pause();
          wait();
          etcd_->Resume();
          break;
        default:
          etcd_->Kill();
          EXPECT_TRUE(etcd_->Restart().has_value()) << etcd_->log();
          break;
      }
    }
  }

  /// Until both stores answer again.
  void Recover() {
    for (const auto& store : stores_) {
      while (!IsInSync(*store)) continue;
    }
  }

 private:
  static constexpr uint32_t kLonely = 10'000;

  static bool IsInSync(store::Store& store) {
    std::atomic<int> answer{0};
    store.Sync([&](const Result<Revision>& result) {
      answer = result.has_value() ? 1 : 2;
      answer.notify_all();
    });
    answer.wait(0);
    return answer == 1;
  }

  std::unique_ptr<store::etcd::testing::EtcdProcess> etcd_;
  std::vector<std::unique_ptr<store::etcd::testing::TcpProxy>> proxies_;
  std::vector<std::unique_ptr<store::etcd::EtcdStore>> stores_;
};

TEST(EtcdFaults, LoseNothingThatWasAnswered) {
  if (const std::string reason = store::etcd::testing::EtcdProcess::Missing(); !reason.empty())
    GTEST_SKIP() << reason;
  size_t done = 0;
  size_t unknown = 0;
  for (uint64_t seed = 1; seed <= FaultRuns() && !HasFailure(); ++seed) {
    Cluster cluster;
    history::Recorder recorder;
    cluster.LoseAnswer(recorder);
    cluster.Recover();
    Workload workload(recorder, {.seed = seed, .operations = 120, .errors_max = 1'000});
    workload.Run({cluster.server(0), cluster.server(1)}, [&](const std::atomic<bool>& is_over) {
      cluster.Trouble(recorder, is_over, seed);
    });
    cluster.Recover();
    workload.Finish(cluster.server(0));
    workload.Finish(cluster.server(1));
    const history::History history = recorder.Take();
    for (const history::Operation& operation : history.operations) {
      if (!std::holds_alternative<history::Write>(operation.request)) continue;
      done += std::holds_alternative<history::Done>(operation.answer) ? 1 : 0;
      unknown += std::holds_alternative<history::Unknown>(operation.answer) ? 1 : 0;
    }
    ExpectSound(history, "etcd", seed);
  }
  EXPECT_GT(unknown, 0U) << "nothing went wrong in the middle of a write";
  EXPECT_GT(done, unknown) << "hardly anything worked";
}

}  // namespace
}  // namespace dray::store_faults
