// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/devices.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace resource_v1 = api::resource_v1;

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
  taken.Unreserve("uid-1");
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
  EXPECT_EQ(Names(taken), "a ") << "its request does not ask for it";
  resource_v1::DeviceRequest& request = claim.spec.devices.requests.emplace_back();
  request.name = "gpu";
  request.exactly.emplace().admin_access = true;
  taken.SetClaim("uid-2", &claim);
  taken.SetClaim("uid-1", nullptr);
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
  taken.Unreserve("uid-1");
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

}  // namespace
}  // namespace dray::scheduler::inline cluster
