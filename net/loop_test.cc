// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/simulated_world.h"
#include "base/world.h"
#include "net/poller.h"

namespace dray::net {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::pair<Descriptor, Descriptor> MakeSocketPair() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void Send(const Descriptor& socket, std::string_view bytes) {
  EXPECT_EQ(write(socket.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

/// Does `then` at each news, and counts them.
class Listener final : public Waiter {
 public:
  explicit Listener(std::function<void(Ready)> then) : then_(std::move(then)) {}
  void OnReady(Ready ready) override {
    ++reported;
    last = ready;
    then_(ready);
  }

  int reported = 0;
  Ready last;

 private:
  std::function<void(Ready)> then_;
};

TEST(Loop, FunctionsInLineWaitForAllElse) {
  Loop loop(RealWorld().clock, MakeEpoll());
  const auto [near, far] = MakeSocketPair();
  std::string order;
  Listener listener([&](Ready ready) {
    if (ready.to_read) order += "read ";
  });
  ASSERT_EQ(loop.Await(near.get(), listener), 0);
  loop.RunInLine([&] {
    order += "1 ";
    Send(far, "a");
    loop.RunNext([&] { order += "next "; });
    loop.Post([&] { order += "posted "; });
  });
  loop.RunInLine([&] { order += "2 "; });
  loop.RunInLine([&] { loop.Stop(); });
  loop.Run();
  EXPECT_EQ(order, "1 next posted read 2 ");
}

TEST(Loop, TellsOnceOfEachChange) {
  Loop loop(RealWorld().clock, MakeEpoll());
  const auto [near, far] = MakeSocketPair();
  std::string read;
  Listener listener([&, socket = near.get()](Ready ready) {
    if (!ready.to_read) return loop.RunNext([&] { Send(far, "a"); });
    // What is left in the socket is not told of again: only what comes.
    char one = 0;
    EXPECT_EQ(recv(socket, &one, 1, 0), 1);
    read += one;
    if (one == 'a') return loop.Post([&] { Send(far, "bc"); });
    loop.Stop();
  });
  ASSERT_EQ(loop.Await(near.get(), listener), 0);
  loop.Run();
  EXPECT_EQ(read, "ab");
  EXPECT_EQ(listener.reported, 3);
  EXPECT_TRUE(listener.last.to_write);
}

TEST(Loop, TellsAnEndAsEverything) {
  Loop loop(RealWorld().clock, MakeEpoll());
  auto ends = MakeSocketPair();
  Listener listener([&](Ready ready) {
    if (ready.to_read) return loop.Stop();
    loop.RunNext([&] { ends.second.Close(); });
  });
  ASSERT_EQ(loop.Await(ends.first.get(), listener), 0);
  loop.Run();
  EXPECT_EQ(listener.reported, 2);
  EXPECT_TRUE(listener.last.to_read);
  EXPECT_TRUE(listener.last.to_write);
}

// Two listeners become ready in one poll, and the first one called destroys the other.
TEST(Loop, TellsNothingToWhoWasForgotten) {
  Loop loop(RealWorld().clock, MakeEpoll());
  auto one = MakeSocketPair();
  auto other = MakeSocketPair();
  std::array<std::unique_ptr<Listener>, 2> listeners;
  const auto end = [&](size_t which, const Descriptor& socket) {
    if (listeners[which] == nullptr) return;
    loop.Forget(socket.get(), *listeners[which]);
    listeners[which] = nullptr;
  };
  int reported = 0;
  const auto make = [&](size_t other_one, const Descriptor& other_socket) {
    return std::make_unique<Listener>([&, other_one](Ready) {
      ++reported;
      end(other_one, other_socket);
      loop.RunNext([&] { loop.Stop(); });
    });
  };
  listeners[0] = make(1, other.first);
  listeners[1] = make(0, one.first);
  ASSERT_EQ(loop.Await(one.first.get(), *listeners[0]), 0);
  ASSERT_EQ(loop.Await(other.first.get(), *listeners[1]), 0);
  loop.Run();
  EXPECT_EQ(reported, 1);
}

TEST(Loop, SaysWhatCannotBeAwaited) {
  Loop loop(RealWorld().clock, MakeEpoll());
  Listener listener([](Ready) {});
  EXPECT_EQ(loop.Await(-1, listener), EBADF);
}

TEST(Loop, RunsWhatOthersPostInTheirOrder) {
  Loop loop(RealWorld().clock, MakeEpoll());
  constexpr int kCount = 1000;
  std::vector<int> ran;
  std::thread other([&] {
    for (int i = 0; i < kCount; ++i) loop.Post([&, i] { ran.push_back(i); });
    loop.Post([&] { loop.Stop(); });
  });
  loop.Run();
  other.join();
  ASSERT_EQ(ran.size(), size_t{kCount});
  EXPECT_TRUE(std::ranges::is_sorted(ran));
}

TEST(Loop, GoesOnAfterWhatFoundNoMemory) {
  Loop loop(RealWorld().clock, MakeEpoll());
  const auto [near, far] = MakeSocketPair();
  std::vector<int> ran;
  const auto run = [&](int number) {
    ran.push_back(number);
    if (ran.size() == 3) loop.Stop();
  };
  Listener listener([&](Ready) {
    loop.Post([] { throw std::bad_alloc(); });
    loop.Post([&] { run(1); });
    loop.RunNext([] { throw std::bad_alloc(); });
    loop.RunNext([&] { run(0); });
    loop.SetAlarm(std::chrono::milliseconds(1), [] { throw std::bad_alloc(); });
    loop.SetAlarm(std::chrono::milliseconds(1), [&] { run(2); });
    throw std::bad_alloc();
  });
  ASSERT_EQ(loop.Await(near.get(), listener), 0);
  loop.Run();
  EXPECT_THAT(ran, UnorderedElementsAre(0, 1, 2));
}

// Alarms are made of what is left of others; none runs that was called off, and none twice.
TEST(Loop, RunsTheAlarmsThatWereNotCalledOffInTheirOrder) {
  constexpr int kMany = 200;  // more than are kept
  SimulatedClock clock;
  Loop loop(clock, MakeEpoll());
  std::vector<int> ran;
  const auto count = [&](int number) { return [&ran, number] { ran.push_back(number); }; };
  for (int round = 0; round < 3; ++round) {
    std::vector<Loop::AlarmKey> keys;
    for (int i = 0; i < kMany; ++i) {
      keys.push_back(loop.SetAlarm(std::chrono::milliseconds(1), count(-1)));
    }
    for (const Loop::AlarmKey& key : keys) loop.CancelAlarm(key);
    for (const Loop::AlarmKey& key : keys) loop.CancelAlarm(key);
    loop.SetAlarm(std::chrono::milliseconds(3 - round), count(3 - round));
  }
  loop.SetAlarm(std::chrono::milliseconds(4), [&] { loop.Stop(); });
  loop.SetAlarm(std::chrono::milliseconds(5), count(5));
  clock.Advance(std::chrono::milliseconds(4));
  loop.Run();
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

// The time an alarm waits is counted from when it was set, however long the loop had none.
TEST(Loop, RunsTheFirstAlarmOfALoopThatHadNone) {
  Loop loop(RealWorld().clock, MakeEpoll());
  loop.RunNext([&] { loop.SetAlarm(std::chrono::milliseconds(1), [&] { loop.Stop(); }); });
  loop.Run();
}

// A function that always posts another one does not starve the descriptors.
TEST(Loop, LooksAtDescriptorsBetweenWhatIsNext) {
  Loop loop(RealWorld().clock, MakeEpoll());
  const auto [near, far] = MakeSocketPair();
  std::function<void()> again = [&] { loop.RunNext([&] { again(); }); };
  Listener listener([&](Ready ready) {
    if (ready.to_read) loop.Stop();
  });
  ASSERT_EQ(loop.Await(near.get(), listener), 0);
  Send(far, "a");
  again();
  loop.Run();
  EXPECT_EQ(listener.reported, 1);
}

}  // namespace
}  // namespace dray::net
