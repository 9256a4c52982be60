// SPDX-License-Identifier: Apache-2.0
// Schedulers and foreign writers on servers that share an etcd, which is stopped, cut off and heard
// late: no device is ever in two allocations.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/read_modify_write.h"
#include "control_plane/in_process_client.h"
#include "dray/selector.h"
#include "scheduler/scheduler.h"
#include "server/storage/stored_object.h"
#include "server/verbs/resources.h"
#include "store/etcd/etcd_store.h"
#include "store/etcd/testing/etcd_fixture.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/store.h"
#include "tests/exclusive_devices/double_bookings.h"
#include "tests/soak.h"

namespace dray::exclusive_devices {
namespace {

using api::resource_v1::ResourceClaim;
using std::chrono::milliseconds;
using store::etcd::EtcdStore;
using store::etcd::testing::EtcdProcess;
using store::etcd::testing::TcpProxy;
using ::testing::IsEmpty;

constexpr size_t kNodes = 2;
constexpr size_t kDevicesPerNode = 2;
constexpr int kPods = 8;
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

template <class T>
client::ObjectRef Ref(std::string name) {
  return {&api::Reflected<T>::kKind, "default", std::move(name)};
}

class ExclusiveDevicesFaults : public ::testing::Test {
 protected:
  /// What one seed does; findings of the judge.
  std::vector<std::string> Run(uint64_t seed, By by) {
    etcd_ = EtcdProcess::Start({.disk = store::etcd::testing::EtcdDisk::kMemory}).value();
    observer_ = std::make_unique<Server>(etcd_->endpoint(), false, milliseconds(60'000));
    EXPECT_TRUE(Wait(observer_->resources().Bootstrap()).has_value());
    const Revision begin = observer_->store().Read()->revision();
    MakeDevices();
    for (size_t i = 0; i < 2; ++i) {
      sites_.push_back(
          std::make_unique<Site>(etcd_->port(), by, by == By::kServers || i == 0, unknown_));
    }
    {
      std::atomic<bool> is_over = false;
      std::vector<std::jthread> strangers;
      for (size_t i = 0; by == By::kServers && i < sites_.size(); ++i) {
        MakeClaim(fmt::format("stranger-{}", i));
        strangers.emplace_back([&, i] { TakeAtRandom(i, seed, is_over); });
      }
      std::jthread user([&] { UseAtRandom(seed); });
      Trouble(seed);
      user.join();
      is_over = true;
    }
    AwaitUseOfAllDevices();
    sites_.clear();
    const auto history = SeenAfter(observer_->store(), begin);
    EXPECT_TRUE(history.has_value());
    allocations_ += history->size();
    observer_.reset();
    etcd_.reset();
    return DoubleBookings(*history);
  }

  void MakeDevices() {
    api::resource_v1::DeviceClass gpu;
    gpu.metadata.name = "gpu";
    Make(api::Object::Of(std::move(gpu)));
    for (size_t i = 0; i < kNodes; ++i) {
      api::core_v1::Node node;
      node.metadata.name = fmt::format("node-{}", i);
      api::resource_v1::ResourceSlice slice;
      slice.metadata.name = node.metadata.name;
      slice.spec.driver = "gpu.example";
      slice.spec.node_name = node.metadata.name;
      slice.spec.pool = {.name = node.metadata.name, .generation = 1, .resource_slice_count = 1};
      for (size_t k = 0; k < kDevicesPerNode; ++k) {
        slice.spec.devices.push_back({.name = fmt::format("gpu-{}", k)});
      }
      Make(api::Object::Of(std::move(node)));
      Make(api::Object::Of(std::move(slice)));
    }
  }

  void Make(const api::Object& object) {
    const Result<api::Object> made = observer_->client().Create(object);
    EXPECT_TRUE(made.has_value()) << made.error().message;
  }

  void MakeClaim(const std::string& name) {
    Make(*api::DecodeJson(
        api::Reflected<ResourceClaim>::kKind,
        R"({"metadata":{"namespace":"default","name":")" + name +
            R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",
               "allocationMode":"ExactCount","count":1}}]}}})",
        nullptr));
  }

  /// Needs the claim of its name.
  void MakePod(const std::string& name) {
    std::string pod = R"({"metadata":{"namespace":"default","name":")";
    pod += name;
    pod += R"("},"spec":{"containers":[{"name":"c","image":"i"}],
               "resourceClaims":[{"name":"c","resourceClaimName":")";
    pod += name;
    pod += R"("}]}})";
    Make(*api::DecodeJson(api::Reflected<api::core_v1::Pod>::kKind, pod, nullptr));
  }

  /// Pods with a claim each come; some go, and what they had is freed.
  void UseAtRandom(uint64_t seed) {
    SeededRandom random(seed);
    Wakeup nobody;
    std::vector<std::string> alive;
    for (int i = 0; i < kPods; ++i) {
      const std::string name = fmt::format("p{}", i);
      MakeClaim(name);
      MakePod(name);
      alive.push_back(name);
      nobody.WaitFor(milliseconds(5 + random.Next() % 30));
      if (random.Next() % 2 == 0) continue;
      const auto victim = alive.begin() + static_cast<std::ptrdiff_t>(random.Next() % alive.size());
      (void)observer_->client().Delete(Ref<api::core_v1::Pod>(*victim),
                                       {.grace_period_seconds = 0});
      Free(*victim);
      alive.erase(victim);
    }
  }

  void Free(const std::string& name) {
    const Result<api::Object> claim = observer_->client().Get(Ref<ResourceClaim>(name));
    if (!claim) return;
    (void)client::ReadModifyWrite(
        observer_->client(), *claim, "status", [](api::Object& copy) -> Result<client::Change> {
          copy.Mutable<ResourceClaim>().status = {};
          return client::Change::kWrite;
        });
  }

  /// A scheduler of somebody else, which does not look before it takes.
  void TakeAtRandom(size_t site, uint64_t seed, const std::atomic<bool>& is_over) {
    SeededRandom random(seed * 2 + site);
    Wakeup nobody;
    client::Client& client = sites_[site]->server().client();
    while (!is_over) {
      nobody.WaitFor(milliseconds(random.Next() % 10));
      const Result<api::Object> found =
          client.Get(Ref<ResourceClaim>(fmt::format("stranger-{}", site)));
      if (!found) continue;
      api::Object copy = found->Clone();
      auto& status = copy.Mutable<ResourceClaim>().status;
      if (std::exchange(status.allocation, std::nullopt)) {
        (void)client.Update(copy, "status");
        continue;
      }
      status.allocation.emplace().devices.results.push_back(
          {.request = "r",
           .driver = "gpu.example",
           .pool = fmt::format("node-{}", random.Next() % kNodes),
           .device = fmt::format("gpu-{}", random.Next() % kDevicesPerNode)});
      (void)client.Update(copy, "status");
    }
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

  /// Everything works again, and there are more claims than devices: soon each device is in one.
  void AwaitUseOfAllDevices() {
    for (const std::string_view stranger : {"stranger-0", "stranger-1"}) {
      Free(std::string(stranger));
    }
    for (size_t i = 0; i < kNodes * kDevicesPerNode; ++i) {
      const std::string name = fmt::format("last-{}", i);
      MakeClaim(name);
      MakePod(name);
    }
    store::etcd::testing::AwaitChange(observer_->store(), [this] {
      const auto claims = observer_->client().List(api::Reflected<ResourceClaim>::kKind, {});
      const auto allocated = std::ranges::count_if(claims->items, [](const api::Object& claim) {
        return claim.As<ResourceClaim>().status.allocation.has_value();
      });
      return static_cast<size_t>(allocated) >= kNodes * kDevicesPerNode;
    });
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
