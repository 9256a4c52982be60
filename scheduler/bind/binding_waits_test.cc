// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bind/binding_waits.h"

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"
#include "scheduler/cluster/binding_state.h"

namespace dray::scheduler::inline bind {
namespace {

namespace resource_v1 = api::resource_v1;
using Kind = BindingState::Kind;
using std::chrono::seconds;

constexpr WallTime kNoon{seconds(1'800'000'000)};
constexpr MonotonicTime kStart{std::chrono::hours(1)};

/// Devices named 0, 1, …; those with conditions must get "attached", and can be "failed".
resource_v1::ResourceClaim ClaimOf(const std::vector<bool>& has_conditions) {
  resource_v1::ResourceClaim claim;
  claim.metadata.name = "gpu";
  auto& allocation = claim.status.allocation.emplace();
  allocation.allocation_timestamp = api::Time::Of(kNoon);
  for (const bool has : has_conditions) {
    resource_v1::DeviceRequestAllocationResult result{
        .driver = "d", .pool = "p", .device = std::to_string(allocation.devices.results.size())};
    if (has) {
      result.binding_conditions = {"attached", "warm"};
      result.binding_failure_conditions = {"failed"};
    }
    allocation.devices.results.push_back(std::move(result));
  }
  return claim;
}

void Report(resource_v1::ResourceClaim& claim,
            const std::string& device,
            const std::vector<std::string>& conditions,
            const std::string& status = "True") {
  resource_v1::AllocatedDeviceStatus reported{.driver = "d", .pool = "p", .device = device};
  for (const std::string& type : conditions) {
    reported.conditions.push_back(
        {.type = type, .status = status, .reason = "Why", .message = "shelf \"2\""});
  }
  claim.status.devices.push_back(std::move(reported));
}

struct Reported {
  std::string device;
  std::vector<std::string> conditions;
  std::string status = "True";
};

TEST(BindingStateOf, AllDevicesMustHaveAllConditions) {
  const struct {
    std::string name;
    std::vector<bool> devices;
    std::vector<Reported> reported;
    Kind want;
  } cases[] = {
      {"plain device", {false}, {}, Kind::kReady},
      {"nothing told", {true}, {}, Kind::kWaits},
      {"one of two conditions", {true}, {{"0", {"warm"}}}, Kind::kWaits},
      {"conditions of another device", {true}, {{"1", {"warm", "attached"}}}, Kind::kWaits},
      {"False is not True", {true}, {{"0", {"warm", "attached"}, "False"}}, Kind::kWaits},
      {"all", {true}, {{"0", {"warm", "attached"}}}, Kind::kReady},
      {"second device missing", {true, true}, {{"0", {"warm", "attached"}}}, Kind::kWaits},
      {"plain device beside", {true, false}, {{"0", {"warm", "attached"}}}, Kind::kReady},
      {"failure", {true}, {{"0", {"failed"}}}, Kind::kFailed},
      {"failure counts more", {true}, {{"0", {"warm", "attached", "failed"}}}, Kind::kFailed},
      {"failure that is False", {true}, {{"0", {"failed"}, "False"}}, Kind::kWaits},
      {"failure of a plain device", {false}, {{"0", {"failed"}}}, Kind::kReady},
      {"the first that waits is waited for", {true, true}, {{"1", {"failed"}}}, Kind::kWaits},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    resource_v1::ResourceClaim claim = ClaimOf(test.devices);
    for (const Reported& reported : test.reported)
      Report(claim, reported.device, reported.conditions, reported.status);
    EXPECT_EQ(BindingStateOf(claim).kind, test.want);
  }
}

TEST(BindingStateOf, FailureIsToldInUpstreamsWords) {
  resource_v1::ResourceClaim claim = ClaimOf({true});
  Report(claim, "0", {"failed"});
  EXPECT_EQ(BindingStateOf(claim).failure,
            R"(device binding failed: claim=gpu, reason=Why, message="shelf \"2\"")");
}

TEST(BindingStateOf, SharesOfADeviceAreToldApart) {
  resource_v1::ResourceClaim claim = ClaimOf({true});
  claim.status.allocation->devices.results[0].share_id = "one";
  Report(claim, "0", {"warm", "attached"});
  claim.status.devices[0].share_id = "two";
  EXPECT_EQ(BindingStateOf(claim).kind, Kind::kWaits);
  claim.status.devices[0].share_id = "one";
  EXPECT_EQ(BindingStateOf(claim).kind, Kind::kReady);
}

TEST(BindingStateOf, WithoutAllocationItWaits) {
  EXPECT_EQ(BindingStateOf({}).kind, Kind::kWaits);
}

TEST(HasTimedOut, AfterTheTimeSinceTheAllocation) {
  const resource_v1::ResourceClaim claim = ClaimOf({true});
  const auto& allocation = *claim.status.allocation;
  EXPECT_FALSE(HasTimedOut(allocation, seconds(10), kNoon + seconds(10)));
  EXPECT_TRUE(
      HasTimedOut(allocation, seconds(10), kNoon + seconds(10) + std::chrono::nanoseconds(1)));
  EXPECT_FALSE(HasTimedOut(allocation, seconds(10), kNoon - seconds(100)));  // the clock jumped
  resource_v1::AllocationResult timeless = allocation;
  timeless.allocation_timestamp.reset();
  EXPECT_FALSE(HasTimedOut(timeless, seconds(10), kNoon + seconds(100)));
  EXPECT_FALSE(HasTimedOut(
      *ClaimOf({false}).status.allocation, seconds(10), kNoon + seconds(100)));  // nothing to wait
}

TEST(HasTimedOut, TimesThatNobodyCanMeanAreOnlyVeryLongAgo) {
  resource_v1::AllocationResult allocation = *ClaimOf({true}).status.allocation;
  allocation.allocation_timestamp = api::Time::FromUnixSeconds(api::kTimeMinUnixSeconds);
  EXPECT_TRUE(HasTimedOut(allocation, seconds(10), kNoon));
  allocation.allocation_timestamp = api::Time::FromUnixSeconds(api::kTimeMaxUnixSeconds);
  EXPECT_FALSE(HasTimedOut(allocation, seconds(10), kNoon));
}

TEST(EndOfWait, WhoJoinsAWaitDoesNotMakeItLonger) {
  BindTask task;
  task.claims.push_back({.claim = api::Object::Of(ClaimOf({true})), .allocation = std::nullopt});
  const WallTime later = kNoon + seconds(4);
  EXPECT_EQ(EndOfWait(task, seconds(10), later, kStart), kStart + seconds(6));
  EXPECT_EQ(EndOfWait(task, seconds(1), later, kStart), kStart);
  EXPECT_EQ(EndOfWait(task, seconds(10), kNoon - seconds(4), kStart), kStart + seconds(10));
  task.claims[0].allocation = ClaimOf({true}).status.allocation;  // its own
  EXPECT_EQ(EndOfWait(task, seconds(10), later, kStart), kStart + seconds(10));
}

}  // namespace
}  // namespace dray::scheduler::inline bind
