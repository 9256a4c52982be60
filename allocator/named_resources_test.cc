// SPDX-License-Identifier: Apache-2.0
#include "allocator/named_resources.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dray::allocator {
namespace {

namespace classic = api::resource_v1alpha2;

constexpr const char* kDriver = "gpu.example.com";

/// Instances gpu-0, gpu-1 … of a driver, with that much memory.
Frozen<classic::ResourceSlice> SliceOf(const std::vector<int64_t>& memory,
                                       const std::string& driver = kDriver) {
  classic::ResourceSlice slice;
  slice.node_name = "a";
  slice.driver_name = driver;
  auto& instances = slice.resource_model.named_resources.emplace().instances;
  for (const int64_t amount : memory) {
    auto& instance = instances.emplace_back();
    instance.name = fmt::format("gpu-{}", instances.size() - 1);
    auto& attribute = instance.attributes.emplace_back();
    attribute.name = "memory";
    attribute.attribute_value.int_ = amount;
  }
  return std::make_shared<const classic::ResourceSlice>(std::move(slice));
}

classic::ResourceClass ClassOf(const std::string& driver) {
  classic::ResourceClass made;
  made.driver_name = driver;
  return made;
}

classic::ResourceClaimParameters AskFor(const std::vector<std::string>& selectors,
                                        const std::string& driver = kDriver) {
  classic::ResourceClaimParameters parameters;
  parameters.metadata.namespace_ = "lab";
  parameters.metadata.name = "wish";
  auto& requests = parameters.driver_requests.emplace_back();
  requests.driver_name = driver;
  for (const std::string& selector : selectors) {
    requests.requests.emplace_back().resource_request_model.named_resources.emplace().selector =
        selector;
  }
  return parameters;
}

classic::ResourceClassParameters FilterBy(const std::string& selector) {
  classic::ResourceClassParameters parameters;
  auto& filter = parameters.filters.emplace_back();
  filter.driver_name = kDriver;
  filter.resource_filter_model.named_resources.emplace().selector = selector;
  return parameters;
}

Result<NamedResourcesDemand> Read(const NamedResourcesDemand::Parameters& parameters) {
  cel::SelectorCache selectors = NamedResourcesSelectors(10);
  return NamedResourcesDemand::Read(parameters, selectors);
}

/// "gpu-0 gpu-1", "none", or the error.
std::string Allocate(InstancesOnNode& instances,
                     const NamedResourcesDemand::Parameters& parameters) {
  const auto demand = Read(parameters);
  if (!demand) return demand.error().message;
  const auto found = instances.Allocate(*demand);
  if (!found) return found.error().message;
  if (!found->has_value()) return "none";
  std::string text;
  for (const InstanceId& id : InstancesOf(**found)) {
    text += (text.empty() ? "" : " ") + id.name;
  }
  return text;
}

struct Case {
  const char* name;
  std::vector<int64_t> memory;
  std::set<std::string> taken;
  std::vector<std::string> selectors;
  const char* filter;
  const char* want;
};

class NamedResourcesTest : public ::testing::TestWithParam<Case> {};

TEST_P(NamedResourcesTest, Finds) {
  const Case& test = GetParam();
  InstancesOnNode instances("a", {SliceOf(test.memory)}, [&](const InstanceId& id) {
    return test.taken.contains(id.name);
  });
  const classic::ResourceClass of_whom = ClassOf(kDriver);
  const classic::ResourceClaimParameters of_claim = AskFor(test.selectors);
  const classic::ResourceClassParameters of_class = FilterBy(test.filter);
  EXPECT_EQ(
      Allocate(instances, {.of_whom = &of_whom, .of_class = &of_class, .of_claim = &of_claim}),
      test.want);
}

constexpr const char* kLarge = R"(attributes.int["memory"] >= 16)";
constexpr const char* kMiddle = R"(attributes.int["memory"] == 16)";
constexpr const char* kFast = R"(attributes.int["speed"] > 1)";

INSTANTIATE_TEST_SUITE_P(
    OnOneNode,
    NamedResourcesTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"TheFirst", {8, 16}, {}, {"true"}, "true", "gpu-0"},
        {"TheFirstThatIsFree", {8, 16}, {"gpu-0"}, {"true"}, "true", "gpu-1"},
        {"OfTheClass", {8, 16}, {}, {"true"}, kLarge, "gpu-1"},
        {"WithoutGoingBack", {16, 32}, {}, {kLarge, kMiddle}, "true", "none"},
        {"InTheOtherOrder", {16, 32}, {}, {kMiddle, kLarge}, "true", "gpu-0 gpu-1"},
        {"NotTwice", {16}, {}, {"true", "true"}, "true", "none"},
        {"NoneAtAll", {}, {}, {"true"}, "true", "none"},
        {"ExpressionThatFails",
         {8},
         {},
         {kFast},
         "true",
         "checking node \"a\" and resources of driver \"gpu.example.com\": evaluate request CEL "
         "expression: no such key: speed"},
        {"ThatFailsAfterOneWithoutInstance",
         {8},
         {},
         {kLarge, kFast},
         "true",
         "checking node \"a\" and resources of driver \"gpu.example.com\": evaluate request CEL "
         "expression: no such key: speed"},
        {"FilterThatFails",
         {8},
         {},
         {"true"},
         kFast,
         "checking node \"a\" and resources of driver \"gpu.example.com\": evaluate filter CEL "
         "expression: no such key: speed"},
        {"WhatIsTakenIsNotEvaluated", {8}, {"gpu-0"}, {kFast}, "true", "none"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(NamedResources, OneOfTheClassDriverWithoutParameters) {
  InstancesOnNode instances("a",
                            {SliceOf({8}, "nic.example.com"), SliceOf({8, 16})},
                            [](const InstanceId&) { return false; });
  const classic::ResourceClass of_whom = ClassOf(kDriver);
  const auto demand = Read({.of_whom = &of_whom});
  ASSERT_TRUE(demand);
  const auto first = instances.Allocate(*demand);
  ASSERT_TRUE(first && first->has_value());
  EXPECT_TRUE((*first)->shareable);
  EXPECT_EQ(InstancesOf(**first), (std::vector<InstanceId>{{"a", kDriver, "gpu-0"}}));
  ASSERT_TRUE((*first)->available_on_nodes);
  EXPECT_EQ(Allocate(instances, {.of_whom = &of_whom}), "gpu-1") << "gpu-0 is taken by now";
  EXPECT_EQ(Allocate(instances, {.of_whom = &of_whom}), "none");
}

TEST(NamedResources, ClaimsThatGetNothingTakeNothing) {
  InstancesOnNode instances("a", {SliceOf({8})}, [](const InstanceId&) { return false; });
  const classic::ResourceClass of_whom = ClassOf(kDriver);
  const classic::ResourceClaimParameters two = AskFor({"true", "true"});
  EXPECT_EQ(Allocate(instances, {.of_whom = &of_whom, .of_claim = &two}), "none");
  EXPECT_EQ(Allocate(instances, {.of_whom = &of_whom}), "gpu-0");
}

TEST(NamedResources, PassParametersOnToTheDriver) {
  InstancesOnNode instances("a", {SliceOf({8})}, [](const InstanceId&) { return false; });
  const classic::ResourceClass of_whom = ClassOf(kDriver);
  classic::ResourceClaimParameters of_claim = AskFor({"true"});
  of_claim.driver_requests[0].vendor_parameters = api::RawJson(R"({"claim":1})");
  of_claim.driver_requests[0].requests[0].vendor_parameters = api::RawJson(R"({"request":1})");
  classic::ResourceClassParameters of_class;
  auto& vendor = of_class.vendor_parameters.emplace_back();
  vendor.driver_name = kDriver;
  vendor.parameters = api::RawJson(R"({"class":1})");
  const auto demand = Read({.of_whom = &of_whom, .of_class = &of_class, .of_claim = &of_claim});
  ASSERT_TRUE(demand);
  const auto found = instances.Allocate(*demand);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_FALSE((*found)->shareable);
  ASSERT_EQ((*found)->resource_handles.size(), 1U);
  const auto& data = *(*found)->resource_handles[0].structured_data;
  EXPECT_EQ(data.node_name, "a");
  EXPECT_EQ(data.vendor_class_parameters.bytes(), R"({"class":1})");
  EXPECT_EQ(data.vendor_claim_parameters.bytes(), R"({"claim":1})");
  EXPECT_EQ(data.results[0].vendor_request_parameters.bytes(), R"({"request":1})");
}

TEST(NamedResources, RefuseWhatTheyDoNotKnow) {
  const classic::ResourceClass of_whom = ClassOf(kDriver);
  classic::ResourceClaimParameters of_claim = AskFor({"true", "true"});
  of_claim.driver_requests[0].requests[1].resource_request_model.named_resources.reset();
  EXPECT_EQ(Read({.of_whom = &of_whom, .of_claim = &of_claim}).error().message,
            "claim parameters lab/wish: driverRequests[0].requests[1]: no supported structured "
            "parameters found");
  of_claim = AskFor({"nonsense("});
  EXPECT_TRUE(Read({.of_whom = &of_whom, .of_claim = &of_claim})
                  .error()
                  .message.starts_with("creating claim controller for named resources structured "
                                       "model: compile request CEL expression: "));
}

/// One attribute of each type, and an expression about it.
TEST(NamedResources, ExpressionsSeeAllTypes) {
  classic::ResourceSlice slice = *SliceOf({8});
  auto& attributes = slice.resource_model.named_resources->instances[0].attributes;
  const auto add = [&](const char* name) -> auto& {
    attributes.emplace_back().name = name;
    return attributes.back().attribute_value;
  };
  add("q").quantity = api::Quantity::Parse("40Gi").value();
  add("b").bool_ = true;
  add("s").string = "x100";
  add("v").version = "1.2.3";
  add("is").int_slice.emplace().ints = {1, 2};
  add("ss").string_slice.emplace().strings = {"a", "b"};
  const auto frozen = std::make_shared<const classic::ResourceSlice>(std::move(slice));
  const classic::ResourceClass of_whom = ClassOf(kDriver);
  for (const char* selector : {R"(attributes.quantity["q"] == quantity("40Gi"))",
                               R"(attributes.bool["b"])",
                               R"(attributes.string["s"] == "x100")",
                               R"(attributes.version["v"].isGreaterThan(semver("1.2.2")))",
                               R"(2 in attributes.intslice["is"])",
                               R"(attributes.stringslice["ss"].size() == 2)"}) {
    InstancesOnNode instances("a", {frozen}, [](const InstanceId&) { return false; });
    const classic::ResourceClaimParameters of_claim = AskFor({selector});
    EXPECT_EQ(Allocate(instances, {.of_whom = &of_whom, .of_claim = &of_claim}), "gpu-0")
        << selector;
  }
}

}  // namespace
}  // namespace dray::allocator
