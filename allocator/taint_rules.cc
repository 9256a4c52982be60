// SPDX-License-Identifier: Apache-2.0
#include "dray/taint_rules.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"

namespace dray::allocator::inline v0 {
namespace {

namespace v1 = api::resource_v1;

/// The API text always said that an absent selector matches nothing.
constexpr api::Releases kTaintsAllWithoutSelector = {.last = 36};

bool IsUnsetOr(const std::optional<std::string>& wanted, const std::string& name) {
  return !wanted.has_value() || *wanted == name;
}

/// Whether the rule may speak about devices of the slice.
bool MatchesPool(const v1::DeviceTaintRule& rule,
                 const v1::ResourceSlice& slice,
                 api::Release release) {
  const auto& selector = rule.spec.device_selector;
  if (!selector.has_value()) return kTaintsAllWithoutSelector.Rules(release);
  return IsUnsetOr(selector->driver, slice.spec.driver) &&
         IsUnsetOr(selector->pool, slice.spec.pool.name);
}

bool MatchesName(const v1::DeviceTaintRule& rule, const v1::Device& device) {
  const auto& selector = rule.spec.device_selector;
  return !selector.has_value() || IsUnsetOr(selector->device, device.name);
}

}  // namespace

bool MatchesDevice(const v1::DeviceTaintRule& rule,
                   const v1::ResourceSlice& slice,
                   const v1::Device& device,
                   api::Release release) {
  return MatchesPool(rule, slice, release) && MatchesName(rule, device);
}

std::vector<Frozen<v1::ResourceSlice>> WithTaintsOf(
    std::span<const Frozen<v1::DeviceTaintRule>> rules,
    std::vector<Frozen<v1::ResourceSlice>> slices,
    api::Release release) {
  for (Frozen<v1::ResourceSlice>& slice : slices) {
    std::shared_ptr<v1::ResourceSlice> tainted;  // a copy, once a rule needs one
    for (const Frozen<v1::DeviceTaintRule>& rule : rules) {
      if (!MatchesPool(*rule, *slice, release)) continue;
      for (size_t i = 0; i < slice->spec.devices.size(); ++i) {
        if (!MatchesName(*rule, slice->spec.devices[i])) continue;
        if (tainted == nullptr) tainted = std::make_shared<v1::ResourceSlice>(*slice);
        tainted->spec.devices[i].taints.push_back(rule->spec.taint);
      }
    }
    if (tainted != nullptr) slice = std::move(tainted);
  }
  return slices;
}

}  // namespace dray::allocator::inline v0
