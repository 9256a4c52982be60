// SPDX-License-Identifier: Apache-2.0
// Lost answers and late writes: the whole scheduler over a server in memory.
#include <algorithm>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "client/testing/memory_client.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

using api::resource_v1::ResourceClaim;
using client::testing::MemoryClient;
using Fate = MemoryClient::Fate;
using testing::Cluster;
using ::testing::HasSubstr;
using ::testing::SizeIs;

bool IsStatusOfClaim(MemoryClient::Verb verb,
                     const client::ObjectRef& ref,
                     std::string_view subresource) {
  return verb == MemoryClient::Verb::kUpdate && subresource == "status" &&
         ref.kind->plural == "resourceclaims";
}

/// With writes in one sequence, and step by step.
class UnansweredWrites : public ::testing::TestWithParam<bool> {
 protected:
  UnansweredWrites() {
    cluster_.client.set_takes_sequences(GetParam());
    cluster_.AddClass();
    cluster_.AddNode("a", 1);
    cluster_.AddClaim("first");
    cluster_.AddClaim("second");
  }
  void AddPods() {
    cluster_.AddPod("first", {"first"});
    cluster_.AddPod("second", {"second"});
  }
  /// The fate of the first write for `pod`'s claim; no later write arrives.
  void LoseFirst(Fate fate, bool also_reads) {
    cluster_.client.set_fate([this, fate](auto verb, const auto& ref, auto subresource) {
      if (!IsStatusOfClaim(verb, ref, subresource) || lost_) return Fate::kAnswered;
      lost_ = true;
      return fate;
    });
    cluster_.client.set_fault(
        [this, also_reads](auto verb, const client::ObjectRef& ref, auto) -> Result<> {
          const bool about_claims = ref.kind->plural == "resourceclaims";
          const bool is_read = verb == MemoryClient::Verb::kGet;
          const bool is_write = verb == MemoryClient::Verb::kUpdate;
          if (!lost_ || !about_claims || (!is_write && !(is_read && also_reads))) return {};
          return dray::Fail(StatusReason::kTimeout, "etcd does not answer");
        });
  }
  void Mend() {
    cluster_.client.set_fate(nullptr);
    cluster_.client.set_fault(nullptr);
  }
  /// Counts by a list request, which skips the lost events.
  size_t Allocations() {
    const auto claims = cluster_.client.List(api::Reflected<ResourceClaim>::kKind, {});
    return static_cast<size_t>(std::ranges::count_if(claims->items, [](const api::Object& claim) {
      return claim.As<ResourceClaim>().status.allocation.has_value();
    }));
  }

  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), cluster_.Options()};
  bool lost_ = false;
};

TEST_P(UnansweredWrites, KeepTheDevicesUntilTheClaimHasBeenRead) {
  for (const Fate fate : {Fate::kAnswerLost, Fate::kDelayed}) {
    lost_ = false;
    cluster_.client.HoldBackEvents();  // the mirror does not see the write either
    LoseFirst(fate, true);
    AddPods();
    cluster_.client.LetGo();
    cluster_.client.HoldBackEvents();
    Settle(5);
    EXPECT_EQ(scheduler_.unknown_bindings(), 1U);
    EXPECT_EQ(Allocations(), fate == Fate::kAnswerLost ? 1U : 0U)
        << "the device may be in the first claim, so the second does not get it";
    cluster_.client.CarryOutDelayed();
    Mend();
    Settle(3);
    EXPECT_EQ(scheduler_.unknown_bindings(), 0U);
    EXPECT_EQ(cluster_.Pod("first").spec.node_name, "a");
    EXPECT_EQ(cluster_.Pod("second").spec.node_name, "");
    EXPECT_EQ(Allocations(), 1U);
    cluster_.client.LetGo();
    for (const std::string name : {"first", "second"}) {
      cluster_.DeletePod(name);
      cluster_.Release(name);
    }
    Settle(2);
  }
}

TEST_P(UnansweredWrites, ThatComeAfterTheirRepetitionChangeNothing) {
  LoseFirst(Fate::kDelayed, false);
  AddPods();
  Settle(2);
  EXPECT_EQ(scheduler_.unknown_bindings(), 1U) << "the claim is as it was: it may still come";
  Mend();
  Settle(3);
  EXPECT_EQ(cluster_.Pod("first").spec.node_name, "a");
  const std::string version = cluster_.Claim("first").metadata.resource_version;
  cluster_.client.CarryOutDelayed();
  EXPECT_EQ(cluster_.Claim("first").metadata.resource_version, version);
  EXPECT_EQ(Allocations(), 1U);
}

TEST_P(UnansweredWrites, AreMadeImpossibleBeforeTheirDevicesGoToOthers) {
  LoseFirst(Fate::kDelayed, false);
  cluster_.AddPod("first", {"first"});
  Settle();
  ASSERT_EQ(scheduler_.unknown_bindings(), 1U);
  cluster_.client.set_fate(nullptr);
  cluster_.client.set_fault([](auto verb, const auto& ref, auto subresource) -> Result<> {
    if (!IsStatusOfClaim(verb, ref, subresource) || ref.name != "first") return {};
    return dray::Fail(StatusReason::kForbidden, "not any more");
  });
  Settle(2);
  EXPECT_EQ(scheduler_.unknown_bindings(), 0U);
  EXPECT_THAT(cluster_.Condition("first"), HasSubstr("not any more"));
  cluster_.AddPod("second", {"second"});
  Settle(2);
  EXPECT_EQ(cluster_.Pod("second").spec.node_name, "a");
  cluster_.client.CarryOutDelayed();
  EXPECT_EQ(Allocations(), 1U);
}

TEST_P(UnansweredWrites, OfABindingAreReadBeforeAnythingIsTakenBack) {
  for (const Fate fate : {Fate::kAnswerLost, Fate::kDelayed}) {
    SCOPED_TRACE(static_cast<int>(fate));
    bool cut = true;
    cluster_.client.set_fate([&](auto verb, const auto&, auto) {
      return verb == MemoryClient::Verb::kBind ? fate : Fate::kAnswered;
    });
    cluster_.client.set_fault([&](auto verb, const client::ObjectRef& ref, auto) -> Result<> {
      const bool reads_pod = verb == MemoryClient::Verb::kGet && ref.kind->plural == "pods";
      if (!cut || !reads_pod) return {};
      return dray::Fail(StatusReason::kTimeout, "etcd does not answer");
    });
    cluster_.AddPod("first", {"first"});
    Settle(2);
    EXPECT_EQ(scheduler_.unknown_bindings(), 1U);
    EXPECT_THAT(cluster_.Claim("first").status.reserved_for, SizeIs(1));
    cut = false;
    cluster_.client.set_fate(nullptr);
    Settle(2);
    cluster_.client.CarryOutDelayed();
    EXPECT_EQ(scheduler_.unknown_bindings(), 0U);
    EXPECT_EQ(cluster_.Pod("first").spec.node_name, "a");
    EXPECT_THAT(cluster_.Claim("first").status.reserved_for, SizeIs(1));
    cluster_.DeletePod("first");
    cluster_.Release("first");
    Settle(2);
  }
}

TEST_P(UnansweredWrites, AboutAClaimThatWasMadeAgainAreForgotten) {
  LoseFirst(Fate::kDelayed, true);
  cluster_.AddPod("first", {"first"});
  Settle();
  ASSERT_EQ(scheduler_.unknown_bindings(), 1U);
  Mend();
  api::Object claim =
      cluster_.client.Get({&api::Reflected<ResourceClaim>::kKind, "lab", "first"})->Clone();
  claim.mutable_metadata().finalizers.clear();
  Cluster::Must(cluster_.client.Update(claim, {}));
  ASSERT_TRUE(cluster_.client.Delete({&api::Reflected<ResourceClaim>::kKind, "lab", "first"}, {}));
  cluster_.AddClaim("first");
  const std::string uid = cluster_.Claim("first").metadata.uid;
  cluster_.client.CarryOutDelayed();
  EXPECT_FALSE(cluster_.Claim("first").status.allocation.has_value());
  Settle(3);
  EXPECT_EQ(scheduler_.unknown_bindings(), 0U);
  EXPECT_EQ(cluster_.Pod("first").spec.node_name, "a") << "the new claim got the device";
  EXPECT_EQ(cluster_.Claim("first").metadata.uid, uid);
}

INSTANTIATE_TEST_SUITE_P(Writes, UnansweredWrites, ::testing::Bool(), [](const auto& param) {
  return param.param ? "InSequence" : "StepByStep";
});

TEST(StoppedScheduler, DropsWhatIsQueued) {
  Cluster cluster;
  cluster.AddClass();
  cluster.AddNode("a", 1);
  cluster.AddClaim("gpu");
  Scheduler::Options options = cluster.Options();
  options.bindings_max = 4;
  Scheduler scheduler(cluster.client, cluster.world.world(), Log::Silent(), options);
  cluster.AddPod("worker", {"gpu"});
  cluster.Settle(scheduler);
  const size_t writes = cluster.client.journal().size();
  scheduler.Stop();
  scheduler.RunBinder();  // a binder that starts late
  EXPECT_EQ(cluster.client.journal().size(), writes);
  EXPECT_FALSE(cluster.Claim("gpu").status.allocation.has_value());
}

}  // namespace
}  // namespace dray::scheduler
