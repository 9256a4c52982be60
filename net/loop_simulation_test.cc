// SPDX-License-Identifier: Apache-2.0
// A loop from a seed: posted functions, functions that are next or in line, and alarms, from its
// own thread and from another. Before the loop sleeps, everything that was due has run; everything
// runs once.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "net/loop.h"
#include "net/testing/simulated_network.h"
#include "net/testing/simulated_server.h"
#include "tests/soak.h"

namespace dray::net {
namespace {

using testing::OnAnotherThread;
using testing::SimulatedNetwork;

class SimulatedLoop {
 public:
  explicit SimulatedLoop(uint64_t seed) : network_(seed, clock_) {}

  /// What went wrong; empty: nothing.
  std::string Run() {
    network_.set_world({.act = [this] { return ActElsewhere(); },
                        .check_before_sleep = [this] { CheckBeforeSleep(); },
                        .let_time_pass = [this] { EndIfDone(); }});
    Do();
    loop_.Run();
    return wrong_;
  }

 private:
  /// Does some of what a callback may do.
  void Do() {
    for (uint64_t count = network_.Below(4); count > 0 && left_ > 0; --count) {
      --left_;
      switch (network_.Below(5)) {
        case 0: Post(); break;
        case 1:
          ++next_;
          loop_.RunNext([this] {
            --next_;
            Do();
          });
          break;
        case 2: SetAlarm(); break;
        case 3:
          ++in_line_;
          loop_.RunInLine([this] {
            --in_line_;
            Do();
          });
          break;
        default: CancelOne(); break;
      }
      if (network_.OneIn(4)) clock_.Advance(std::chrono::microseconds(network_.Below(3'000)));
    }
  }

  void Post() {
    ++posted_;
    loop_.Post([this] {
      --posted_;
      Do();
    });
  }

  void SetAlarm() {
    const auto delay = std::chrono::microseconds(network_.Below(20'000));
    const uint64_t number = next_alarm_++;
    const MonotonicTime due = clock_.Monotonic() + delay;
    const Loop::AlarmKey key = loop_.SetAlarm(delay, [this, number, due] {
      if (alarms_.erase(number) == 0) Complain("an alarm ran that was cancelled, or twice");
      if (clock_.Monotonic() < due) Complain("an alarm ran too early");
      Do();
    });
    alarms_.emplace(number, std::pair(due, key));
  }

  void CancelOne() {
    if (alarms_.empty()) return;
    loop_.CancelAlarm(alarms_.begin()->second.second);
    alarms_.erase(alarms_.begin());
  }

  bool ActElsewhere() {
    if (left_ == 0 || !network_.OneIn(2)) return false;
    --left_;
    OnAnotherThread([this] { Post(); });
    return true;
  }

  void CheckBeforeSleep() {
    if (posted_ > 0) Complain("forgotten: a posted function");
    if (next_ > 0) Complain("forgotten: a function that was next");
    if (in_line_ > 0) Complain("forgotten: a function in line");
    for (const auto& [number, alarm] : alarms_) {
      if (alarm.first <= clock_.Monotonic()) Complain("forgotten: an alarm that was due");
    }
  }

  void EndIfDone() {
    if (!alarms_.empty()) return;
    left_ = 0;
    loop_.Stop();
  }

  void Complain(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
    loop_.Stop();
  }

  SimulatedClock clock_;
  SimulatedNetwork network_;
  Loop loop_{clock_, network_.MakePoller()};
  size_t left_ = 200;  // things to do in one run
  size_t posted_ = 0, next_ = 0, in_line_ = 0;
  std::map<uint64_t, std::pair<MonotonicTime, Loop::AlarmKey>> alarms_;
  uint64_t next_alarm_ = 0;
  std::string wrong_;
};

TEST(LoopSimulation, NothingThatIsDueIsForgotten) {
  for (uint64_t seed = 0; seed < Instances(300); ++seed) {
    const std::string wrong = SimulatedLoop(seed).Run();
    ASSERT_EQ(wrong, "") << "seed " << seed << ": " << wrong;
  }
}

}  // namespace
}  // namespace dray::net
