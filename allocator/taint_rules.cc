// SPDX-License-Identifier: Apache-2.0
#include "dray/taint_rules.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"

namespace dray::allocator::inline v0 {
namespace {

namespace v1 = api::resource_v1;

/// The API text always said that an absent selector matches nothing.
constexpr api::Releases kTaintsAllWithoutSelector = {.last = 36};

bool IsUnsetOr(const std::optional<std::string>& wanted, std::string_view name) {
  return !wanted.has_value() || *wanted == name;
}

/// Whether the rule may speak about devices of the pool.
bool MatchesPool(const v1::DeviceTaintRule& rule,
                 std::string_view driver,
                 std::string_view pool,
                 api::Release release) {
  const auto& selector = rule.spec.device_selector;
  if (!selector.has_value()) return kTaintsAllWithoutSelector.Rules(release);
  return IsUnsetOr(selector->driver, driver) && IsUnsetOr(selector->pool, pool);
}

bool MatchesName(const v1::DeviceTaintRule& rule, std::string_view device) {
  const auto& selector = rule.spec.device_selector;
  return !selector.has_value() || IsUnsetOr(selector->device, device);
}

}  // namespace

bool MatchesDevice(const v1::DeviceTaintRule& rule,
                   const DeviceIdView& device,
                   api::Release release) {
  return MatchesPool(rule, device.driver, device.pool, release) && MatchesName(rule, device.device);
}

std::vector<Frozen<v1::ResourceSlice>> WithTaintsOf(
    std::span<const Frozen<v1::DeviceTaintRule>> rules,
    std::vector<Frozen<v1::ResourceSlice>> slices,
    api::Release release) {
  for (Frozen<v1::ResourceSlice>& slice : slices) {
    std::shared_ptr<v1::ResourceSlice> tainted;  // a copy, once a rule needs one
    for (const Frozen<v1::DeviceTaintRule>& rule : rules) {
      if (!MatchesPool(*rule, slice->spec.driver, slice->spec.pool.name, release)) continue;
      for (size_t i = 0; i < slice->spec.devices.size(); ++i) {
        if (!MatchesName(*rule, slice->spec.devices[i].name)) continue;
        if (tainted == nullptr) tainted = std::make_shared<v1::ResourceSlice>(*slice);
        tainted->spec.devices[i].taints.push_back(rule->spec.taint);
      }
    }
    if (tainted != nullptr) slice = std::move(tainted);
  }
  return slices;
}

}  // namespace dray::allocator::inline v0
