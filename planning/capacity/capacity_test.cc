// SPDX-License-Identifier: Apache-2.0
// Cases that the random clusters of tests/judges/capacity_test.cc lack: names of shapes, units of
// counters, several GPUs, groups, health.
#include "planning/capacity/capacity.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocator/selector_cache.h"
#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "base/check.h"
#include "dray/selector.h"
#include "planning/explain/device_health.h"

namespace dray::planning::inline capacity {
namespace {

namespace v1 = api::resource_v1;

template <class T>
Frozen<T> FromJson(std::string_view text) {
  auto value = std::make_shared<T>();
  const Result<> decoded = api::DecodeJson(api::TypeOf<T>(), text, value.get(), nullptr);
  DRAY_CHECK(decoded.has_value());
  return value;
}

/// A pool "p" of driver "d" on node "n" with two slices, whose contents are JSON.
struct Pool {
  std::string sets, devices;
  std::string more = {};  // members of the slice of devices
  std::vector<std::string> used = {};
};

CapacityReport ReportOf(const Pool& pool, const allocator::Features& features = {}) {
  const char* const head = R"({{"metadata":{{"name":"{}"}},"spec":{{"driver":"d","nodeName":"n",)"
                           R"("pool":{{"name":"p","generation":1,"resourceSliceCount":2}},{}}}}})";
  std::vector<Frozen<v1::ResourceSlice>> slices = {
      FromJson<v1::ResourceSlice>(
          fmt::format(fmt::runtime(head), "a", fmt::format(R"("sharedCounters":[{}])", pool.sets))),
      FromJson<v1::ResourceSlice>(fmt::format(
          fmt::runtime(head), "b", fmt::format(R"({}"devices":[{}])", pool.more, pool.devices)))};
  std::vector<Frozen<v1::ResourceClaim>> claims;
  for (const std::string& device : pool.used) {
    claims.push_back(FromJson<v1::ResourceClaim>(fmt::format(
        R"({{"status":{{"allocation":{{"devices":{{"results":[{{"request":"r","driver":"d","pool":"p","device":"{}"}}]}}}}}}}})",
        device)));
  }
  const auto selectors = allocator::SelectorCacheFor(features, 10);
  Result<CapacityReport> report = CapacityOf({.slices = std::move(slices),
                                              .claims = claims,
                                              .classes = {},
                                              .unhealthy = {},
                                              .nodes = {},
                                              .features = features,
                                              .selectors = *selectors});
  DRAY_CHECK(report.has_value());
  return *std::move(report);
}

std::string ShapesOf(const CapacityReport& report) {
  std::string text;
  for (const PartitionShape& shape : report.rows.at(0).shapes) {
    text += fmt::format(
        "{}{} {}/{}", text.empty() ? "" : ", ", shape.label, shape.fit.least, shape.devices);
    if (!shape.fit.is_exact()) text += fmt::format(" to {}", shape.fit.most);
  }
  return text;
}

std::string Set(const char* name, const char* counters) {
  return fmt::format(R"({{"name":"{}","counters":{}}})", name, counters);
}

std::string Device(const char* name, const char* set, const char* counters, const char* more = "") {
  return fmt::format(
      R"({{"name":"{}",{}"consumesCounters":[{{"counterSet":"{}","counters":{}}}]}})",
      name,
      more,
      set,
      counters);
}

TEST(Capacity, NamesShapesByTheAttributeOfTheirSlice) {
  const char* const type = R"("attributes":{"profile":{"string":"1g"}},)";
  const Pool pool{.sets = Set("g", R"({"m":{"value":"2"}})"),
                  .devices = Device("a", "g", R"({"m":{"value":"1"}})", type) + "," +
                             Device("b", "g", R"({"m":{"value":"1"}})", type) + "," +
                             Device("c", "g", R"({"m":{"value":"1"}})", type),
                  .more = R"("partitionTypeAttribute":"d/profile",)"};
  EXPECT_EQ(ShapesOf(ReportOf(pool)), "1g 2/3");
}

TEST(Capacity, NamesShapesByCapacityOrElseByWhatTheyDraw) {
  const Pool pool{.sets = Set("g", R"({"slice-0":{"value":"1"},"slice-1":{"value":"1"}})"),
                  .devices = Device("whole",
                                    "g",
                                    R"({"slice-0":{"value":"1"},"slice-1":{"value":"1"}})",
                                    R"("capacity":{"memory":{"value":"80Gi"}},)") +
                             "," + Device("half", "g", R"({"slice-1":{"value":"1"}})")};
  EXPECT_EQ(ShapesOf(ReportOf(pool)), "memory=80Gi 1/1, slice-*=1 1/1");
}

TEST(Capacity, CountsInThousandthsAndTellsARangeBelow) {
  const auto pool = [](const char* total, const char* each) {
    std::string devices;
    for (const char* name : {"a", "b", "c", "d"}) {
      devices += devices.empty() ? "" : ",";
      devices += Device(name, "g", fmt::format(R"({{"m":{{"value":"{}"}}}})", each).c_str());
    }
    return Pool{.sets = Set("g", fmt::format(R"({{"m":{{"value":"{}"}}}})", total).c_str()),
                .devices = devices};
  };
  EXPECT_EQ(ShapesOf(ReportOf(pool("1500m", "500m"))), "m=500m 3/4");
  EXPECT_EQ(ShapesOf(ReportOf(pool("3u", "1u"))), "m=1u 0/4 to 4");
}

TEST(Capacity, CutsGpusOfOnePoolByThemselves) {
  const auto gpu = [](const char* set) {
    return Device(fmt::format("{}-whole", set).c_str(), set, R"({"s":{"value":"2"}})") + "," +
           Device(fmt::format("{}-half-0", set).c_str(), set, R"({"s":{"value":"1"}})") + "," +
           Device(fmt::format("{}-half-1", set).c_str(), set, R"({"s":{"value":"1"}})");
  };
  const CapacityReport report = ReportOf(
      {.sets = Set("a", R"({"s":{"value":"2"}})") + "," + Set("b", R"({"s":{"value":"2"}})"),
       .devices = gpu("a") + "," + gpu("b"),
       .used = {"a-half-0", "b-half-1"}});
  const CapacityRow& row = report.rows.at(0);
  EXPECT_EQ(ShapesOf(report), "s=2 0/2, s=1 2/4");
  EXPECT_EQ(row.devices.blocked, 2U);
  EXPECT_EQ(row.devices.free, 2U);
  ASSERT_TRUE(row.fragmentation.has_value());  // a whole GPU is left, scattered over several
  EXPECT_EQ(row.fragmentation->shape, "s=2");
  EXPECT_EQ(row.fragmentation->if_together, 1U);
  EXPECT_EQ(row.fragmentation->Lost(), 1);
  ASSERT_EQ(row.counters.size(), 1U);
  EXPECT_EQ(row.counters[0].left.ToString(), "2");
}

TEST(Capacity, LeavesOutGroupsThatDoNotGoWithThoseInUse) {
  const auto device = [](const char* name, const char* groups) {
    return fmt::format(
        R"({{"name":"{}","consumesCounters":[{{"counterSet":"g","counters":{{"m":{{"value":"1"}}}},"compatibilityGroups":{}}}]}})",
        name,
        groups);
  };
  const Pool pool{.sets = Set("g", R"({"m":{"value":"9"}})"),
                  .devices = device("a", R"(["x"])") + "," + device("b", R"(["y"])") + "," +
                             device("c", R"(["x","y"])"),
                  .used = {"a"}};
  EXPECT_EQ(ReportOf(pool).total.blocked, 0U);
  const CapacityReport report = ReportOf(pool, {.compatibility_groups = true});
  EXPECT_EQ(report.total.blocked, 1U);
  EXPECT_EQ(report.total.free, 1U);
}

TEST(Capacity, GivesNothingOfAPoolWithAnOverdrawnCounter) {
  const CapacityReport report = ReportOf(
      {.sets = Set("a", R"({"s":{"value":"1"}})") + "," + Set("b", R"({"s":{"value":"1"}})"),
       .devices = Device("a-0", "a", R"({"s":{"value":"1"}})") + "," +
                  Device("a-1", "a", R"({"s":{"value":"1"}})") + "," +
                  Device("b-0", "b", R"({"s":{"value":"1"}})"),
       .used = {"a-0", "a-1"}});
  EXPECT_EQ(report.total.blocked, 1U);
  EXPECT_EQ(ShapesOf(report), "s=1 0/3");
}

// ------------------------------------------------------------------------------------------ health

struct Health {
  const char* name;
  const char* resource;  // "claim:…" in the pod's status
  const char* id;
  const char* want;  // the devices that are unhealthy
};

constexpr Health kHealth[] = {
    {"ByItsName", "claim:gpus", "d/p/gpu-1", "gpu-1"},
    {"ByItsNameInTheRuntime", "claim:gpus/a", "vendor.com/gpu=gpu-0", "gpu-0"},
    {"TheOnlyOneOfTheRequest", "claim:gpus/b", "vendor.com/gpu=GPU-123", "gpu-2"},
    {"NobodyKnows", "claim:gpus/a", "vendor.com/gpu=GPU-123", ""},
    {"AnotherClaim", "claim:other", "d/p/gpu-1", ""},
    {"NoClaim", "nvidia.com/gpu", "d/p/gpu-1", ""}};

TEST(DeviceHealth, IsReadFromPods) {
  const std::vector<Frozen<v1::ResourceClaim>> claims = {FromJson<v1::ResourceClaim>(
      R"({"metadata":{"name":"c","namespace":"x"},"status":{"allocation":{"devices":{"results":[)"
      R"({"request":"a","driver":"d","pool":"p","device":"gpu-0"},)"
      R"({"request":"a","driver":"d","pool":"p","device":"gpu-1"},)"
      R"({"request":"b/large","driver":"d","pool":"p","device":"gpu-2"}]}}}})")};
  for (const Health& one : kHealth) {
    const auto pod = FromJson<api::core_v1::Pod>(fmt::format(
        R"({{"metadata":{{"namespace":"x"}},"spec":{{"resourceClaims":[{{"name":"gpus","resourceClaimName":"c"}}]}},)"
        R"("status":{{"containerStatuses":[{{"name":"m","allocatedResourcesStatus":[{{"name":"{}","resources":[)"
        R"({{"resourceID":"{}","health":"Unhealthy"}},{{"resourceID":"d/p/gpu-9","health":"Healthy"}}]}}]}}]}}}})",
        one.resource,
        one.id));
    const api::core_v1::Pod* const pods[] = {pod.get()};
    std::string names;
    for (const auto& id : UnhealthyDevices(claims, pods)) names += id.device;
    EXPECT_EQ(names, one.want) << one.name;
  }
}

}  // namespace
}  // namespace dray::planning::inline capacity
