// SPDX-License-Identifier: Apache-2.0
// Schedulers and foreign writers at one server that keeps its objects in memory or in a file. The
// server stands still and is killed, what it says is cut off and heard late, and the clocks of
// schedulers jump: no device is ever in two allocations.
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
#include <vector>

#include <fmt/format.h>
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
#include "dray/selector.h"
#include "scheduler/scheduler.h"
#include "store/etcd/testing/tcp_proxy.h"
#include "store/sqlite/testing/folder.h"
#include "tests/exclusive_devices/double_bookings.h"
#include "tests/exclusive_devices/server_child.h"
#include "tests/exclusive_devices/users.h"
#include "tests/soak.h"

namespace dray::exclusive_devices {
namespace {

using api::resource_v1::ResourceClaim;
using std::chrono::milliseconds;
using store::etcd::testing::TcpProxy;
using store::sqlite::testing::TestFolder;
using ::testing::IsEmpty;

constexpr int kTroubles = 14;

/// The real clock, until it jumps.
class JumpingClock final : public Clock {
 public:
  WallTime Now() const override {
    return RealWorld().clock.Now() + std::chrono::nanoseconds(wall_ahead_.load());
  }
  MonotonicTime Monotonic() const override {
    return RealWorld().clock.Monotonic() + std::chrono::nanoseconds(ahead_.load());
  }

  /// The day may go back or forth; what only grows skips some seconds, as after a sleep.
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
  return client::HttpClient::Create(clock,
                                    {.server = proxy.endpoint(), .token = ServerChild::Token()})
      .value();
}

/// A scheduler, if there is one, and a client for others; the server is heard through a proxy.
class Site {
 public:
  Site(uint16_t server_port, bool schedules, std::atomic<int>& unknown)
      : proxy_(server_port), client_(ClientAt(RealWorld().clock, proxy_)) {
    if (!schedules) return;
    scheduler_client_ = ClientAt(clock_, proxy_);
    scheduler_ = std::make_unique<scheduler::Scheduler>(
        *scheduler_client_,
        world_,
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
  JumpingClock& clock() { return clock_; }
  client::Client& client() { return *client_; }

 private:
  TcpProxy proxy_;
  JumpingClock clock_;
  World world_{clock_, RealWorld().random, RealWorld().disk};
  std::unique_ptr<client::HttpClient> client_, scheduler_client_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::vector<std::jthread> threads_;  // they end before what they use
};

/// What a watch of claims shows, from a list on.
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
    if (watch) is_over.WaitFor(std::chrono::minutes(1));
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

/// Who keeps devices apart when nobody hears from anybody.
enum class By : uint8_t {
  kServer,     // two schedulers, and writers of whom they know nothing
  kScheduler,  // one scheduler; the server takes whatever is written
};

enum class Keeps : uint8_t { kMemory, kFile };

class ExclusiveDevicesHttpFaults : public ::testing::Test {
 protected:
  void RunAll(Keeps keeps) {
    keeps_ = keeps;
    for (const By by : {By::kServer, By::kScheduler}) {
      const TestFolder folder;
      std::vector<std::string> flags;
      if (keeps == Keeps::kMemory) flags.emplace_back("--memory");
      if (by == By::kScheduler) flags.emplace_back("--allow-overlapping-allocations");
      server_ = std::make_unique<ServerChild>(DRAY_PROGRAM, folder.path(), std::move(flags));
      for (uint64_t seed = 1; seed <= Instances(25) && !HasFailure(); ++seed) {
        EXPECT_THAT(Run(seed, by), IsEmpty()) << "seed " << seed;
      }
      server_.reset();
    }
    EXPECT_GT(unknown_, 0) << "nothing went wrong in the middle of a write";
    EXPECT_GT(allocations_, 0U);
  }

 private:
  /// What one seed does to a server that has nothing yet; findings of the judge.
  std::vector<std::string> Run(uint64_t seed, By by) {
    StartServer();
    if (HasFailure()) return {};
    TcpProxy direct(server_->port());
    direct_ = &direct;
    const auto client = ClientAt(RealWorld().clock, direct);
    Users users(*client);
    History history(*client);
    users.MakeDevices();
    for (size_t i = 0; i < 2; ++i) {
      const bool schedules = by == By::kServer || i == 0;
      sites_.push_back(std::make_unique<Site>(server_->port(), schedules, unknown_));
    }
    {
      std::atomic<bool> is_over = false;
      std::vector<std::jthread> strangers;
      for (size_t i = 0; by == By::kServer && i < sites_.size(); ++i) {
        const std::string name = fmt::format("stranger-{}", i);
        users.MakeClaim(name);
        strangers.emplace_back(
            [&, i, name] { TakeAtRandom(sites_[i]->client(), name, seed * 2 + i, is_over); });
      }
      std::jthread user([&] { users.UseAtRandom(seed); });
      Trouble(seed);
      user.join();
      is_over = true;
    }
    for (const std::string_view name : {"stranger-0", "stranger-1"}) users.Free(std::string(name));
    users.AwaitUseOfAllDevices();
    sites_.clear();
    users.MakeClaim("the-end");
    const std::vector<Seen> seen = history.Until("the-end");
    allocations_ += seen.size();
    server_->Kill();
    return DoubleBookings(seen);
  }

  void StartServer() {
    server_->Forget();
    const Result<> started = server_->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }

  /// One thing after the other goes wrong, and is put right again.
  void Trouble(uint64_t seed) {
    SeededRandom random(seed);
    Wakeup nobody;
    const auto wait = [&] { nobody.WaitFor(milliseconds(2 + random.Next() % 25)); };
    for (int i = 0; i < kTroubles && !HasFailure(); ++i) {
      wait();
      Site& site = *sites_[random.Next() % sites_.size()];
      switch (random.Next() % 8) {
        case 0: site.proxy().Cut(); break;
        case 1:  // what was asked is done, and nobody hears of it
          site.proxy().HoldAnswers();
          wait();
          site.proxy().Cut();
          site.proxy().Release();
          break;
        case 2:
          site.proxy().Hold();
          wait();
          if (random.Next() % 2 == 0) site.proxy().Cut();
          site.proxy().Release();
          break;
        case 3:  // what is said later on other connections arrives earlier
          site.proxy().HoldConnection(random.Next() %
                                      std::max<size_t>(site.proxy().connections(), 1));
          wait();
          site.proxy().Release();
          break;
        case 4:
          site.proxy().Refuse();
          wait();
          site.proxy().Allow();
          break;
        case 5:
          server_->Pause();
          wait();
          server_->Resume();
          break;
        case 6: site.clock().Jump(random); break;
        default: KillServer(); break;
      }
    }
  }

  /// In the middle of whatever it does. What it kept in memory would be gone.
  void KillServer() {
    if (keeps_ == Keeps::kMemory) return;
    server_->Kill();
    const Result<> started = server_->Start();
    EXPECT_TRUE(started.has_value()) << started.error().message;
    direct_->Redirect(server_->port());
    for (const auto& site : sites_) site->proxy().Redirect(server_->port());
  }

  Keeps keeps_ = Keeps::kMemory;
  std::unique_ptr<ServerChild> server_;
  TcpProxy* direct_ = nullptr;  // of users, whose connections nobody cuts but a server that dies
  std::vector<std::unique_ptr<Site>> sites_;
  std::atomic<int> unknown_ = 0;
  size_t allocations_ = 0;
};

TEST_F(ExclusiveDevicesHttpFaults, NoDeviceOfAServerInMemoryIsEverInTwoAllocations) {
  RunAll(Keeps::kMemory);
}

TEST_F(ExclusiveDevicesHttpFaults, NoDeviceOfAServerWithAFileIsEverInTwoAllocations) {
  RunAll(Keeps::kFile);
}

}  // namespace
}  // namespace dray::exclusive_devices
