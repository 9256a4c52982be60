// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/device_taint_rule.h"

#include <utility>

#include "api/validation/devices/device_rules.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

void CheckSelector(const v1::DeviceTaintSelector& selector,
                   const v1::DeviceTaintSelector* old,
                   const Options& options,
                   const Path& path,
                   Findings& out) {
  // Classes and expressions could be named in 1.33 and 1.34 only.
  const bool is_wide = !out.Since(35);
  if (selector.device_class_name.has_value() && is_wide) {
    CheckSubdomainShaped(*selector.device_class_name, path.Child("deviceClassName"), out.written);
  }
  if (selector.driver.has_value()) CheckDriver(*selector.driver, path.Child("driver"), out.written);
  if (selector.pool.has_value()) CheckPool(*selector.pool, path.Child("pool"), out.written);
  if (selector.device.has_value()) {
    CheckLabelShaped(*selector.device, path.Child("device"), out.written);
  }
  if (!is_wide) return;
  const bool is_stored = old != nullptr && old->selectors == selector.selectors;
  CheckSelectors(selector.selectors,
                 is_stored ? Origin::kStored : Origin::kNew,
                 options.expressions,
                 path.Child("selectors"),
                 out);
}

}  // namespace

std::vector<ErrorCause> ValidateTaintRule(const v1::DeviceTaintRule& rule,
                                          const v1::DeviceTaintRule* old,
                                          const Options& options) {
  Findings out(options.profile, options.version);
  const Path spec("spec");
  if (rule.spec.device_selector.has_value()) {
    const bool had_selector = old != nullptr && old->spec.device_selector.has_value();
    CheckSelector(*rule.spec.device_selector,
                  had_selector ? &*old->spec.device_selector : nullptr,
                  options,
                  spec.Child("deviceSelector"),
                  out);
  }
  CheckTaint(
      rule.spec.taint, old == nullptr ? nullptr : &old->spec.taint, spec.Child("taint"), out);
  return std::move(out).Take();
}

std::vector<ErrorCause> ValidateTaintRuleStatus(const v1::DeviceTaintRule& rule,
                                                const Options& options) {
  FieldErrors errors(options.profile.release);
  const Path status("status");
  const Path conditions = status.Child("conditions");
  CheckConditions(rule.status.conditions, conditions, errors);
  IsWithin(rule.status.conditions.size(), kRuleConditionsMax, conditions, errors);
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline devices
