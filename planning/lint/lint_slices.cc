// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_slices.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "planning/objects/published_devices.h"

namespace dray::planning::inline lint {
namespace {

namespace v1 = api::resource_v1;

/// With longer names, the path of a socket, which contains the name and a pod's uid, may exceed the
/// 108 bytes of a Unix socket address.
constexpr size_t kDriverNameSafe = 30;

std::string CounterKey(std::string_view set, std::string_view counter) {
  return fmt::format("{}/{}", set, counter);
}

}  // namespace

Finding* SliceLinter::ReportOnce(const Problem& problem,
                                 std::string field,
                                 std::string why,
                                 std::string advice) {
  if (!said_.emplace(problem.rule, problem.driver, problem.subject).second) return nullptr;
  return &findings_.Report(problem.rule, std::move(field), std::move(why), std::move(advice));
}

void SliceLinter::LookAt(const v1::ResourceSlice& slice) {
  const std::string& driver = slice.spec.driver;
  DriverName(driver);
  for (size_t i = 0; i < slice.spec.devices.size(); ++i)
    Device(fmt::format("spec.devices[{}]", i), driver, slice.spec.devices[i]);
  const PoolCounters& counters = CountersOf(slice);
  if (!counters.is_whole) return;
  Declared(slice, counters);
  Drawn(slice, counters);
}

void SliceLinter::DriverName(const std::string& driver) {
  if (driver.size() <= kDriverNameSafe) return;
  Finding* const finding = ReportOnce(
      {.rule = LintRule::kLongDriverName, .driver = driver},
      "spec.driver",
      fmt::format("{} has {} characters: with more than about {} the paths of its sockets get "
                  "too long in a rolling update, and the new pod of the driver cannot start",
                  driver,
                  driver.size(),
                  kDriverNameSafe),
      "take a shorter name, or update the driver by deleting its old pod first; the helper "
      "library of 0.37.0 makes shorter paths (kubernetes#139623)");
  if (finding != nullptr) finding->severity = LintSeverity::kWarning;
}

void SliceLinter::Device(const std::string& field,
                         const std::string& driver,
                         const v1::Device& device) {
  for (const auto& [name, attribute] : device.attributes)
    Name(fmt::format("{}.attributes[{}]", field, name), driver, name);
  for (const auto& [name, capacity] : device.capacity)
    Name(fmt::format("{}.capacity[{}]", field, name), driver, name);
  if (SelectorTermsOf(device) > 1) {
    ReportOnce(
        {.rule = LintRule::kSelectorTerms, .driver = driver},
        field + ".nodeSelector.nodeSelectorTerms",
        fmt::format("device {} has {} terms: a scheduler that comes to it ends with an error, and "
                    "no pod that could get it is placed",
                    device.name,
                    SelectorTermsOf(device)),
        "write one term, with several values of operator In; 1.38 refuses more "
        "(kubernetes#141212)");
  }
  if (device.allow_multiple_allocations.value_or(false)) return;
  for (const auto& [name, capacity] : device.capacity) {
    if (!capacity.request_policy.has_value()) continue;
    Finding* const finding = ReportOnce(
        {.rule = LintRule::kPolicyWithoutSharing, .driver = driver, .subject = name},
        fmt::format("{}.capacity[{}].requestPolicy", field, name),
        fmt::format("device {} is given to one claim only, so the policy for shares of {} has no "
                    "effect",
                    device.name,
                    name),
        "set allowMultipleAllocations: true, or leave the policy out; servers of some releases "
        "refuse it");
    if (finding != nullptr) finding->severity = LintSeverity::kWarning;
  }
}

void SliceLinter::Name(const std::string& field,
                       const std::string& driver,
                       const std::string& name) {
  if (std::ranges::count(name, '/') < 2) return;
  Finding* const finding = ReportOnce(
      {.rule = LintRule::kTwoSlashes, .driver = driver, .subject = name},
      field,
      fmt::format("{} has two slashes: constraints cannot name it, and 1.38 refuses the slice",
                  name),
      "write DOMAIN/NAME (kubernetes#141644)");
  if (finding != nullptr) finding->severity = LintSeverity::kWarning;
}

const SliceLinter::PoolCounters& SliceLinter::CountersOf(const v1::ResourceSlice& slice) {
  const auto [known, is_new] =
      pools_.try_emplace(std::pair(slice.spec.driver, slice.spec.pool.name));
  PoolCounters& counters = known->second;
  if (!is_new) return counters;
  const controllers::PoolUsage* const pool =
      devices_.PoolOf(slice.spec.driver, slice.spec.pool.name);
  if (pool == nullptr) return counters;
  counters.is_whole = std::cmp_equal(pool->slices.size(), pool->expected_slices());
  for (const auto& part : pool->slices) {
    for (const v1::CounterSet& set : part->spec.shared_counters) {
      for (const auto& [name, counter] : set.counters)
        counters.declared.insert(CounterKey(set.name, name));
    }
    for (const v1::Device& device : part->spec.devices) {
      for (const v1::DeviceCounterConsumption& draw : device.consumes_counters) {
        for (const auto& [name, counter] : draw.counters)
          counters.drawn.insert(CounterKey(draw.counter_set, name));
      }
    }
  }
  return counters;
}

void SliceLinter::Declared(const v1::ResourceSlice& slice, const PoolCounters& counters) {
  for (size_t i = 0; i < slice.spec.shared_counters.size(); ++i) {
    const v1::CounterSet& set = slice.spec.shared_counters[i];
    for (const auto& [name, counter] : set.counters) {
      const std::string key = CounterKey(set.name, name);
      if (counters.drawn.contains(key)) continue;
      Finding* const finding = ReportOnce(
          {.rule = LintRule::kUnusedCounter, .driver = slice.spec.driver, .subject = key},
          fmt::format("spec.sharedCounters[{}].counters[{}]", i, name),
          fmt::format("no device of the pool draws from {} of counter set {}", name, set.name),
          "let devices that share the amount draw from it, or leave it out");
      if (finding != nullptr) finding->severity = LintSeverity::kWarning;
    }
  }
}

void SliceLinter::Drawn(const v1::ResourceSlice& slice, const PoolCounters& counters) {
  for (size_t i = 0; i < slice.spec.devices.size(); ++i) {
    const v1::Device& device = slice.spec.devices[i];
    for (size_t j = 0; j < device.consumes_counters.size(); ++j) {
      const v1::DeviceCounterConsumption& draw = device.consumes_counters[j];
      for (const auto& [name, counter] : draw.counters) {
        const std::string key = CounterKey(draw.counter_set, name);
        if (counters.declared.contains(key)) continue;
        ReportOnce(
            {.rule = LintRule::kUndeclaredCounter, .driver = slice.spec.driver, .subject = key},
            fmt::format("spec.devices[{}].consumesCounters[{}].counters[{}]", i, j, name),
            fmt::format("device {} draws from {} of counter set {}, which no slice of its pool "
                        "has: no device of the pool is given out",
                        device.name,
                        name,
                        draw.counter_set),
            "publish the counter in sharedCounters of a slice of the pool");
      }
    }
  }
}

}  // namespace dray::planning::inline lint
