// SPDX-License-Identifier: Apache-2.0
#include "tests/exclusive_devices/trouble.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/wakeup.h"

namespace dray::exclusive_devices {
namespace {

using std::chrono::milliseconds;

constexpr int kSeedsAtATime = 4;

milliseconds Moment(SeededRandom& random) {
  return milliseconds(2 + random.Next() % 25);
}

}  // namespace

void ForEachSeed(uint64_t seeds, const std::function<void(uint64_t seed)>& trial) {
  std::atomic<uint64_t> next = 1;
  std::vector<std::jthread> lanes;
  for (int i = 0; i < kSeedsAtATime; ++i) {
    lanes.emplace_back([&] {
      while (!::testing::Test::HasFailure()) {
        const uint64_t seed = next++;
        if (seed > seeds) return;
        trial(seed);
      }
    });
  }
}

void UseDuring(Users& users,
               const std::vector<client::Client*>& strangers,
               uint64_t seed,
               const std::function<void()>& trouble) {
  const auto name_of = [](size_t stranger) { return fmt::format("stranger-{}", stranger); };
  {
    std::atomic<bool> is_over = false;
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < strangers.size(); ++i) {
      users.MakeClaim(name_of(i));
      threads.emplace_back([&, i] {
        TakeAtRandom(*strangers[i], name_of(i), seed * strangers.size() + i, is_over);
      });
    }
    std::jthread user([&] { users.UseAtRandom(seed); });
    trouble();
    user.join();
    is_over = true;
  }
  for (size_t i = 0; i < strangers.size(); ++i) users.Free(name_of(i));
  users.AwaitUseOfAllDevices();
}

void Wait(SeededRandom& random) {
  Wakeup nobody;
  nobody.WaitFor(Moment(random));
}

void Disturb(store::etcd::testing::TcpProxy& proxy, SeededRandom& random) {
  Wakeup nobody;
  switch (random.Next() % 5) {
    case 0: proxy.Cut(); break;
    case 1:  // requests are carried out, but answers are lost
      proxy.HoldAnswers();
      nobody.WaitFor(Moment(random));
      if (random.Next() % 2 == 0) proxy.Cut();
      proxy.Release();
      break;
    case 2:
      proxy.Hold();
      nobody.WaitFor(Moment(random));
      if (random.Next() % 2 == 0) proxy.Cut();
      proxy.Release();
      break;
    case 3:  // later answers on other connections arrive earlier
      proxy.HoldConnection(random.Next() % std::max<size_t>(proxy.connections(), 1));
      nobody.WaitFor(Moment(random));
      proxy.Release();
      break;
    default:
      proxy.Refuse();
      nobody.WaitFor(Moment(random));
      proxy.Allow();
      break;
  }
}

}  // namespace dray::exclusive_devices
