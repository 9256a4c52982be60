// SPDX-License-Identifier: Apache-2.0
// Claims of a pod, devices taken, requests of a pod.
#include <map>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/devices.h"
#include "scheduler/node_filter.h"
#include "scheduler/pod_claims.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using ::testing::ElementsAre;

class ResolveClaimsTest : public ::testing::Test {
 protected:
  ResolveClaimsTest() {
    pod_.metadata.namespace_ = "lab";
    pod_.metadata.name = "worker";
    pod_.metadata.uid = "uid-worker";
  }
  resource_v1::ResourceClaim Claim(const std::string& name) {
    resource_v1::ResourceClaim claim;
    claim.metadata.namespace_ = "lab";
    claim.metadata.name = name;
    claim.metadata.uid = "uid-" + name;
    return claim;
  }
  void Store(const resource_v1::ResourceClaim& claim) {
    claims_["lab/" + claim.metadata.name] = api::Object::Of(claim);
  }
  std::string Resolve() {
    const auto result = ResolveClaims(pod_, [this](std::string_view key) -> const api::Object* {
      const auto found = claims_.find(key);
      return found == claims_.end() ? nullptr : &found->second;
    });
    if (const auto* gated = std::get_if<Gated>(&result)) return gated->message;
    std::string names;
    for (const auto& claim : std::get<std::vector<api::Object>>(result)) {
      names += "[" + claim.metadata().name + "]";
    }
    return names;
  }

  core_v1::Pod pod_;
  std::map<std::string, api::Object, std::less<>> claims_;
};

TEST_F(ResolveClaimsTest, NamedClaimMustExistAndStay) {
  pod_.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "shared"}};
  EXPECT_EQ(Resolve(), "resourceclaim.resource.k8s.io \"shared\" not found");
  Store(Claim("shared"));
  EXPECT_EQ(Resolve(), "[shared]");
  resource_v1::ResourceClaim deleting = Claim("shared");
  deleting.metadata.deletion_timestamp = api::Time::FromUnixSeconds(1);
  Store(deleting);
  EXPECT_EQ(Resolve(), "resourceclaim \"shared\" is being deleted");
}

TEST_F(ResolveClaimsTest, GeneratedClaimMustBeRecordedAndOurs) {
  pod_.spec.resource_claims = {{.name = "gpu", .resource_claim_template_name = "one"}};
  EXPECT_EQ(Resolve(), "pod \"lab/worker\": ResourceClaim not created yet");
  pod_.status.resource_claim_statuses = {{.name = "gpu", .resource_claim_name = "worker-gpu-x"}};
  Store(Claim("worker-gpu-x"));
  EXPECT_EQ(Resolve(),
            "ResourceClaim lab/worker-gpu-x was not created for Pod lab/worker (Pod is not owner)");
  resource_v1::ResourceClaim ours = Claim("worker-gpu-x");
  ours.metadata.owner_references = {{.uid = "uid-worker", .controller = true}};
  Store(ours);
  EXPECT_EQ(Resolve(), "[worker-gpu-x]");
}

TEST_F(ResolveClaimsTest, EntryWithoutClaimIsLeftOutAndTwoEntriesMayShareOne) {
  pod_.spec.resource_claims = {{.name = "none", .resource_claim_template_name = "t"},
                               {.name = "one", .resource_claim_name = "shared"},
                               {.name = "two", .resource_claim_name = "shared"}};
  pod_.status.resource_claim_statuses = {{.name = "none"}};
  Store(Claim("shared"));
  EXPECT_EQ(Resolve(), "[shared]");
}

resource_v1::AllocationResult Holding(std::initializer_list<const char*> devices) {
  resource_v1::AllocationResult allocation;
  for (const char* device : devices) {
    allocation.devices.results.push_back(
        {.request = "gpu", .driver = "d", .pool = "p", .device = device});
  }
  return allocation;
}

std::string Names(const TakenDevices& taken) {
  std::string names;
  for (const auto& device : taken.state().devices) names += device.device + " ";
  return names;
}

TEST(TakenDevices, DeviceStaysTakenFromReservationToAllocation) {
  TakenDevices taken;
  EXPECT_TRUE(taken.Reserve("uid-1", Holding({"a", "b"})));
  EXPECT_FALSE(taken.Reserve("uid-1", Holding({"c"})));
  EXPECT_EQ(Names(taken), "a b ");
  resource_v1::ResourceClaim claim;
  claim.status.allocation = Holding({"a", "b"});
  taken.SetClaim("uid-1", &claim);
  taken.Release("uid-1");
  EXPECT_EQ(Names(taken), "a b ");
  claim.status.allocation.reset();
  taken.SetClaim("uid-1", &claim);
  EXPECT_EQ(Names(taken), "");
}

TEST(TakenDevices, DeviceThatTwoClaimsHoldIsFreeAfterBoth) {
  TakenDevices taken;
  resource_v1::ResourceClaim claim;
  claim.status.allocation = Holding({"a"});
  taken.SetClaim("uid-1", &claim);
  taken.SetClaim("uid-2", &claim);
  taken.SetClaim("uid-1", nullptr);
  EXPECT_EQ(Names(taken), "a ");
  taken.SetClaim("uid-2", nullptr);
  EXPECT_EQ(Names(taken), "");
}

TEST(TakenDevices, AdminAccessTakesNothing) {
  TakenDevices taken;
  resource_v1::ResourceClaim claim;
  claim.status.allocation = Holding({"a"});
  claim.status.allocation->devices.results[0].admin_access = true;
  taken.SetClaim("uid-1", &claim);
  EXPECT_EQ(Names(taken), "");
}

TEST(TakenDevices, SharesOfADeviceAddUpAndAreCountedOnce) {
  TakenDevices taken;
  resource_v1::ResourceClaim claims[2];
  for (int i = 0; i < 2; ++i) {
    resource_v1::AllocationResult allocation = Holding({"a"});
    allocation.devices.results[0].share_id = i == 0 ? "s0" : "s1";
    allocation.devices.results[0].consumed_capacity["memory"] = api::Quantity::FromInt(i + 1);
    claims[i].status.allocation = allocation;
  }
  const auto memory = [&] {
    const auto found = taken.state().capacity.begin();
    return found == taken.state().capacity.end() ? 0 : found->second.at("memory").Value();
  };
  EXPECT_TRUE(taken.Reserve("uid-1", *claims[0].status.allocation));
  taken.SetClaim("uid-1", &claims[0]);
  taken.SetClaim("uid-2", &claims[1]);
  EXPECT_EQ(Names(taken), "");
  EXPECT_EQ(taken.state().shares.size(), 2U);
  EXPECT_EQ(memory(), 3);
  taken.SetClaim("uid-1", nullptr);
  EXPECT_EQ(memory(), 3);
  taken.Release("uid-1");
  EXPECT_EQ(memory(), 2);
  taken.SetClaim("uid-2", nullptr);
  EXPECT_EQ(memory(), 0);
  EXPECT_TRUE(taken.state().shares.empty());
}

TEST(TakenDevices, ShareTakesAllWhileSharingIsOff) {
  TakenDevices taken(allocator::Features{.consumable_capacity = false});
  resource_v1::AllocationResult allocation = Holding({"a"});
  allocation.devices.results[0].share_id = "s0";
  EXPECT_TRUE(taken.Reserve("uid-1", allocation));
  EXPECT_EQ(Names(taken), "a ");
}

TEST(RequestsOf, LargestMomentOfThePodCounts) {
  const auto container = [](const char* cpu) {
    core_v1::Container made;
    made.resources.requests["cpu"] = *api::Quantity::Parse(cpu);
    return made;
  };
  core_v1::Pod pod;
  pod.spec.containers = {container("500m"), container("1")};
  pod.spec.init_containers = {container("2")};
  EXPECT_EQ(RequestsOf(pod)["cpu"], 2000);
  pod.spec.init_containers.insert(pod.spec.init_containers.begin(), container("750m"));
  pod.spec.init_containers[0].restart_policy = "Always";
  EXPECT_EQ(RequestsOf(pod)["cpu"], 2750);
  pod.spec.overhead["cpu"] = *api::Quantity::Parse("250m");
  EXPECT_EQ(RequestsOf(pod)["cpu"], 3000);
}

}  // namespace
}  // namespace dray::scheduler
