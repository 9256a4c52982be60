// SPDX-License-Identifier: Apache-2.0
#include "allocator/testing/lab.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "allocator/feature_switches.h"
#include "allocator/selector_cache.h"
#include "dray/selector.h"

namespace dray::allocator::testing {
namespace {

namespace v1 = api::resource_v1;

std::string SliceJson(int count, std::string_view name, std::string_view content) {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"driver":"d.io","nodeName":"node",)"
                     R"("pool":{{"name":"pool","generation":1,"resourceSliceCount":{}}},{}}}}})",
                     name,
                     count,
                     content);
}

}  // namespace

Features FeaturesWith(std::string_view profile, std::string_view switches) {
  Features features;
  for (const FeatureSwitch& feature : FeatureSwitches())
    features.*feature.on =
        fmt::format(" {} ", switches).contains(fmt::format(" {} ", feature.name));
  const Result<Profile> parsed = ParseProfile(profile);
  DRAY_CHECK(parsed.has_value());
  const Result<Features> complete = Complete(*parsed, features);
  DRAY_CHECK(complete.has_value());
  return *complete;
}

Lab::Lab() {
  node_.metadata.name = "node";
  Class(R"({"metadata":{"name":"any"},"spec":{}})");
}

Lab& Lab::Slice(std::string_view json) {
  slices_.push_back(std::make_shared<v1::ResourceSlice>(FromJson<v1::ResourceSlice>(json)));
  return *this;
}

Lab& Lab::Devices(std::string_view json) {
  return Slice(SliceJson(1, "s", fmt::format(R"("devices":{})", json)));
}

Lab& Lab::Partitions(std::string_view devices, std::string_view counter_sets) {
  Slice(SliceJson(2, "counters", fmt::format(R"("sharedCounters":{})", counter_sets)));
  return Slice(SliceJson(2, "devices", fmt::format(R"("devices":{})", devices)));
}

Lab& Lab::Class(std::string_view json) {
  classes_.push_back(std::make_shared<v1::DeviceClass>(FromJson<v1::DeviceClass>(json)));
  return *this;
}

Lab& Lab::Claim(std::string_view devices) {
  claims_.push_back(std::make_shared<v1::ResourceClaim>(FromJson<v1::ResourceClaim>(
      fmt::format(R"({{"metadata":{{"namespace":"lab","name":"c{}"}},"spec":{{"devices":{}}}}})",
                  claims_.size(),
                  devices))));
  return *this;
}

Lab& Lab::Count(int count) {
  return Claim(fmt::format(R"({{"requests":[{{"name":"r","exactly":{{"deviceClassName":"any",)"
                           R"("allocationMode":"ExactCount","count":{}}}}}]}})",
                           count));
}

Frozen<inventory::Inventory> Lab::inventory() const {
  return inventory::Inventory::Build(slices_, classes_);
}

Snapshot Lab::snapshot(const Features& features) const {
  return Snapshot({.features = features}, slices_, classes_, state_);
}

literal::LiteralAnswer Lab::Ask(const Features& features, Budget budget) const {
  const Frozen<inventory::Inventory> inventory = this->inventory();
  const auto selectors = SelectorCacheFor(features, 10);
  return literal::AllocateLiterally(
      {.inventory = *inventory, .state = state_, .features = features, .selectors = *selectors},
      node_,
      claims_,
      budget);
}

std::string Lab::Answer(const Features& features) const {
  const Result<Outcome> outcome = Ask(features).outcome;
  if (!outcome) return "error: " + outcome.error().message;
  if (std::holds_alternative<Undecided>(*outcome)) return "undecided";
  if (const auto* none = std::get_if<Unsatisfiable>(&*outcome))
    return none->node_error.empty() ? "none" : "node-error";
  std::string text;
  for (const v1::AllocationResult& result : std::get<Allocation>(*outcome).results) {
    if (&result != &std::get<Allocation>(*outcome).results.front()) text += "; ";
    for (size_t i = 0; i < result.devices.results.size(); ++i)
      text.append(i == 0 ? "" : " ").append(result.devices.results[i].device);
  }
  return text;
}

}  // namespace dray::allocator::testing
