// SPDX-License-Identifier: Apache-2.0
#include "client/leader_election.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "api/coordination_v1.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/value/time.h"
#include "base/log.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "client/client.h"
#include "client/testing/memory_client.h"

namespace dray::client {
namespace {

using api::coordination_v1::Lease;
using api::coordination_v1::LeaseSpec;
using std::chrono::seconds;

class LeaderElectionTest : public ::testing::Test {
 protected:
  std::unique_ptr<LeaderElection> Candidate(const std::string& name) {
    return std::make_unique<LeaderElection>(
        client_,
        world_.world(),
        Log::Silent(),
        LeaderElectionOptions{.identity = name},
        LeaderCallbacks{.started =
                            [this, name](const LeaderTerm& term) {
                              story_ += name + "+ ";
                              term_ = term;
                              return !refuses_;
                            },
                        .stopped = [this, name] { story_ += name + "- "; }});
  }
  LeaseSpec Spec() {
    return client_
        .Get({.kind = &api::Reflected<Lease>::kKind, .namespace_ = "kube-system", .name = "dray"})
        ->As<Lease>()
        .spec;
  }
  static std::chrono::microseconds Renewed(const LeaseSpec& spec) {
    return std::chrono::microseconds(spec.renew_time.value_or(api::MicroTime()).unix_micros());
  }
  LeaderTerm term_;  // of the last who began to lead
  void Pass(int count) { world_.clock().Advance(seconds(count)); }
  void Cut(bool cut) {
    if (!cut) return client_.set_fault(nullptr);
    client_.set_fault([](auto, const ObjectRef&, std::string_view) -> Result<> {
      return Fail(StatusReason::kServiceUnavailable, "no server");
    });
  }

  SimulatedWorld world_{1};
  testing::MemoryClient client_;
  std::string story_;
  bool refuses_ = false;
};

TEST_F(LeaderElectionTest, TheFirstLeadsAndRenews) {
  const auto a = Candidate("a");
  EXPECT_EQ(a->Step(), world_.world().clock.Monotonic() + seconds(2));
  EXPECT_TRUE(a->leading());
  const LeaseSpec first = Spec();
  EXPECT_EQ(first.holder_identity, "a");
  EXPECT_EQ(first.lease_duration_seconds, 15);
  EXPECT_EQ(first.lease_transitions, 0);
  EXPECT_EQ(first.acquire_time, first.renew_time);
  Pass(2);
  a->Step();
  EXPECT_EQ(Spec().acquire_time, first.acquire_time);
  EXPECT_EQ(Renewed(Spec()) - Renewed(first), seconds(2));
  EXPECT_EQ(story_, "a+ ");
}

TEST_F(LeaderElectionTest, ATermHasItsHolderAndItsNumber) {
  {
    const auto a = Candidate("a");
    a->Step();
    EXPECT_EQ(term_.lease_namespace + "/" + term_.lease_name, "kube-system/dray");
    EXPECT_EQ(term_.holder, "a");
    EXPECT_EQ(term_.transitions, 0);
  }
  const auto b = Candidate("b");
  b->Step();
  Pass(16);
  b->Step();
  EXPECT_EQ(term_.holder, "b");
  EXPECT_EQ(term_.transitions, 1);
  EXPECT_EQ(Spec().lease_transitions, 1);
}

TEST_F(LeaderElectionTest, AnotherWaitsForAsLongAsItIsRenewed) {
  const auto a = Candidate("a");
  const auto b = Candidate("b");
  for (int i = 0; i < 20; ++i) {
    a->Step();
    b->Step();
    Pass(2);
  }
  EXPECT_EQ(story_, "a+ ");
}

// A lease that was given up is taken a quarter of a second later, not two.
TEST_F(LeaderElectionTest, AnotherLooksFourTimesASecond) {
  const auto a = Candidate("a");
  const auto b = Candidate("b");
  a->Step();
  EXPECT_EQ(b->Step(), world_.world().clock.Monotonic() + std::chrono::milliseconds(250));
  Cut(true);
  EXPECT_EQ(b->Step(), world_.world().clock.Monotonic() + seconds(2)) << "a failure";
}

TEST_F(LeaderElectionTest, TakesOverWhatIsNotRenewedAndNotASecondEarlier) {
  const auto a = Candidate("a");
  const auto b = Candidate("b");
  a->Step();
  b->Step();
  Pass(14);
  b->Step();
  EXPECT_FALSE(b->leading());
  Pass(1);
  b->Step();
  EXPECT_TRUE(b->leading());
  EXPECT_EQ(Spec().lease_transitions, 1);
  a->Step();  // comes back from a long sleep
  EXPECT_FALSE(a->leading());
  EXPECT_EQ(story_, "a+ b+ a- ");
}

// The two times of a leader follow from how long its lease lasts, so one that has lost it has
// stopped.
TEST_F(LeaderElectionTest, AShortLeaseIsRenewedSooner) {
  EXPECT_EQ(RenewDeadline(seconds(15)), seconds(10));
  EXPECT_EQ(RetryPeriod(seconds(15)), seconds(2));
  EXPECT_EQ(RenewDeadline(seconds(1)), std::chrono::milliseconds(666));
  EXPECT_EQ(RetryPeriod(seconds(1)), std::chrono::milliseconds(133));
}

TEST_F(LeaderElectionTest, ALeaderThatCannotRenewStopsBeforeOthersBegin) {
  const auto a = Candidate("a");
  a->Step();
  Cut(true);
  Pass(9);
  a->Step();
  EXPECT_TRUE(a->leading());
  Pass(1);
  a->Step();
  EXPECT_FALSE(a->leading());
  Cut(false);
  a->Step();
  EXPECT_TRUE(a->leading());
  EXPECT_EQ(story_, "a+ a- a+ ");
  EXPECT_EQ(Spec().lease_transitions, 0) << "it was its own all the time";
}

TEST_F(LeaderElectionTest, OneThatStopsGivesTheLeaseUp) {
  const auto a = Candidate("a");
  const auto b = Candidate("b");
  a->Step();
  b->Step();
  a->Stop();
  a->Run();
  EXPECT_EQ(Spec().holder_identity, "");
  b->Step();
  EXPECT_EQ(story_, "a+ a- b+ ");
  EXPECT_EQ(Spec().lease_transitions, 1);
}

TEST_F(LeaderElectionTest, OneThatCannotStartTriesAgain) {
  const auto a = Candidate("a");
  refuses_ = true;
  a->Step();
  EXPECT_FALSE(a->leading());
  refuses_ = false;
  a->Step();
  EXPECT_TRUE(a->leading());
  EXPECT_EQ(story_, "a+ a+ ");
}

TEST_F(LeaderElectionTest, OneThatNeverLedGivesNothingUp) {
  const auto a = Candidate("a");
  const auto b = Candidate("b");
  a->Step();
  b->Step();
  b->Stop();
  b->Run();
  EXPECT_EQ(Spec().holder_identity, "a");
}

}  // namespace
}  // namespace dray::client
