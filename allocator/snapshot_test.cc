// SPDX-License-Identifier: Apache-2.0
#include "dray/snapshot.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "allocator/internals.h"
#include "allocator/testing/lab.h"
#include "dray/allocator.h"
#include "dray/outcome.h"

namespace dray::allocator {
namespace {

using testing::Lab;

constexpr std::string_view kTwoDevices = R"([{"name":"a"},{"name":"b"}])";
// Two shares of 4Gi fit on it.
constexpr std::string_view kShareable = R"([{"name":"a","allowMultipleAllocations":true,
    "capacity":{"memory":{"value":"8Gi"}}}])";
constexpr std::string_view kShareWithoutCapacity =
    R"([{"name":"a","allowMultipleAllocations":true}])";
constexpr std::string_view kFourGi = R"({"requests":[{"name":"r","exactly":{
    "deviceClassName":"any","allocationMode":"ExactCount","count":1,
    "capacity":{"requests":{"memory":"4Gi"}}}}]})";

/// What the claims of the lab get now; no results: nothing.
Allocation Ask(const Snapshot& snapshot, const Lab& lab) {
  const auto outcome = Attempt(snapshot, lab.claims()).Allocate(lab.node());
  if (!outcome) return {};
  const auto* const found = std::get_if<Allocation>(&*outcome);
  return found == nullptr ? Allocation() : *found;
}

bool Fits(const Snapshot& snapshot, const Lab& lab) {
  return !Ask(snapshot, lab).results.empty();
}

std::string Difference(const Snapshot& snapshot) {
  return Internals::ClusterOf(snapshot)->DifferenceFromRebuild();
}

TEST(SnapshotOfAllocations, AnAllocationTakesItsDevicesAndGivesThemBack) {
  Lab lab;
  lab.Devices(kTwoDevices).Count(2);
  const Snapshot before = lab.snapshot({});
  const Allocation allocation = Ask(before, lab);
  ASSERT_EQ(allocation.results.size(), 1U);
  const Snapshot after = before.With(allocation);
  EXPECT_EQ(after.State().devices.size(), 2U);
  EXPECT_FALSE(Fits(after, lab));
  EXPECT_TRUE(Fits(before, lab)) << "the fork changed its origin";
  EXPECT_TRUE(Fits(after.Without(allocation), lab));
  EXPECT_TRUE(after.Without(allocation).State().devices.empty());
}

TEST(SnapshotOfAllocations, SharesTakeWhatTheyConsume) {
  Lab lab;
  lab.Devices(kShareable).Claim(kFourGi);
  const Snapshot none = lab.snapshot({});
  const Allocation share = Ask(none, lab);
  ASSERT_EQ(share.results.size(), 1U);
  const Snapshot one = none.With(share);
  ASSERT_TRUE(Fits(one, lab));
  const Snapshot two = one.With(Ask(one, lab));
  EXPECT_FALSE(Fits(two, lab));
  EXPECT_EQ(two.State().shares.size(), 2U);
  EXPECT_EQ(Difference(two), "");
  EXPECT_TRUE(Fits(two.Without(share), lab));
  EXPECT_EQ(two.Without(share).State().shares.size(), 1U);
  const AllocatedState empty = two.Without(share).Without(share).State();
  EXPECT_TRUE(empty.shares.empty());
  EXPECT_TRUE(empty.capacity.empty());
}

// Nothing but their number says that some of them are left.
TEST(SnapshotOfAllocations, SharesWithoutCapacityAreCounted) {
  Lab lab;
  lab.Devices(kShareWithoutCapacity).Count(1);
  const Snapshot none = lab.snapshot({});
  const Allocation share = Ask(none, lab);
  ASSERT_EQ(share.results.size(), 1U);
  const Snapshot two = none.With(share).With(share);
  EXPECT_EQ(two.State().shares.size(), 2U);
  EXPECT_EQ(two.Without(share).State().shares.size(), 1U);
  EXPECT_TRUE(two.Without(share).Without(share).State().shares.empty());
  EXPECT_EQ(Difference(two), "");
}

TEST(SnapshotOfAllocations, AdminAccessTakesNothing) {
  Lab lab;
  lab.Devices(kTwoDevices).Claim(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"any",
      "allocationMode":"ExactCount","count":1,"adminAccess":true}}]})");
  const Snapshot before = lab.snapshot({});
  const Allocation looks = Ask(before, lab);
  ASSERT_EQ(looks.results.size(), 1U);
  EXPECT_TRUE(before.With(looks).State().devices.empty());
}

TEST(SnapshotOfAllocations, DevicesThatNoSliceHasAreKept) {
  Lab lab;
  lab.Devices(kTwoDevices).Count(1);
  const Snapshot before = lab.snapshot({});
  Allocation gone = Ask(before, lab);
  ASSERT_EQ(gone.results.size(), 1U);
  gone.results[0].devices.results[0].pool = "elsewhere";
  EXPECT_EQ(before.With(gone).State().devices.size(), 1U);
  EXPECT_TRUE(before.With(gone).Without(gone).State().devices.empty());
}

TEST(SnapshotOfNodes, HasTheSlicesOfANode) {
  Lab lab;
  lab.Devices(kTwoDevices);
  const Snapshot snapshot = lab.snapshot({});
  ASSERT_EQ(snapshot.SlicesOfNode("node").size(), 1U);
  EXPECT_EQ(snapshot.SlicesOfNode("node")[0]->spec.devices.size(), 2U);
  EXPECT_TRUE(snapshot.SlicesOfNode("another").empty());
}

}  // namespace
}  // namespace dray::allocator
