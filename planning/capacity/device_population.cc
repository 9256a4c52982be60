// SPDX-License-Identifier: Apache-2.0
#include "planning/capacity/device_population.h"

#include <fmt/format.h>

#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "cel/api_device.h"
#include "cel/batch/batch_selector.h"

namespace dray::planning::inline capacity {
namespace {

namespace v1 = api::resource_v1;
using cel::batch::Lanes;

std::string TroubleOf(const controllers::PoolUsage& usage, const allocator::Features& features) {
  if (std::cmp_not_equal(usage.slices.size(), usage.expected_slices()))
    return fmt::format("{} of {} slices are there", usage.slices.size(), usage.expected_slices());
  std::vector<const v1::ResourceSlice*> slices;
  slices.reserve(usage.slices.size());
  for (const auto& slice : usage.slices) slices.push_back(slice.get());
  return allocator::rules::ContradictionIn(slices, features);
}

std::string_view NodeOf(const v1::ResourceSlice& slice, const v1::Device& device) {
  if (slice.spec.node_name.has_value()) return *slice.spec.node_name;
  if (slice.spec.per_device_node_selection.value_or(false) && device.node_name.has_value())
    return *device.node_name;
  return {};
}

void Intersect(Lanes& lanes, const Lanes& with) {
  for (size_t i = 0; i < lanes.words().size(); ++i) lanes.words()[i] &= with.words()[i];
}

}  // namespace

DevicePopulation::DevicePopulation(std::vector<Frozen<v1::ResourceSlice>> slices,
                                   std::span<const Frozen<v1::ResourceClaim>> claims,
                                   const allocator::Features& features)
    : slices_(std::move(slices)),
      usages_(controllers::UsageOfPools(
          slices_, claims, [](std::string_view, std::string_view) { return true; })),
      knows_shares_(allocator::rules::RulesOf(features).knows_shares) {
  for (const auto& [driver, pools] : usages_) {
    for (const auto& [name, usage] : pools) {
      PopulationPool pool{.driver = driver,
                          .name = name,
                          .usage = &usage,
                          .trouble = TroubleOf(usage, features),
                          .first_device = devices_.size()};
      for (const auto& slice : usage.slices) {
        for (const v1::Device& device : slice->spec.devices) {
          devices_.push_back({.pool = pools_.size(),
                              .slice = slice.get(),
                              .device = &device,
                              .node = NodeOf(*slice, device)});
        }
      }
      pool.last_device = devices_.size();
      pools_.push_back(std::move(pool));
    }
  }
}

const cel::batch::DeviceTable& DevicePopulation::table() const {
  if (table_ != nullptr) return *table_;
  cel::batch::DeviceTableBuilder builder;
  for (const PopulationDevice& device : devices_) {
    cel::Device seen = cel::DeviceOf(device.driver(), *device.device);
    if (!knows_shares_) seen.allow_multiple_allocations = false;
    builder.Add(seen);
  }
  table_ = builder.Build();
  return *table_;
}

Lanes DevicePopulation::All() const {
  Lanes all(devices_.size());
  all.Fill();
  return all;
}

DevicePopulation::Choice DevicePopulation::Choose(std::span<const v1::DeviceSelector> selectors,
                                                  cel::SelectorCache& compiled) const {
  return Choose(selectors, compiled, All());
}

DevicePopulation::Choice DevicePopulation::Choose(std::span<const v1::DeviceSelector> selectors,
                                                  cel::SelectorCache& compiled,
                                                  const Lanes& among) const {
  Choice choice{.matching = among, .failing = Lanes(devices_.size())};
  for (size_t i = 0; i < selectors.size(); ++i) {
    if (!selectors[i].cel.has_value()) continue;
    const Result<cel::Selector> selector = compiled.Compile(selectors[i].cel->expression);
    if (!selector) {
      choice.failing = choice.matching;
      choice.matching.Reset(devices_.size());
      choice.failed_selector = i;
      choice.error = selector.error().message;
      choice.compiles = false;
      return choice;
    }
    const cel::batch::BatchSelector batch(*selector);
    cel::batch::Outcomes outcomes;
    batch.Evaluate(table(), outcomes);
    Intersect(outcomes.failed, choice.matching);
    Intersect(choice.matching, outcomes.matched);
    outcomes.failed.ForEach([&](size_t lane) {
      if (choice.error.empty()) {
        const cel::Evaluation evaluation = batch.EvaluateLane(table(), lane);
        choice.failed_selector = i;
        choice.error = evaluation.error() == nullptr ? "no answer" : evaluation.error()->message;
      }
      choice.failing.Add(lane);
    });
  }
  return choice;
}

}  // namespace dray::planning::inline capacity
