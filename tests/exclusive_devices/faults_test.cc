// SPDX-License-Identifier: Apache-2.0
// Schedulers and foreign writers on servers that share an etcd, which is stopped, cut off and
// delayed: no device is ever in two allocations.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "base/world.h"
#include "control_plane/in_process_client.h"
#include "server/storage/stored_object.h"
#include "server/verbs/resources.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/forwarding_store.h"
#include "tests/exclusive_devices/double_bookings.h"
#include "tests/exclusive_devices/running_scheduler.h"
#include "tests/exclusive_devices/trouble.h"
#include "tests/exclusive_devices/users.h"
#include "tests/soak.h"

namespace dray::exclusive_devices {
namespace {

using std::chrono::milliseconds;
using store::etcd::EtcdStore;
using store::etcd::testing::EtcdDisk;
using store::etcd::testing::EtcdProcess;
using store::etcd::testing::TcpProxy;
using ::testing::IsEmpty;

// Time limit of a server with its etcd. Every fault is repaired, so only a bug reaches the limit,
// and the set of late writes does not depend on the load of the machine.
constexpr std::chrono::minutes kPatience{10};
constexpr int kLateEvery = 3;  // every so-many-th write of a claim is answered too late

/// A store that loses the answers to some writes of claims, although it carries them out. Every
/// second of these writes is carried out only after its caller has got an unknown outcome.
class LateStore final : public store::ForwardingStore {
 public:
  /// Loses the answer to every `every`-th write of a claim; 0: none. `unanswered` counts them.
  LateStore(std::unique_ptr<EtcdStore> store, int every, std::atomic<int>* unanswered)
      : ForwardingStore(*store), store_(std::move(store)), every_(every), unanswered_(unanswered) {}

  void Commit(store::Txn txn, store::CommitCallback done) override {
    const bool is_claim = std::ranges::any_of(txn.operations, [](const auto& operation) {
      const auto* put = std::get_if<store::Put>(&operation);
      return put != nullptr && put->key.starts_with("/registry/resourceclaims/default/p");
    });
    const int number = is_claim ? ++claims_ : 0;
    if (every_ == 0 || number == 0 || number % every_ != 0) {
      return store_->Commit(std::move(txn), std::move(done));
    }
    ++*unanswered_;
    if (number / every_ % 2 == 0) {
      store_->Commit(std::move(txn), [](const auto&) {});
      return done(NotKnown());
    }
    store_->Commit(std::move(txn),
                   [done = std::move(done)](const auto&) mutable { done(NotKnown()); });
  }

 private:
  static Result<store::CommitOutcome> NotKnown() {
    return Fail(StatusReason::kTimeout, "etcd did not answer in time, the outcome is not known");
  }

  const std::unique_ptr<EtcdStore> store_;
  const int every_;
  std::atomic<int>* const unanswered_;
  std::atomic<int> claims_ = 0;
};

/// The common parts of both kinds of server: verbs over a store, and a client of them. `late`
/// selects the claims whose writes are answered late; `unanswered` counts them.
class Server {
 public:
  Server(std::string endpoint, bool exclusive, int late = 0, std::atomic<int>* unanswered = nullptr)
      : store_(EtcdStore::Open(RealWorld(),
                               Log::Silent(),
                               {.endpoints = {std::move(endpoint)},
                                .dial_timeout = kPatience,
                                .commit_timeout = kPatience,
                                .sync_timeout = kPatience,
                                .dial_backoff_min = milliseconds(10),
                                .dial_backoff_max = milliseconds(50)},
                               {.read_value = server::storage::ReadStored})
                   .value(),
               late,
               unanswered),
        resources_(scheme_, store_, RealWorld(), Log::Silent(), {.exclusive_devices = exclusive}),
        client_(resources_, {.name = "test", .groups = {"system:masters"}}) {}

  store::Store& store() { return store_; }
  server::verbs::Resources& resources() { return resources_; }
  client::Client& client() { return client_; }

 private:
  const api::Scheme scheme_;
  LateStore store_;
  server::verbs::Resources resources_;
  control_plane::InProcessClient client_;
};

/// A server behind a proxy, perhaps with a scheduler.
class Site {
 public:
  Site(uint16_t etcd_port, By by, bool schedules, std::atomic<int>& unanswered)
      : proxy_(etcd_port), server_(proxy_.endpoint(), by == By::kServers, kLateEvery, &unanswered) {
    if (schedules) scheduler_.emplace(server_.client(), RealWorld());
  }

  TcpProxy& proxy() { return proxy_; }
  client::Client& client() { return server_.client(); }

 private:
  TcpProxy proxy_;
  Server server_;
  std::optional<RunningScheduler> scheduler_;
};

/// Counts of events over all seeds.
struct Tally {
  std::atomic<int> unanswered = 0;  // writes whose answer was lost
  std::atomic<size_t> allocations = 0;
};

/// The trial of one seed on an empty etcd.
class Trial {
 public:
  Trial(uint64_t seed, By by, Tally& tally)
      : seed_(seed),
        by_(by),
        tally_(tally),
        etcd_(EtcdProcess::Start({.disk = EtcdDisk::kMemory}).value()) {}

  /// Findings of the judge.
  std::vector<std::string> Run() {
    Server observer(etcd_->endpoint(), false);  // connected directly
    EXPECT_TRUE(dray::Wait(observer.resources().Bootstrap()).has_value());
    const Revision begin = observer.store().Read()->revision();
    Users users(observer.client());
    users.MakeDevices();
    std::vector<client::Client*> strangers;
    for (size_t i = 0; i < 2; ++i) {
      const bool schedules = by_ == By::kServers || i == 0;
      sites_.push_back(std::make_unique<Site>(etcd_->port(), by_, schedules, tally_.unanswered));
      if (by_ == By::kServers) strangers.push_back(&sites_.back()->client());
    }
    UseDuring(users, strangers, seed_, [this] { MakeTrouble(); });
    sites_.clear();
    const auto history = SeenAfter(observer.store(), begin);
    EXPECT_TRUE(history.has_value());
    if (!history) return {};
    tally_.allocations += history->size();
    return DoubleBookings(*history);
  }

 private:
  /// One thing after the other goes wrong, and is put right again.
  void MakeTrouble() {
    SeededRandom random(seed_);
    for (int i = 0; i < kTroubles; ++i) {
      Wait(random);
      if (random.Next() % 6 != 0) {
        Disturb(sites_[random.Next() % sites_.size()]->proxy(), random);
        continue;
      }
      etcd_->Pause();
      Wait(random);
      etcd_->Resume();
    }
  }

  const uint64_t seed_;
  const By by_;
  Tally& tally_;
  const std::unique_ptr<EtcdProcess> etcd_;
  std::vector<std::unique_ptr<Site>> sites_;
};

TEST(ExclusiveDevicesFaults, NoDeviceIsEverInTwoAllocations) {
  if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  Tally tally;
  ForEachSeed(Instances(50), [&](uint64_t seed) {
    Trial trial(seed, seed % 2 == 0 ? By::kServers : By::kScheduler, tally);
    EXPECT_THAT(trial.Run(), IsEmpty()) << "seed " << seed;
  });
  EXPECT_GT(tally.unanswered, 0) << "nothing went wrong in the middle of a write";
  EXPECT_GT(tally.allocations, 0U);
}

}  // namespace
}  // namespace dray::exclusive_devices
