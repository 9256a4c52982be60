// SPDX-License-Identifier: Apache-2.0
// Pods that wait until their devices are ready (KEP-5007), in the whole scheduler.
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "client/read_modify_write.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using testing::Cluster;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WaitingTest : public ::testing::Test {
 protected:
  WaitingTest() {
    cluster_.AddClass();
    cluster_.AddNode("a", 0);
    resource_v1::ResourceSlice slice;
    slice.metadata.name = "fabric";
    slice.spec.driver = "gpu.acme.example";
    slice.spec.all_nodes = true;
    slice.spec.pool = {.name = "fabric", .generation = 1, .resource_slice_count = 1};
    slice.spec.devices.push_back({.name = "fab-0"});
    slice.spec.devices[0].binds_to_node = true;
    slice.spec.devices[0].binding_conditions = {"attached"};
    slice.spec.devices[0].binding_failure_conditions = {"failed"};
    Cluster::Must(cluster_.client.Create(api::Object::Of(std::move(slice))));
    cluster_.AddClaim("gpu");
  }
  static Scheduler::Options WithTimeout(Scheduler::Options options) {
    options.configuration.profiles[0].binding_timeout = std::chrono::seconds(60);
    return options;
  }
  void Settle(int seconds = 0) { cluster_.Settle(scheduler_, seconds); }
  void Report(const std::string& type) {
    api::Object copy = api::Object::Of(cluster_.Claim("gpu")).Clone();
    resource_v1::AllocatedDeviceStatus status{
        .driver = "gpu.acme.example", .pool = "fabric", .device = "fab-0"};
    status.conditions.push_back(
        {.type = type, .status = "True", .reason = "NoPower", .message = "shelf is off"});
    copy.Mutable<resource_v1::ResourceClaim>().status.devices = {status};
    Cluster::Must(cluster_.client.Update(copy, "status"));
  }
  std::vector<std::string> ChangesSince(size_t begin) const {
    const auto& journal = cluster_.client.journal();
    std::vector<std::string> changes(journal.begin() + static_cast<std::ptrdiff_t>(begin),
                                     journal.end());
    std::erase_if(changes, [](const std::string& one) { return one.contains(" events "); });
    return changes;
  }

  Cluster cluster_;
  Scheduler scheduler_{
      cluster_.client, cluster_.world.world(), Log::Silent(), WithTimeout(cluster_.Options())};
};

TEST_F(WaitingTest, ClaimsAreWrittenAndTheBindingWaits) {
  cluster_.AddPod("worker", {"gpu"});
  const size_t before = cluster_.client.journal().size();
  Settle(3);
  EXPECT_THAT(ChangesSince(before),
              ElementsAre("update pods/status lab/worker",
                          "update resourceclaims lab/gpu",
                          "update resourceclaims/status lab/gpu"));
  EXPECT_EQ(cluster_.Pod("worker").status.nominated_node_name, "a");
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "");
  EXPECT_EQ(scheduler_.waiting_pods(), 1U);
  Report("attached");
  Settle();
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
  EXPECT_EQ(scheduler_.waiting_pods(), 0U);
}

TEST_F(WaitingTest, AFailedDeviceIsTakenBackAndLookedForAnew) {
  cluster_.AddPod("worker", {"gpu"});
  Settle();
  const size_t before = cluster_.client.journal().size();
  Report("failed");
  Settle();
  EXPECT_THAT(cluster_.Condition("worker"),
              HasSubstr("SchedulerError: running PreBind plugin \"DynamicResources\": device "
                        "binding failed: claim=gpu, reason=NoPower, message=\"shelf is off\""));
  EXPECT_THAT(cluster_.Claim("gpu").status.reserved_for, IsEmpty());
  EXPECT_EQ(cluster_.Pod("worker").status.nominated_node_name, "");
  Settle(3);
  EXPECT_THAT(ChangesSince(before),
              ElementsAre("update resourceclaims/status lab/gpu",    // the driver's
                          "update resourceclaims/status lab/gpu",    // reservation gone
                          "update pods/status lab/worker",           // the reason
                          "update resourceclaims/status lab/gpu",    // allocation gone
                          "update pods/status lab/worker",           // the reason
                          "update pods/status lab/worker",           // nominated
                          "update resourceclaims/status lab/gpu"));  // new allocation
  EXPECT_THAT(cluster_.Claim("gpu").status.devices, IsEmpty());
  EXPECT_EQ(scheduler_.waiting_pods(), 1U);
}

TEST_F(WaitingTest, TimeUpIsAFailureToo) {
  cluster_.AddPod("worker", {"gpu"});
  Settle(59);
  EXPECT_EQ(cluster_.Condition("worker"), "");
  Settle(1);
  EXPECT_EQ(cluster_.Condition("worker"),
            "False SchedulerError: running PreBind plugin \"DynamicResources\": device binding "
            "timeout: context deadline exceeded");
  Settle(3);
  EXPECT_THAT(cluster_.Condition("worker"), HasSubstr("deallocation of ResourceClaim completed"));
  EXPECT_EQ(scheduler_.waiting_pods(), 1U);
}

TEST_F(WaitingTest, OthersOfTheClaimWaitForTheSameDevice) {
  cluster_.AddPod("one", {"gpu"});
  Settle(1);
  cluster_.AddPod("two", {"gpu"});
  Settle(1);
  EXPECT_EQ(scheduler_.waiting_pods(), 2U);
  EXPECT_THAT(cluster_.Claim("gpu").status.reserved_for, SizeIs(2));
  Report("attached");
  Settle();
  EXPECT_EQ(cluster_.Pod("one").spec.node_name, "a");
  EXPECT_EQ(cluster_.Pod("two").spec.node_name, "a");
}

TEST_F(WaitingTest, AWaitEndsWithItsPod) {
  cluster_.AddPod("worker", {"gpu"});
  Settle();
  cluster_.DeletePod("worker");
  cluster_.AddPod("worker", {});  // another pod of the same name
  Settle(2);
  EXPECT_EQ(scheduler_.waiting_pods(), 0U);
  Report("failed");
  Settle(100);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
  EXPECT_THAT(cluster_.Condition("worker"), ::testing::StartsWith("True"));
}

// Otherwise the claim would keep the device until another pod needs it. Either this scheduler or
// the claim controller, whichever sees the deletion first, frees it.
TEST_F(WaitingTest, APodThatGoesGivesItsDevicesBack) {
  cluster_.AddPod("worker", {"gpu"});
  Settle();
  const client::ObjectRef pod{&api::Reflected<core_v1::Pod>::kKind, "lab", "worker"};
  api::Object copy = cluster_.client.Get(pod).value().Clone();
  copy.mutable_metadata().finalizers = {"acme.example/logs"};
  Cluster::Must(cluster_.client.Update(copy, {}));
  Settle();
  EXPECT_EQ(scheduler_.waiting_pods(), 1U);
  Report("almost");
  ASSERT_TRUE(cluster_.client.Delete(pod, {}));
  Settle();
  EXPECT_EQ(scheduler_.waiting_pods(), 0U);
  EXPECT_THAT(cluster_.Claim("gpu").status.reserved_for, IsEmpty());
  EXPECT_FALSE(cluster_.Claim("gpu").status.allocation.has_value());
  EXPECT_THAT(cluster_.Claim("gpu").status.devices, IsEmpty()) << "the server would refuse them";
  EXPECT_THAT(cluster_.Claim("gpu").metadata.finalizers, IsEmpty());
}

TEST_F(WaitingTest, ADeallocatedClaimEndsTheWait) {
  cluster_.AddPod("worker", {"gpu"});
  Settle();
  cluster_.Release("gpu");
  Settle();
  EXPECT_THAT(cluster_.Condition("worker"),
              HasSubstr("claim lab/gpu got deallocated elsewhere in the meantime"));
  Settle(2);
  EXPECT_TRUE(cluster_.Claim("gpu").status.allocation.has_value());
}

TEST_F(WaitingTest, TheNextSchedulerWaitsOn) {
  cluster_.AddPod("worker", {"gpu"});
  Settle();
  scheduler_.Stop();
  Scheduler next(
      cluster_.client, cluster_.world.world(), Log::Silent(), WithTimeout(cluster_.Options()));
  const size_t before = cluster_.client.journal().size();
  cluster_.Settle(next, 10);
  EXPECT_THAT(ChangesSince(before), IsEmpty());
  EXPECT_EQ(next.waiting_pods(), 1U);
  Report("attached");
  cluster_.Settle(next);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

TEST_F(WaitingTest, WithoutTheFeatureNobodyWaits) {
  scheduler_.Stop();
  Scheduler::Options options = cluster_.Options();
  options.features.device_binding_and_status = false;
  Scheduler plain(cluster_.client, cluster_.world.world(), Log::Silent(), std::move(options));
  api::Object copy = api::Object::Of(cluster_.Claim("gpu")).Clone();
  auto& status = copy.Mutable<resource_v1::ResourceClaim>().status;
  status.allocation.emplace().devices.results.push_back({.request = "gpu",
                                                         .driver = "gpu.acme.example",
                                                         .pool = "fabric",
                                                         .device = "fab-0",
                                                         .binding_conditions = {"attached"}});
  Cluster::Must(cluster_.client.Update(copy, "status"));
  cluster_.AddPod("worker", {"gpu"});
  cluster_.Settle(plain, 1);
  EXPECT_EQ(cluster_.Pod("worker").spec.node_name, "a");
}

}  // namespace
}  // namespace dray::scheduler
