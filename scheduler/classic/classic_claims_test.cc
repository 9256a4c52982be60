// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/classic_claims.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/resource_v1/device_class.h"
#include "base/try.h"

namespace dray::scheduler::inline classic {
namespace {

namespace classic = api::resource_v1alpha2;
namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

core_v1::Pod ClassicPod() {
  core_v1::Pod pod;
  pod.metadata.namespace_ = "lab";
  pod.metadata.name = "p";
  pod.metadata.uid = "uid-p";
  core_v1::PodResourceClaim nested{.name = "nested"};
  nested.source.emplace().resource_claim_name = "old";
  pod.spec.resource_claims.push_back(nested);
  pod.spec.resource_claims.push_back({.name = "plain", .resource_claim_name = "new"});
  return pod;
}

std::string Render(const Result<ClassicClaim>& claim) {
  if (!claim) return "error: " + claim.error().message;
  if (!claim->why_nowhere.empty()) return "nowhere: " + claim->why_nowhere;
  return fmt::format("{}{}{}{}{}{}",
                     claim->entry,
                     claim->is_allocated ? " allocated" : "",
                     claim->is_immediate ? " immediate" : "",
                     claim->by_scheduler ? " by scheduler" : "",
                     claim->demand != nullptr ? " with a wish" : "",
                     claim->nodes.empty() ? "" : " on some nodes");
}

core_v1::NodeSelector OneNode() {
  core_v1::NodeSelector selector;
  core_v1::NodeSelectorRequirement requirement;
  requirement.key = "kubernetes.io/hostname";
  requirement.operator_ = "In";
  requirement.values.push_back("a");
  selector.node_selector_terms.emplace_back().match_expressions.push_back(requirement);
  return selector;
}

/// Classes: "everywhere", "somewhere" for one node, "structured" for the scheduler.
const api::Object* FindResourceClass(std::string_view name) {
  static const auto kClass = [](const char* own_name) {
    classic::ResourceClass made;
    made.metadata.name = own_name;
    if (made.metadata.name == "somewhere") made.suitable_nodes = OneNode();
    if (made.metadata.name == "structured") made.structured_parameters = true;
    return api::Object::Of(std::move(made));
  };
  static const api::Object kEverywhere = kClass("everywhere");
  static const api::Object kSomewhere = kClass("somewhere");
  static const api::Object kStructured = kClass("structured");
  if (name == "everywhere") return &kEverywhere;
  if (name == "structured") return &kStructured;
  return name == "somewhere" ? &kSomewhere : nullptr;
}

/// Requests any one instance; the parameters "later" are unknown.
Result<StructuredDemand> FindDemand(const classic::ResourceClaim& claim,
                                    const classic::ResourceClass& of_whom) {
  if (claim.spec.parameters_ref) {
    return StructuredDemand{.demand = nullptr, .why_not = "claim parameters lab/later not found"};
  }
  cel::SelectorCache selectors = allocator::NamedResourcesSelectors(1);
  DRAY_TRY(auto demand, allocator::NamedResourcesDemand::Read({.of_whom = &of_whom}, selectors));
  return StructuredDemand{.demand = std::make_shared<const allocator::NamedResourcesDemand>(demand),
                          .why_not = {}};
}

struct ClassicCase {
  const char* name;
  std::function<void(classic::ResourceClaim&)> edit;
  const char* want;
};

class DescribeClassicTest : public ::testing::TestWithParam<ClassicCase> {};

TEST_P(DescribeClassicTest, Writes) {
  classic::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "old";
  claim.spec.resource_class_name = "everywhere";
  claim.spec.allocation_mode = "WaitForFirstConsumer";
  GetParam().edit(claim);
  EXPECT_EQ(Render(DescribeClaim(
                ClassicPod(), api::Object::Of(std::move(claim)), {FindResourceClass, FindDemand})),
            GetParam().want);
}

void Reserve(classic::ResourceClaim& claim, const std::string& uid) {
  claim.status.reserved_for.push_back({.resource = "pods", .name = uid, .uid = uid});
}

INSTANTIATE_TEST_SUITE_P(
    Of130,
    DescribeClassicTest,
    ::testing::ValuesIn(std::vector<ClassicCase>{
        {"Pending", [](auto&) {}, "nested"},
        {"ClassForSomeNodes",
         [](auto& claim) { claim.spec.resource_class_name = "somewhere"; },
         "nested on some nodes"},
        {"ClassMissing",
         [](auto& claim) { claim.spec.resource_class_name = "none"; },
         "nowhere: resource class none does not exist"},
        {"Immediate",
         [](auto& claim) { claim.spec.allocation_mode = "Immediate"; },
         "nowhere: unallocated immediate resourceclaim"},
        {"Structured",
         [](auto& claim) { claim.spec.resource_class_name = "structured"; },
         "nested by scheduler with a wish"},
        {"StructuredAtOnce",
         [](auto& claim) {
           claim.spec.resource_class_name = "structured";
           claim.spec.allocation_mode = "Immediate";
         },
         "nested immediate by scheduler with a wish"},
        {"StructuredWithoutParameters",
         [](auto& claim) {
           claim.spec.resource_class_name = "structured";
           claim.spec.parameters_ref.emplace().name = "later";
         },
         "nowhere: claim parameters lab/later not found"},
        {"Allocated", [](auto& claim) { claim.status.allocation.emplace(); }, "nested allocated"},
        {"AllocatedWithoutItsClass",
         [](auto& claim) {
           claim.spec.resource_class_name = "none";
           claim.status.allocation.emplace().available_on_nodes = OneNode();
         },
         "nested allocated on some nodes"},
        {"AllocatedAtOnce",
         [](auto& claim) {
           claim.spec.allocation_mode = "Immediate";
           claim.status.allocation.emplace();
         },
         "nested allocated immediate"},
        {"AllocatedByTheScheduler",
         [](auto& claim) {
           claim.metadata.finalizers = {api::claims::kClassicFinalizer};
           claim.status.allocation.emplace();
         },
         "nested allocated by scheduler"},
        {"UsedByAnother",
         [](auto& claim) {
           claim.status.allocation.emplace();
           Reserve(claim, "uid-q");
         },
         "nowhere: resourceclaim in use"},
        {"UsedByThisPod",
         [](auto& claim) {
           claim.status.allocation.emplace();
           Reserve(claim, "uid-p");
         },
         "nested allocated"},
        {"Shared",
         [](auto& claim) {
           claim.status.allocation.emplace().shareable = true;
           Reserve(claim, "uid-q");
         },
         "nested allocated"},
        {"AskedBack",
         [](auto& claim) {
           claim.status.allocation.emplace().shareable = true;
           claim.status.deallocation_requested = true;
         },
         "nowhere: resourceclaim must be reallocated"},
    }),
    [](const auto& test) { return test.param.name; });

struct MarkedCase {
  const char* name;
  std::function<void(resource_v1::ResourceClaim&)> edit;
  bool is_drivers;
  const char* want;
};

class DescribeMarkedTest : public ::testing::TestWithParam<MarkedCase> {};

TEST_P(DescribeMarkedTest, Writes) {
  static const api::Object kClass = [] {
    resource_v1::DeviceClass made;
    made.spec.suitable_nodes = OneNode();
    return api::Object::Of(std::move(made));
  }();
  resource_v1::ResourceClaim claim;
  claim.metadata.namespace_ = "lab";
  claim.metadata.name = "new";
  claim.spec.controller = "acme.example";
  resource_v1::DeviceRequest request{.name = "r"};
  request.exactly.emplace().device_class_name = "gpu";
  claim.spec.devices.requests.push_back(std::move(request));
  GetParam().edit(claim);
  const api::Object object = api::Object::Of(std::move(claim));
  EXPECT_EQ(IsDrivers(object), GetParam().is_drivers);
  const auto find = [](std::string_view name) { return name == "gpu" ? &kClass : nullptr; };
  EXPECT_EQ(Render(DescribeClaim(ClassicPod(), object, {.find_class = find})), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Of131,
    DescribeMarkedTest,
    ::testing::ValuesIn(std::vector<MarkedCase>{
        {"Pending", [](auto&) {}, true, "plain on some nodes"},
        {"ClassMissing",
         [](auto& claim) { claim.spec.devices.requests[0].exactly->device_class_name = "none"; },
         true,
         "nowhere: request r: device class none does not exist"},
        {"TheSchedulers",
         [](auto& claim) { claim.spec.controller.clear(); },
         false,
         "plain by scheduler"},
        {"Allocated",
         [](auto& claim) { claim.status.allocation.emplace().controller = "acme.example"; },
         true,
         "plain allocated"},
        {"AllocatedByTheScheduler",
         [](auto& claim) {
           claim.spec.controller.clear();
           claim.status.allocation.emplace();
         },
         false,
         "plain allocated by scheduler"},
        {"AskedBack",
         [](auto& claim) { claim.status.deallocation_requested = true; },
         true,
         "nowhere: resourceclaim must be reallocated"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace dray::scheduler::inline classic
