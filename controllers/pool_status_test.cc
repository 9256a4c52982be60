// SPDX-License-Identifier: Apache-2.0
#include "controllers/pool_status.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/resource_v1alpha3.h"

namespace dray::controllers {
namespace {

namespace v1 = api::resource_v1;
namespace alpha = api::resource_v1alpha3;
using api::Quantity;

class PoolStatusTest : public ::testing::Test {
 protected:
  v1::ResourceSlice& Slice(const std::string& pool, int devices, int64_t generation = 1) {
    v1::ResourceSlice& slice = slices_.emplace_back();
    slice.spec.driver = "d.example";
    slice.spec.node_name = "n";
    slice.spec.pool = {.name = pool, .generation = generation, .resource_slice_count = 1};
    for (int i = 0; i < devices; ++i)
      slice.spec.devices.push_back({.name = fmt::format("dev-{}", i)});
    return slice;
  }
  /// Devices of one counter set, whose type says what they take of it.
  v1::ResourceSlice& Partitions(std::initializer_list<std::pair<const char*, int64_t>> types) {
    v1::ResourceSlice& slice = Slice("p", static_cast<int>(types.size()));
    slice.spec.partition_type_attribute = "d.example/size";
    slice.spec.shared_counters.push_back({.name = "card"});
    slice.spec.shared_counters.back().counters["memory"].value = Quantity::FromInt(80);
    size_t i = 0;
    for (const auto& [type, cost] : types) {
      v1::Device& device = slice.spec.devices[i++];
      device.attributes["size"].string = type;
      device.consumes_counters.push_back({.counter_set = "card"});
      device.consumes_counters.back().counters["memory"].value = Quantity::FromInt(cost);
    }
    return slice;
  }
  void Take(const std::string& pool, const std::string& device, bool admin = false) {
    v1::ResourceClaim& claim = claims_.emplace_back();
    auto& results = claim.status.allocation.emplace().devices.results;
    results.push_back({.driver = "d.example", .pool = pool, .device = device});
    if (admin) results.back().admin_access = true;
  }
  alpha::ResourcePoolStatusRequestStatus Ask() {
    std::vector<Frozen<v1::ResourceSlice>> slices;
    for (const auto& slice : slices_) {
      slices.push_back(std::make_shared<const v1::ResourceSlice>(slice));
    }
    std::vector<Frozen<v1::ResourceClaim>> claims;
    for (const auto& claim : claims_) {
      claims.push_back(std::make_shared<const v1::ResourceClaim>(claim));
    }
    return PoolStatusOf(request_, {.slices = slices, .claims = claims}, api::Time());
  }
  /// "p: 3 devices, 1 allocated, 1 free, 1 not" for each pool.
  std::string Counts() {
    std::string text;
    for (const auto& pool : Ask().pools) {
      text += fmt::format("{}: {} devices, {} allocated, {} free, {} not; ",
                          pool.pool_name,
                          pool.total_devices.value_or(-1),
                          pool.allocated_devices.value_or(-1),
                          pool.available_devices.value_or(-1),
                          pool.unavailable_devices.value_or(-1));
    }
    return text;
  }
  /// "full 1 of 1, half 0 of 2" of the one pool, or its error.
  std::string Types() {
    const auto status = Ask();
    if (status.pools.size() != 1) return "no pool";
    if (status.pools[0].validation_error) return *status.pools[0].validation_error;
    std::string text;
    for (const auto& type : status.pools[0].partition_summary) {
      text += fmt::format("{} {} of {}; ", type.type, *type.allocatable, *type.total);
    }
    return text;
  }

  alpha::ResourcePoolStatusRequestSpec request_{.driver = "d.example"};
  std::vector<v1::ResourceSlice> slices_;
  std::vector<v1::ResourceClaim> claims_;
};

TEST_F(PoolStatusTest, NobodyIsThere) {
  const auto status = Ask();
  EXPECT_EQ(status.pool_count, 0);
  EXPECT_EQ(status.conditions[0].message, "Calculated status for 0 pools");
}

TEST_F(PoolStatusTest, CountsWhatIsUsedTaintedAndFree) {
  Slice("b", 3).spec.devices[2].taints.push_back({.key = "k", .effect = "NoSchedule"});
  Slice("a", 1).spec.devices[0].taints.push_back({.key = "k", .effect = "None"});
  slices_[1].spec.driver = "other.example";
  Take("b", "dev-0");
  Take("b", "dev-0");
  Take("b", "dev-1", true);
  EXPECT_EQ(Counts(), "b: 3 devices, 1 allocated, 1 free, 1 not; ");
  slices_[1].spec.driver = "d.example";
  EXPECT_EQ(Counts(),
            "a: 1 devices, 0 allocated, 1 free, 0 not; b: 3 devices, 1 allocated, 1 free, 1 not; ");
  request_.pool_name = "a";
  EXPECT_EQ(Counts(), "a: 1 devices, 0 allocated, 1 free, 0 not; ");
}

TEST_F(PoolStatusTest, TheNewestGenerationCountsAlone) {
  Slice("p", 2, 7);
  Slice("p", 1, 8);
  Slice("p", 3, 6);
  EXPECT_EQ(Counts(), "p: 1 devices, 0 allocated, 1 free, 0 not; ");
  EXPECT_EQ(Ask().pools[0].generation, 8);
}

TEST_F(PoolStatusTest, LimitCutsAndCounts) {
  for (int i = 0; i < 101; ++i) Slice(fmt::format("{:03}", i), 1);
  EXPECT_EQ(Ask().pools.size(), 100U);
  EXPECT_EQ(Ask().pool_count, 101);
  request_.limit = 101;
  EXPECT_EQ(Ask().pools.size(), 101U);
  request_.limit = 1;
  EXPECT_EQ(Ask().pools[0].pool_name, "000");
}

TEST_F(PoolStatusTest, WhatIsMissingIsNotCounted) {
  Slice("p", 2).spec.pool.resource_slice_count = 2;
  EXPECT_EQ(Types(),
            "PoolIncomplete: pool d.example/p is incomplete: observed 1/2 slices at generation 1");
  EXPECT_EQ(Counts(), "p: -1 devices, -1 allocated, -1 free, -1 not; ");
  EXPECT_TRUE(IsIncomplete(Ask()));
  EXPECT_EQ(Ask().conditions[0].message, "Calculated status for 1 pools (1 incomplete)");
  slices_[0].spec.pool.name = std::string(300, 'p');
  EXPECT_EQ(Types().size(), 256U);
}

TEST_F(PoolStatusTest, PartitionsByTypeEachAsIfAloneInWhatIsLeft) {
  Partitions({{"full", 80}, {"half", 40}, {"half", 40}});
  EXPECT_EQ(Types(), "full 1 of 1; half 2 of 2; ");
  Take("p", "dev-1");
  EXPECT_EQ(Types(), "full 0 of 1; half 1 of 2; ");
  EXPECT_EQ(Ask().pools[0].partition_summary[0].attribute, "d.example/size");
}

TEST_F(PoolStatusTest, PartitionsThatCannotBeTold) {
  Partitions({{"half", 40}, {"half", 41}});
  EXPECT_EQ(Types(),
            "PartitionCostMismatch: devices of partition type \"half\" consume different counters");
  EXPECT_EQ(Counts(), "p: 2 devices, 0 allocated, 2 free, 0 not; ");
  EXPECT_FALSE(IsIncomplete(Ask()));
  slices_[0].spec.devices[1].attributes.clear();
  EXPECT_EQ(Types(),
            "PartitionTypeMissing: device \"dev-1\" does not carry partition type attribute "
            "\"d.example/size\"");
  slices_[0].spec.devices[1].consumes_counters.clear();
  EXPECT_EQ(Types(), "half 1 of 1; ") << "who takes nothing is no partition";
}

TEST_F(PoolStatusTest, TheRequestNamesTheAttributeOfSlicesThatDoNot) {
  Partitions({{"half", 40}}).spec.partition_type_attribute.reset();
  EXPECT_EQ(Types(), "");
  request_.default_partition_type_attribute = "d.example/size";
  EXPECT_EQ(Types(), "half 1 of 1; ");
}

TEST_F(PoolStatusTest, AtMost32TypesAreListed) {
  Partitions({{"t-0", 1}});
  const v1::Device first = slices_[0].spec.devices[0];
  for (int i = 1; i < 33; ++i) {
    v1::Device device = first;
    device.name = fmt::format("dev-{}", i);
    device.attributes["size"].string = fmt::format("t-{}", i);
    slices_[0].spec.devices.push_back(device);
    if (i == 31) EXPECT_EQ(Ask().pools[0].partition_summary.size(), 32U);
  }
  EXPECT_EQ(
      Types(),
      "PartitionSummaryOverCap: the pool has 33 partition types, exceeding the maximum of 32");
}

TEST_F(PoolStatusTest, SharedDevicesAreSummedUp) {
  for (v1::Device& device : Slice("p", 2).spec.devices) {
    device.allow_multiple_allocations = true;
    device.capacity["bandwidth"].value = Quantity::FromInt(10);
  }
  Take("p", "dev-0");
  claims_[0].status.allocation->devices.results[0].consumed_capacity["bandwidth"] =
      Quantity::FromInt(4);
  const auto summary = Ask().pools[0].shareable_summary;
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(*summary->fully_available_devices, 1);
  EXPECT_EQ(*summary->partially_available_devices, 1);
  ASSERT_EQ(summary->capacity.size(), 1U);
  EXPECT_EQ(*summary->capacity[0].total, Quantity::FromInt(20));
  EXPECT_EQ(*summary->capacity[0].consumed, Quantity::FromInt(4));
  EXPECT_EQ(*summary->capacity[0].available, Quantity::FromInt(16));
}

}  // namespace
}  // namespace dray::controllers
