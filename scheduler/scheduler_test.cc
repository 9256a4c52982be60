// SPDX-License-Identifier: Apache-2.0
// The whole scheduler over a server in memory.
#include "scheduler/scheduler.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/claims/extended_claim.h"
#include "api/claims/pod_claims.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/simulated_world.h"
#include "client/read_modify_write.h"
#include "client/testing/memory_client.h"
#include "dray/selector.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using client::testing::MemoryClient;
using Fate = MemoryClient::Fate;
using resource_v1::ResourceClaim;
using testing::Cluster;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() { cluster_.AddClass(); }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }

  Cluster cluster_;
  Scheduler scheduler_{cluster_.client, cluster_.world.world(), Log::Silent(), cluster_.Options()};
};

TEST_F(SchedulerTest, WritesFinalizerThenAllocationWithReservationThenBinding) {
  cluster_.AddNode("a", 2);
  cluster_.AddClaim("gpu");
  cluster_.AddPod("worker", {"gpu"});
  const auto before = static_cast<std::ptrdiff_t>(cluster_.client.journal().size());
  Settle();
  const auto& journal = cluster_.client.journal();
  ASSERT_GE(journal.size(), static_cast<size_t>(before) + 4);
  EXPECT_THAT(std::vector<std::string>(journal.begin() + before, journal.begin() + before + 3),
              ElementsAre("update resourceclaims lab/gpu",
                          "update resourceclaims/status lab/gpu",
                          "update pods/binding lab/worker"));
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
  const ResourceClaim claim = cluster_.Claim("gpu");
  EXPECT_THAT(claim.metadata.finalizers, ElementsAre(api::claims::kFinalizer));
  ASSERT_TRUE(claim.status.allocation.has_value());
  EXPECT_TRUE(claim.status.allocation->allocation_timestamp.has_value());
  ASSERT_THAT(claim.status.reserved_for, SizeIs(1));
  EXPECT_EQ(claim.status.reserved_for[0].uid, cluster_.Pod("worker").metadata.uid);
}

TEST_F(SchedulerTest, SaysWhyAndGoesOnWhenDevicesAreFreed) {
  cluster_.AddNode("a", 1);
  cluster_.AddClaim("first");
  cluster_.AddClaim("second");
  cluster_.AddPod("holder", {"first"});
  Settle();
  cluster_.AddPod("waiter", {"second"});
  Settle();
  EXPECT_EQ(
      cluster_.Condition("waiter"),
      "False Unschedulable: 0/1 nodes are available: 1 cannot allocate all claims. preemption: "
      "0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
  const size_t writes = cluster_.client.journal().size();
  Settle(20);
  EXPECT_EQ(cluster_.client.journal().size(), writes) << "nothing changed, so nothing is tried";
  cluster_.DeletePod("holder");
  cluster_.Release("first");
  Settle(2);
  EXPECT_EQ(cluster_.Pod("waiter").spec.node_name, "a");
}

TEST_F(SchedulerTest, MissingClaimIsWaitedForInSilence) {
  cluster_.AddNode("a", 1);
  cluster_.AddPod("worker", {"gpu"});
  Settle(5);
  EXPECT_EQ(cluster_.Condition("worker"), "");
  cluster_.AddClaim("gpu");
  Settle();
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

// The reason is the same on all nodes, so the nodes are not filtered.
TEST_F(SchedulerTest, AClaimThatIsMadeAnewMovesThePodThatWaits) {
  cluster_.AddNode("a", 1);
  cluster_.AddClaim("gpu", 1, "no-such-class");
  cluster_.AddPod("worker", {"gpu"});
  Settle(2);
  EXPECT_THAT(cluster_.Condition("worker"), HasSubstr("no-such-class does not exist"));
  cluster_.DeleteClaim("gpu");
  Settle(2);
  cluster_.AddClaim("gpu");
  Settle(2);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

TEST_F(SchedulerTest, NodesAndSlicesThatComeLaterMovePods) {
  cluster_.AddClaim("gpu");
  cluster_.AddPod("worker", {"gpu"});
  Settle();
  EXPECT_EQ(cluster_.Condition("worker"),
            "False Unschedulable: no nodes available to schedule pods");
  cluster_.AddNode("a", 1);
  Settle(2);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

TEST_F(SchedulerTest, PodsShareAClaimOnItsNode) {
  cluster_.AddNode("a", 1);
  cluster_.AddNode("b", 1);
  cluster_.AddClaim("gpu");
  for (int i = 0; i < 3; ++i) cluster_.AddPod(fmt::format("worker-{}", i), {"gpu"});
  Settle(2);
  EXPECT_THAT(cluster_.Claim("gpu").status.reserved_for, SizeIs(3));
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(cluster_.Pod(fmt::format("worker-{}", i)).spec.node_name,
              cluster_.Pod("worker-0").spec.node_name);
  }
}

TEST_F(SchedulerTest, TwoEntriesOfOneClaimAreOneReservation) {
  cluster_.AddNode("a", 1);
  cluster_.AddClaim("gpu");
  cluster_.AddPod("worker", {"gpu", "gpu"});
  Settle();
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
  EXPECT_THAT(cluster_.Claim("gpu").status.reserved_for, SizeIs(1));
}

TEST_F(SchedulerTest, RefusedStatusWriteIsReportedAndRetried) {
  cluster_.AddNode("a", 1);
  cluster_.AddClaim("gpu");
  cluster_.AddPod("worker", {"gpu"});
  bool refuse = true;
  cluster_.client.set_fault([&](MemoryClient::Verb verb,
                                const client::ObjectRef& ref,
                                std::string_view subresource) -> Result<> {
    const bool hit = verb == MemoryClient::Verb::kUpdate && subresource == "status" &&
                     ref.kind->plural == "resourceclaims";
    if (!hit || !refuse) return {};
    return dray::Fail(StatusReason::kForbidden, "resourceclaims \"gpu\" is forbidden");
  });
  Settle();
  EXPECT_EQ(cluster_.Condition("worker"),
            "False SchedulerError: running PreBind plugin \"DynamicResources\": add allocation and "
            "reservation to claim lab/gpu: resourceclaims \"gpu\" is forbidden");
  refuse = false;
  Settle(2);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

TEST_F(SchedulerTest, RefusedBindingTakesTheReservationBackAndKeepsTheAllocation) {
  cluster_.AddNode("a", 1);
  cluster_.AddClaim("gpu");
  cluster_.AddPod("worker", {"gpu"});
  bool refuse = true;
  cluster_.client.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        if (verb != MemoryClient::Verb::kBind || !refuse) return {};
        return dray::Fail(StatusReason::kForbidden, "no binding");
      });
  Settle();
  EXPECT_THAT(cluster_.Condition("worker"),
              HasSubstr("running Bind plugin \"DefaultBinder\": no binding"));
  EXPECT_TRUE(cluster_.Claim("gpu").status.allocation.has_value());
  EXPECT_THAT(cluster_.Claim("gpu").status.reserved_for, SizeIs(0));
  refuse = false;
  Settle(2);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

// First as one sequence, then write by write.
TEST_F(SchedulerTest, ConflictIsReadAgainAndOverlooked) {
  for (const int conflicts : {kClaimTriesMax, 1 + kClaimTriesMax}) {
    Cluster cluster;
    Scheduler scheduler(cluster.client, cluster.world.world(), Log::Silent(), cluster.Options());
    cluster.AddClass();
    cluster.AddNode("a", 1);
    cluster.AddClaim("gpu");
    cluster.AddPod("worker", {"gpu"});
    int left = conflicts;
    cluster.client.set_fault(
        [&](MemoryClient::Verb verb, const client::ObjectRef& ref, std::string_view) -> Result<> {
          const bool is_claim = ref.kind->plural == "resourceclaims";
          if (verb != MemoryClient::Verb::kUpdate || !is_claim || left == 0) return {};
          --left;
          return dray::Fail(StatusReason::kConflict, "changed");
        });
    for (int i = 0; i < 20; ++i) scheduler.Step();
    const bool is_bound = !cluster.Pod("worker").spec.node_name.empty();
    EXPECT_EQ(is_bound, conflicts <= kClaimTriesMax);
    cluster.Settle(scheduler, 5);
    EXPECT_EQ(cluster.Pod("worker").spec.node_name, "a");
    EXPECT_EQ(cluster.Condition("worker"), "True : ");
  }
}

// Allocated with a device of a node that is gone.
void AddUselessClaim(Cluster& cluster) {
  cluster.AddClaim("gpu");
  api::Object claim =
      cluster.client.Get({&api::Reflected<ResourceClaim>::kKind, "lab", "gpu"})->Clone();
  auto& allocation = claim.Mutable<ResourceClaim>().status.allocation.emplace();
  allocation.devices.results.push_back(
      {.request = "gpu", .driver = "gpu.acme.example", .pool = "gone", .device = "gpu-0"});
  allocation.node_selector.emplace().node_selector_terms.push_back(
      {.match_fields = {{.key = "metadata.name", .operator_ = "In", .values = {"gone"}}}});
  Cluster::Must(cluster.client.Update(claim, "status"));
}

TEST_F(SchedulerTest, UselessAllocationIsTakenBackForItsPod) {
  cluster_.AddNode("a", 1);
  AddUselessClaim(cluster_);
  cluster_.AddPod("worker", {"gpu"});
  Settle();
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

TEST_F(SchedulerTest, BackOffAfterAUselessAllocationIsWaitedOutInReleasesBefore133) {
  Scheduler::Options options = cluster_.Options();
  options.configuration.queue.pops_from_backoff = false;
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), std::move(options));
  cluster_.AddNode("a", 1);
  AddUselessClaim(cluster_);
  cluster_.AddPod("worker", {"gpu"});
  cluster_.Settle(scheduler);
  EXPECT_THAT(cluster_.Condition("worker"), HasSubstr("deallocation of ResourceClaim completed"));
  cluster_.Settle(scheduler, 3);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

// The node and the pod arrive while the scheduler reads its watches, one after the other.
TEST_F(SchedulerTest, APodIsTriedWithAllThatWasDeliveredBeforeIt) {
  Settle();
  bool has_arrived = false;
  cluster_.client.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef& ref, std::string_view) -> Result<> {
        const bool is_time =
            verb == MemoryClient::Verb::kWatch && ref.kind->plural == "deviceclasses";
        if (!is_time || std::exchange(has_arrived, true)) return {};
        cluster_.AddNode("a", 1);
        cluster_.AddClaim("gpu");
        cluster_.AddPod("worker", {"gpu"});
        return {};
      });
  cluster_.client.EndWatches({.reason = StatusReason::kUnknown, .message = {}});
  Settle();
  ASSERT_TRUE(has_arrived);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
  EXPECT_THAT(cluster_.client.journal(),
              ::testing::Not(::testing::Contains("update pods/status lab/worker")));
}

TEST_F(SchedulerTest, PodsOfOtherSchedulersAndGatedOnesAreLeftAlone) {
  cluster_.AddNode("a", 1);
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "foreign";
  pod.spec.scheduler_name = "nobody";
  Cluster::Must(cluster_.client.Create(api::Object::Of(pod)));
  pod.metadata.name = "gated";
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.scheduling_gates.push_back({.name = "later"});
  Cluster::Must(cluster_.client.Create(api::Object::Of(pod)));
  Settle(3);
  EXPECT_EQ(cluster_.Pod("foreign").spec.node_name, "");
  EXPECT_EQ(cluster_.Pod("gated").spec.node_name, "");
  EXPECT_EQ(scheduler_.pending_pods(), 0U);
}

/// Makes writes fail at random, deletes pods and frees claims in between. Checks after every step
/// that no device belongs to two claims and no reservation to a pod that never existed.
class SchedulerProperty : public ::testing::TestWithParam<uint64_t> {};

void CheckInvariants(Cluster& cluster) {
  std::set<allocator::DeviceId> devices;
  const auto claims = cluster.client.List(api::Reflected<ResourceClaim>::kKind, {});
  for (const api::Object& object : claims->items) {
    const auto& claim = object.As<ResourceClaim>();
    if (!claim.status.allocation) {
      ASSERT_TRUE(claim.status.reserved_for.empty()) << claim.metadata.name;
      continue;
    }
    const auto& finalizers = claim.metadata.finalizers;
    // A claim for extended resources loses its finalizer before deletion, which may then fail.
    const bool may_go = !api::claims::PodOfExtendedClaim(claim.metadata).uid.empty();
    ASSERT_TRUE(may_go ||
                std::ranges::find(finalizers, api::claims::kFinalizer) != finalizers.end());
    for (const auto& result : claim.status.allocation->devices.results) {
      const allocator::DeviceId id{result.driver, result.pool, result.device};
      ASSERT_TRUE(devices.insert(id).second) << id.ToString() << " given twice";
    }
  }
  const auto pods = cluster.client.List(api::Reflected<core_v1::Pod>::kKind, {});
  for (const api::Object& object : pods->items) {
    const auto& pod = object.As<core_v1::Pod>();
    if (pod.spec.node_name.empty()) continue;
    for (const auto& entry : pod.spec.resource_claims) {
      const ResourceClaim claim = cluster.Claim(*entry.resource_claim_name);
      ASSERT_TRUE(api::claims::IsReservedFor(claim, pod.metadata.uid)) << pod.metadata.name;
      ASSERT_EQ(claim.status.allocation->devices.results[0].pool, pod.spec.node_name);
    }
    if (!pod.spec.resource_claims.empty()) continue;
    const auto& extended = pod.status.extended_resource_claim_status;
    ASSERT_TRUE(extended.has_value()) << pod.metadata.name;
    const ResourceClaim claim = cluster.Claim(extended->resource_claim_name);
    ASSERT_TRUE(api::claims::IsReservedFor(claim, pod.metadata.uid)) << pod.metadata.name;
    ASSERT_EQ(claim.status.allocation->devices.results[0].pool, pod.spec.node_name);
  }
}

/// No claim of a waiting pod would fit on a node now, and some pods run.
void CheckNobodyWaitsInVain(Cluster& cluster) {
  std::map<std::string, int64_t> free{{"node-0", 2}, {"node-1", 2}, {"node-2", 2}};
  const auto claims = cluster.client.List(api::Reflected<ResourceClaim>::kKind, {});
  for (const api::Object& object : claims->items) {
    const auto& allocation = object.As<ResourceClaim>().status.allocation;
    if (!allocation) continue;
    for (const auto& result : allocation->devices.results) --free[result.pool];
  }
  int64_t most = 0;
  for (const auto& [node, devices] : free) most = std::max(most, devices);
  int bound = 0;
  const auto pods = cluster.client.List(api::Reflected<core_v1::Pod>::kKind, {});
  for (const api::Object& object : pods->items) {
    const auto& pod = object.As<core_v1::Pod>();
    if (!pod.spec.node_name.empty()) {
      ++bound;
      continue;
    }
    int64_t wanted = 1;
    for (const auto& entry : pod.spec.resource_claims) {
      const ResourceClaim claim = cluster.Claim(*entry.resource_claim_name);
      wanted = claim.spec.devices.requests[0].exactly->count;
    }
    EXPECT_GT(wanted, most) << pod.metadata.name;
  }
  EXPECT_GT(bound, 0);
}

TEST_P(SchedulerProperty, NoDeviceTwiceAndBoundPodsHoldTheirClaims) {
  Cluster cluster(GetParam());
  SeededRandom random(GetParam());
  const auto chance = [&](uint64_t percent) { return random.Next() % 100 < percent; };
  cluster.AddClass();
  for (int i = 0; i < 3; ++i) cluster.AddNode(fmt::format("node-{}", i), 2, i == 2);
  bool faults = true;
  cluster.client.set_fault(
      [&](MemoryClient::Verb verb, const client::ObjectRef&, std::string_view) -> Result<> {
        const bool write = verb == MemoryClient::Verb::kUpdate || verb == MemoryClient::Verb::kBind;
        if (!faults || !write || !chance(15)) return {};
        return dray::Fail(chance(50) ? StatusReason::kConflict : StatusReason::kServerTimeout,
                          "fault");
      });
  cluster.client.set_fate([&](auto, const auto&, auto) {
    if (!faults || !chance(15)) return Fate::kAnswered;
    return chance(50) ? Fate::kAnswerLost : Fate::kDelayed;
  });
  auto scheduler = std::make_unique<Scheduler>(
      cluster.client, cluster.world.world(), Log::Silent(), cluster.Options());
  std::map<std::string, std::vector<std::string>> alive;
  int next = 0;
  for (int turn = 0; turn < 60; ++turn) {
    if (chance(60)) {
      const std::string claim = fmt::format("claim-{}", next);
      const std::string pod = fmt::format("pod-{}", next++);
      if (chance(30)) {
        alive[pod] = {};
        cluster.AddExtendedPod(pod);
      } else {
        cluster.AddClaim(claim, 1 + static_cast<int64_t>(random.Next() % 2));
        alive[pod] = {claim};
        cluster.AddPod(pod, alive[pod]);
      }
    }
    if (chance(30)) cluster.client.HoldBackEvents();
    scheduler->Step();
    ASSERT_NO_FATAL_FAILURE(CheckInvariants(cluster)) << "turn " << turn;
    if (chance(30) && !alive.empty()) {
      const auto victim =
          std::next(alive.begin(), static_cast<std::ptrdiff_t>(random.Next() % alive.size()));
      const std::string uid = cluster.Pod(victim->first).metadata.uid;
      cluster.DeletePod(victim->first);
      faults = false;
      ASSERT_NO_FATAL_FAILURE(cluster.DeleteExtendedClaims(uid));
      for (const std::string& claim : victim->second) cluster.Release(claim);
      faults = true;
      alive.erase(victim);
    }
    if (chance(30)) {
      faults = false;
      ASSERT_NO_FATAL_FAILURE(cluster.ReportDevices(chance(70) ? "attached" : "failed"));
      faults = true;
    }
    cluster.client.LetGo();
    if (chance(20)) cluster.client.CarryOutDelayed();
    if (chance(5)) {                     // a crash loses everything in memory
      cluster.client.CarryOutDelayed();  // the lease refuses later writes
      scheduler = std::make_unique<Scheduler>(
          cluster.client, cluster.world.world(), Log::Silent(), cluster.Options());
    }
    cluster.world.clock().Advance(std::chrono::milliseconds(700));
  }
  faults = false;
  cluster.client.CarryOutDelayed();
  for (int i = 0; i < 3; ++i) {
    cluster.Settle(*scheduler, 15);
    ASSERT_NO_FATAL_FAILURE(cluster.ReportDevices("attached"));
  }
  cluster.Settle(*scheduler, 15);
  EXPECT_EQ(scheduler->waiting_pods(), 0U);
  ASSERT_NO_FATAL_FAILURE(CheckInvariants(cluster));
  CheckNobodyWaitsInVain(cluster);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SchedulerProperty, ::testing::Range<uint64_t>(1, 51));

/// A claim whose search ends only at its budget: the most requests allowed, and constraints on
/// derived attributes that almost match.
ResourceClaim HardClaim(const std::string& name) {
  constexpr int kRequests = 24;
  constexpr int kConstraints = 32;
  ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = name;
  std::vector<std::set<int>> members;
  for (int i = 0; i < kConstraints; ++i) {
    members.push_back({i % kRequests, (i * 3 + 1) % kRequests, (i * 5 + 2) % kRequests});
  }
  const auto attribute = [](int k) {
    return fmt::format("gpu.acme.example/{}", char('a' + k % 8));
  };
  for (int r = 0; r < kRequests; ++r) {
    resource_v1::DeviceRequest request{.name = fmt::format("r{}", r)};
    auto& exact = request.exactly.emplace();
    exact.device_class_name = "gpu";
    exact.allocation_mode = "ExactCount";
    exact.count = 1;
    for (int k = 0; k < 8; ++k) {
      exact.derived_attributes.push_back(
          {.name = attribute(k),
           .expression = fmt::format("((device.attributes['gpu.acme.example'].index + {0}) * "
                                     "(device.attributes['gpu.acme.example'].index + {1}) * {2} / "
                                     "11) % 3",
                                     (97 + k) * 3,
                                     (97 + k) * 7,
                                     (97 + k) * 31 + 1)});
    }
    claim.spec.devices.requests.push_back(std::move(request));
  }
  for (int i = 0; i < kConstraints; ++i) {
    resource_v1::DeviceConstraint constraint{.match_attribute = attribute(i)};
    for (const int r : members[static_cast<size_t>(i)]) {
      constraint.requests.push_back(fmt::format("r{}", r));
    }
    claim.spec.devices.constraints.push_back(std::move(constraint));
  }
  return claim;
}

TEST_F(SchedulerTest, PutsAsideWhatTakesTooMuchAndGoesOnWithOthers) {
  Scheduler::Options options = cluster_.Options();
  options.features.derived_attributes = true;
  options.configuration.profiles.front().filter_timeout = std::chrono::microseconds(100);
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), std::move(options));
  cluster_.AddNode("a", 0);
  cluster_.AddIndexedDevices("a", 100);
  ASSERT_TRUE(cluster_.client.Create(api::Object::Of(HardClaim("hard"))).has_value());
  cluster_.AddPod("1-slow", {"hard"});
  cluster_.AddClaim("easy");
  cluster_.AddPod("2-after", {});
  cluster_.AddPod("3-later", {"easy"});
  cluster_.Settle(scheduler);
  EXPECT_EQ(cluster_.Pod("2-after").spec.node_name, "a") << "it has no claims, and does not wait";
  EXPECT_THAT(cluster_.Condition("1-slow"), HasSubstr("it is put aside for 1 s"));
  EXPECT_EQ(cluster_.Pod("3-later").spec.node_name, "") << "its share rests";
  cluster_.Settle(scheduler, 6);
  EXPECT_EQ(cluster_.Pod("3-later").spec.node_name, "a");
}

}  // namespace
}  // namespace dray::scheduler
