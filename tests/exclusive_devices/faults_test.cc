// SPDX-License-Identifier: Apache-2.0
// Schedulers and foreign writers on servers that share an etcd, which is stopped, cut off and heard
// late: no device is ever in two allocations.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "control_plane/in_process_client.h"
#include "dray/selector.h"
#include "scheduler/scheduler.h"
#include "server/storage/stored_object.h"
#include "server/verbs/resources.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/store.h"
#include "tests/exclusive_devices/double_bookings.h"
#include "tests/exclusive_devices/users.h"
#include "tests/soak.h"

namespace dray::exclusive_devices {
namespace {

using std::chrono::milliseconds;
using store::etcd::EtcdStore;
using store::etcd::testing::EtcdProcess;
using store::etcd::testing::TcpProxy;
using ::testing::IsEmpty;

constexpr int kTroubles = 14;
constexpr milliseconds kPatience{150};  // of a server with its etcd
constexpr int kLateEvery = 3;           // which writes of claims are heard of too late

/// Who keeps devices apart when nobody hears from anybody.
enum class By : uint8_t {
  kServers,    // two schedulers, and writers of whom they know nothing
  kScheduler,  // one scheduler; the servers take whatever is written
};

/// A store whose answers may be held from the moment it sends a claim until it has given up: the
/// write is carried out, and nobody hears of it in time.
class LateStore final : public store::Store {
 public:
  /// Every `every`-th write of a claim is heard of late; 0: none.
  LateStore(std::unique_ptr<EtcdStore> store, TcpProxy* proxy, int every)
      : store_(std::move(store)), proxy_(proxy), every_(every) {}

  Frozen<store::Snapshot> Read() const override { return store_->Read(); }
  void Sync(std::move_only_function<void(Result<Revision>)> done) override {
    store_->Sync(std::move(done));
  }
  Result<Frozen<store::Snapshot>> ReadAt(Revision revision) const override {
    return store_->ReadAt(revision);
  }
  void Commit(store::Txn txn, store::CommitCallback done) override {
    const bool is_claim = std::ranges::any_of(txn.operations, [](const auto& operation) {
      const auto* put = std::get_if<store::Put>(&operation);
      return put != nullptr && put->key.starts_with("/registry/resourceclaims/default/p");
    });
    if (every_ == 0 || !is_claim || ++claims_ % every_ != 0) {
      return store_->Commit(std::move(txn), std::move(done));
    }
    proxy_->HoldAnswers();
    store_->Commit(std::move(txn), [this, done = std::move(done)](auto outcome) mutable {
      proxy_->Release();
      done(std::move(outcome));
    });
  }
  Result<store::Batch> EventsAfter(Revision after,
                                   std::string_view prefix,
                                   size_t max) const override {
    return store_->EventsAfter(after, prefix, max);
  }
  Result<store::Subscription> Subscribe(store::Wake wake) override {
    return store_->Subscribe(std::move(wake));
  }
  void ExpireDue(WallTime now,
                 size_t max,
                 std::move_only_function<void(Result<size_t>)> done) override {
    store_->ExpireDue(now, max, std::move(done));
  }
  Result<> Compact(Revision revision) override { return store_->Compact(revision); }
  store::Status status() const override { return store_->status(); }

 private:
  const std::unique_ptr<EtcdStore> store_;
  TcpProxy* const proxy_;
  const int every_;
  std::atomic<int> claims_ = 0;
};

/// What both kinds of server share: verbs over a store, and a client of them. `late` is of which
/// claims it hears late; then there is a proxy.
class Server {
 public:
  Server(std::string endpoint,
         bool exclusive,
         milliseconds patience,
         TcpProxy* proxy = nullptr,
         int late = 0)
      : store_(EtcdStore::Open(RealWorld(),
                               Log::Silent(),
                               {.endpoints = {std::move(endpoint)},
                                .commit_timeout = patience,
                                .sync_timeout = patience,
                                .dial_backoff_min = milliseconds(10),
                                .dial_backoff_max = milliseconds(50)},
                               {.read_value = server::storage::ReadStored})
                   .value(),
               proxy,
               late),
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

/// A server behind a proxy, with a scheduler that writes from a thread of its own.
class Site {
 public:
  Site(uint16_t etcd_port, By by, bool schedules, std::atomic<int>& unknown)
      : proxy_(etcd_port),
        server_(proxy_.endpoint(), by == By::kServers, kPatience, &proxy_, kLateEvery) {
    if (!schedules) return;
    scheduler_ = std::make_unique<scheduler::Scheduler>(
        server_.client(),
        RealWorld(),
        Log(RealWorld().clock,
            [&unknown](std::string_view line) { unknown += line.contains("nobody knows") ? 1 : 0; },
            {}),
        scheduler::Scheduler::Options{
            .selectors = allocator::SelectorCacheFor({}, 100),
            .queue = {.backoff_initial = milliseconds(10), .backoff_max = milliseconds(50)},
            .bindings_max = 4,
            .ask_again = milliseconds(20)});
    threads_.emplace_back([this] { scheduler_->Run(); });
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { scheduler_->RunBinder(); });
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site() {
    if (scheduler_ != nullptr) scheduler_->Stop();
  }

  TcpProxy& proxy() { return proxy_; }
  Server& server() { return server_; }

 private:
  TcpProxy proxy_;
  Server server_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::vector<std::jthread> threads_;  // they end before what they use
};

class ExclusiveDevicesFaults : public ::testing::Test {
 protected:
  /// What one seed does; findings of the judge.
  std::vector<std::string> Run(uint64_t seed, By by) {
    etcd_ = EtcdProcess::Start({.disk = store::etcd::testing::EtcdDisk::kMemory}).value();
    observer_ = std::make_unique<Server>(etcd_->endpoint(), false, milliseconds(60'000));
    EXPECT_TRUE(Wait(observer_->resources().Bootstrap()).has_value());
    const Revision begin = observer_->store().Read()->revision();
    Users users(observer_->client());
    users.MakeDevices();
    for (size_t i = 0; i < 2; ++i) {
      sites_.push_back(
          std::make_unique<Site>(etcd_->port(), by, by == By::kServers || i == 0, unknown_));
    }
    {
      std::atomic<bool> is_over = false;
      std::vector<std::jthread> strangers;
      for (size_t i = 0; by == By::kServers && i < sites_.size(); ++i) {
        const std::string name = fmt::format("stranger-{}", i);
        users.MakeClaim(name);
        strangers.emplace_back([&, i, name] {
          TakeAtRandom(sites_[i]->server().client(), name, seed * 2 + i, is_over);
        });
      }
      std::jthread user([&] { users.UseAtRandom(seed); });
      Trouble(seed);
      user.join();
      is_over = true;
    }
    for (const std::string_view name : {"stranger-0", "stranger-1"}) users.Free(std::string(name));
    users.AwaitUseOfAllDevices();
    sites_.clear();
    const auto history = SeenAfter(observer_->store(), begin);
    EXPECT_TRUE(history.has_value());
    allocations_ += history->size();
    observer_.reset();
    etcd_.reset();
    return DoubleBookings(*history);
  }

  /// One thing after the other goes wrong, and is put right again.
  void Trouble(uint64_t seed) {
    SeededRandom random(seed);
    Wakeup nobody;
    const auto wait = [&] { nobody.WaitFor(milliseconds(2 + random.Next() % 25)); };
    for (int i = 0; i < kTroubles; ++i) {
      wait();
      TcpProxy& proxy = sites_[random.Next() % sites_.size()]->proxy();
      switch (random.Next() % 6) {
        case 0: proxy.Cut(); break;
        case 1:
          proxy.HoldAnswers();
          nobody.WaitFor(kPatience + milliseconds(random.Next() % 50));
          if (random.Next() % 2 == 0) proxy.Cut();
          proxy.Release();
          break;
        case 2:
          proxy.Hold();
          nobody.WaitFor(kPatience + milliseconds(random.Next() % 50));
          proxy.Release();
          break;
        case 3:  // what is said later on other connections arrives earlier
          proxy.HoldConnection(random.Next() % std::max<size_t>(proxy.connections(), 1));
          wait();
          proxy.Release();
          break;
        case 4:
          proxy.Refuse();
          wait();
          proxy.Allow();
          break;
        default:
          etcd_->Pause();
          wait();
          etcd_->Resume();
          break;
      }
    }
  }

  std::unique_ptr<EtcdProcess> etcd_;
  std::unique_ptr<Server> observer_;  // connected directly
  std::vector<std::unique_ptr<Site>> sites_;
  std::atomic<int> unknown_ = 0;
  size_t allocations_ = 0;
};

TEST_F(ExclusiveDevicesFaults, NoDeviceIsEverInTwoAllocations) {
  if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  for (uint64_t seed = 1; seed <= Instances(50) && !HasFailure(); ++seed) {
    EXPECT_THAT(Run(seed, seed % 2 == 0 ? By::kServers : By::kScheduler), IsEmpty())
        << "seed " << seed;
  }
  EXPECT_GT(unknown_, 0) << "nothing went wrong in the middle of a write";
  EXPECT_GT(allocations_, 0U);
}

}  // namespace
}  // namespace dray::exclusive_devices
