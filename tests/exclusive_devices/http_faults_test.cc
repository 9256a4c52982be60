// SPDX-License-Identifier: Apache-2.0
// Schedulers and foreign writers at one server that keeps its objects in memory or in a file, or at
// two that share an etcd. Servers are stopped and killed, their answers are cut off and delayed,
// and the clocks of schedulers jump: no device is ever in two allocations.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/simulated_world.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/http_client.h"
#include "client/informer.h"
#include "client/kubeconfig.h"
#include "store/etcd/testing/etcd_process.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/sqlite/testing/folder.h"
#include "tests/exclusive_devices/double_bookings.h"
#include "tests/exclusive_devices/running_scheduler.h"
#include "tests/exclusive_devices/trouble.h"
#include "tests/exclusive_devices/users.h"
#include "tests/serving/server_child.h"
#include "tests/soak.h"

namespace dray::exclusive_devices {
namespace {

using api::resource_v1::ResourceClaim;
using std::chrono::milliseconds;
using store::etcd::testing::EtcdDisk;
using store::etcd::testing::EtcdProcess;
using store::etcd::testing::TcpProxy;
using store::sqlite::testing::TestFolder;
using ::testing::IsEmpty;

constexpr size_t kLostEvery = 3;  // of the writes of a status, those whose answers are lost

/// The real clock, until it jumps.
class JumpingClock final : public Clock {
 public:
  WallTime Now() const override {
    return RealWorld().clock.Now() + std::chrono::nanoseconds(wall_ahead_.load());
  }
  MonotonicTime Monotonic() const override {
    return RealWorld().clock.Monotonic() + std::chrono::nanoseconds(ahead_.load());
  }

  /// The wall clock may jump forward or back; the monotonic clock skips some seconds, as after a
  /// sleep.
  void Jump(SeededRandom& random) {
    const auto hours = static_cast<int64_t>(random.Next() % 49) - 24;
    wall_ahead_ += std::chrono::nanoseconds(std::chrono::hours(hours)).count();
    const auto skipped = static_cast<int64_t>(random.Next() % 5'000);
    ahead_ += std::chrono::nanoseconds(milliseconds(skipped)).count();
  }

 private:
  std::atomic<int64_t> wall_ahead_ = 0;
  std::atomic<int64_t> ahead_ = 0;
};

std::unique_ptr<client::HttpClient> ClientAt(const Clock& clock, const TcpProxy& proxy) {
  return client::HttpClient::Create(
             clock, {.server = proxy.endpoint(), .token = serving::ServerChild::Token()})
      .value();
}

/// A client that is connected through a proxy, perhaps with a scheduler beside it.
class HttpSite {
 public:
  HttpSite(uint16_t server_port, bool schedules)
      : proxy_(server_port), client_(ClientAt(RealWorld().clock, proxy_)) {
    proxy_.LoseAnswers("/status HTTP/1.1", kLostEvery);
    if (!schedules) return;
    scheduler_client_ = ClientAt(clock_, proxy_);
    scheduler_.emplace(*scheduler_client_, world_);
  }

  TcpProxy& proxy() { return proxy_; }
  JumpingClock& clock() { return clock_; }
  client::Client& client() { return *client_; }

 private:
  TcpProxy proxy_;
  JumpingClock clock_;
  World world_{clock_, RealWorld().random, RealWorld().disk};
  std::unique_ptr<client::HttpClient> client_, scheduler_client_;
  std::optional<RunningScheduler> scheduler_;
};

/// The events of a watch of claims, from a list on.
class History {
 public:
  explicit History(client::Client& client) : client_(client) {
    const auto list = client.List(api::Reflected<ResourceClaim>::kKind, {});
    EXPECT_TRUE(list.has_value());
    if (list) begin_ = list->resource_version;
  }

  /// All of it, up to the creation of the claim `last`.
  std::vector<Seen> Until(const std::string& last) {
    Wakeup is_over;
    const auto watch = client_.StartWatch(api::Reflected<ResourceClaim>::kKind,
                                          {},
                                          begin_,
                                          {.events =
                                               [&](const std::vector<client::WatchEvent>& events) {
                                                 if (Add(events, last)) is_over.Wake();
                                               },
                                           .ended =
                                               [&](const Error& error) {
                                                 ADD_FAILURE()
                                                     << "the watch ended: " << error.message;
                                                 is_over.Wake();
                                               }});
    EXPECT_TRUE(watch.has_value());
    if (watch) is_over.WaitFor(std::chrono::minutes(10));
    const MutexLock lock(mutex_);
    EXPECT_TRUE(!seen_.empty() && seen_.back().claim == last) << "events are missing";
    return std::move(seen_);
  }

 private:
  bool Add(const std::vector<client::WatchEvent>& events, const std::string& last) {
    const MutexLock lock(mutex_);
    for (const client::WatchEvent& event : events) {
      if (event.type == client::WatchEventType::kBookmark) continue;
      if (!seen_.empty() && seen_.back().claim == last) break;
      const bool is_gone = event.type == client::WatchEventType::kDeleted;
      seen_.push_back({.revision = Revision(static_cast<int64_t>(client::VersionOf(event.object))),
                       .claim = event.object.metadata().name,
                       .devices = is_gone ? std::vector<std::string>()
                                          : DevicesOf(event.object.As<ResourceClaim>())});
    }
    return !seen_.empty() && seen_.back().claim == last;
  }

  client::Client& client_;
  std::string begin_;
  Mutex mutex_;
  std::vector<Seen> seen_ DRAY_GUARDED_BY(mutex_);
};

enum class Keeps : uint8_t {
  kMemory,
  kFile,
  kEtcd,  // shared by two servers, and one whose history goes back to the beginning
};

/// Counts of events over all seeds.
struct HttpTally {
  std::atomic<size_t> unanswered = 0;  // writes whose answers were lost
  std::atomic<size_t> allocations = 0;
};

/// The trial of one seed on new servers.
class HttpTrial {
 public:
  HttpTrial(uint64_t seed, Keeps keeps, By by, HttpTally& tally)
      : seed_(seed), keeps_(keeps), by_(by), tally_(tally) {
    if (keeps == Keeps::kEtcd) etcd_ = EtcdProcess::Start({.disk = EtcdDisk::kMemory}).value();
    for (size_t i = 0; i < (keeps == Keeps::kEtcd ? 3 : 1); ++i) {
      folders_.push_back(std::make_unique<TestFolder>());
      servers_.push_back(
          std::make_unique<serving::ServerChild>(DRAY_PROGRAM, folders_.back()->path(), Flags()));
    }
  }

  /// Findings of the judge.
  std::vector<std::string> Run() {
    for (const auto& server : servers_) {
      if (!Start(*server)) return {};
    }
    TcpProxy direct(servers_[0]->port());  // for users, whose connections are never cut
    direct_ = &direct;
    const auto client = ClientAt(RealWorld().clock, direct);
    Users users(*client);
    History history(*client);
    users.MakeDevices();
    std::vector<client::Client*> strangers;
    for (size_t i = 0; i < 2; ++i) {
      const bool schedules = by_ == By::kServers || i == 0;
      sites_.push_back(std::make_unique<HttpSite>(ServerOf(i).port(), schedules));
      if (by_ == By::kServers) strangers.push_back(&sites_.back()->client());
    }
    UseDuring(users, strangers, seed_, [this] { MakeTrouble(); });
    for (const auto& site : sites_) tally_.unanswered += site->proxy().lost_answers();
    sites_.clear();
    users.MakeClaim("the-end");
    const std::vector<Seen> seen = history.Until("the-end");
    tally_.allocations += seen.size();
    return DoubleBookings(seen);
  }

 private:
  std::vector<std::string> Flags() const {
    // No node life-cycle controller runs here, which would free new nodes of their taint.
    std::vector<std::string> flags = {"--components=apiserver",
                                      "--disable-admission-plugins=TaintNodesByCondition"};
    if (keeps_ == Keeps::kMemory) flags.emplace_back("--memory");
    if (keeps_ == Keeps::kEtcd) flags.push_back("--etcd-servers=" + etcd_->endpoint());
    if (by_ == By::kScheduler) flags.emplace_back("--allow-overlapping-allocations");
    return flags;
  }

  /// Users have the first server; schedulers and foreign writers use it too if it is the only one.
  serving::ServerChild& ServerOf(size_t site) {
    return *servers_[servers_.size() == 1 ? 0 : 1 + site];
  }

  static bool Start(serving::ServerChild& server) {
    const Result<> started = server.Start();
    EXPECT_TRUE(started.has_value()) << started.error().message;
    return started.has_value();
  }

  /// One thing after the other goes wrong, and is put right again.
  void MakeTrouble() {
    SeededRandom random(seed_);
    for (int i = 0; i < kTroubles && !::testing::Test::HasFailure(); ++i) {
      Wait(random);
      const size_t victim = random.Next() % sites_.size();
      switch (random.Next() % 8) {
        case 0:
          ServerOf(victim).Pause();
          Wait(random);
          ServerOf(victim).Resume();
          break;
        case 1: sites_[victim]->clock().Jump(random); break;
        case 2: KillServer(ServerOf(victim)); break;
        default: Disturb(sites_[victim]->proxy(), random); break;
      }
    }
  }

  /// Kills the server at any point of its work. Objects in memory would be lost. No client connects
  /// meanwhile, because its port may then belong to another trial's server.
  void KillServer(serving::ServerChild& server) {
    if (keeps_ == Keeps::kMemory) return;
    std::vector<TcpProxy*> proxies;
    if (&server == servers_[0].get()) proxies.push_back(direct_);
    for (size_t i = 0; i < sites_.size(); ++i) {
      if (&ServerOf(i) == &server) proxies.push_back(&sites_[i]->proxy());
    }
    for (TcpProxy* const proxy : proxies) proxy->Refuse();
    server.Kill();
    if (!Start(server)) return;
    for (TcpProxy* const proxy : proxies) {
      proxy->Redirect(server.port());
      proxy->Allow();
    }
  }

  const uint64_t seed_;
  const Keeps keeps_;
  const By by_;
  HttpTally& tally_;
  std::unique_ptr<EtcdProcess> etcd_;
  std::vector<std::unique_ptr<TestFolder>> folders_;
  std::vector<std::unique_ptr<serving::ServerChild>> servers_;
  TcpProxy* direct_ = nullptr;
  std::vector<std::unique_ptr<HttpSite>> sites_;
};

void ExpectExclusiveDevices(Keeps keeps) {
  HttpTally tally;
  ForEachSeed(Instances(50), [&](uint64_t seed) {
    HttpTrial trial(seed, keeps, seed % 2 == 0 ? By::kServers : By::kScheduler, tally);
    EXPECT_THAT(trial.Run(), IsEmpty()) << "seed " << seed;
  });
  EXPECT_GT(tally.unanswered, 0U) << "nothing went wrong in the middle of a write";
  EXPECT_GT(tally.allocations, 0U);
}

TEST(ExclusiveDevicesHttpFaults, NoDeviceOfAServerInMemoryIsEverInTwoAllocations) {
  ExpectExclusiveDevices(Keeps::kMemory);
}

TEST(ExclusiveDevicesHttpFaults, NoDeviceOfAServerWithAFileIsEverInTwoAllocations) {
  ExpectExclusiveDevices(Keeps::kFile);
}

TEST(ExclusiveDevicesHttpFaults, NoDeviceOfServersThatShareAnEtcdIsEverInTwoAllocations) {
  if (const std::string reason = EtcdProcess::Missing(); !reason.empty()) GTEST_SKIP() << reason;
  ExpectExclusiveDevices(Keeps::kEtcd);
}

}  // namespace
}  // namespace dray::exclusive_devices
