// SPDX-License-Identifier: Apache-2.0
#include "api/validation/device_class.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/names.h"
#include "api/validation/device_rules.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation {
namespace {

namespace v1 = resource_v1;

constexpr std::string_view kNativeDomain = "kubernetes.io/";
constexpr std::string_view kQuotaPrefix = "requests.";

// KEP-5004: a name pods can ask for beside cpu and memory. Quotas put "requests." before it, so the
// longer name must be a label key too.
void CheckExtendedResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (!name.contains('/')) {
    errors.Invalid(
        path, Shown(name), "a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (name.contains(kNativeDomain)) {
    errors.Invalid(path, Shown(name), "must not have \"kubernetes.io/\" domain");
  }
  if (name.starts_with(kQuotaPrefix)) {
    errors.Invalid(path, Shown(name), "must not have \"requests.\" prefix");
  }
  errors.Names(path, name, CheckLabelKey(std::string(kQuotaPrefix).append(name)));
}

}  // namespace

std::vector<Cause> ValidateDeviceClass(const v1::DeviceClass& device_class,
                                       const v1::DeviceClass* old,
                                       const Options& options) {
  Findings out;
  const Path spec("spec");
  CheckSelectors(device_class.spec.selectors, options.selectors, spec.Child("selectors"), out);
  const Path configs = spec.Child("config");
  const auto& config = device_class.spec.config;
  const Origin origin =
      old != nullptr && old->spec.config == config ? Origin::kStored : Origin::kNew;
  if (IsWithin(config.size(), kConfigsMax, configs, out.declared)) {
    for (size_t i = 0; i < config.size(); ++i) {
      CheckConfiguration(config[i].device_configuration, origin, configs.Index(i), out);
    }
  }
  if (device_class.spec.extended_resource_name.has_value()) {
    CheckExtendedResourceName(*device_class.spec.extended_resource_name,
                              spec.Child("extendedResourceName"),
                              out.declared);
  }
  return std::move(out).Take();
}

}  // namespace dray::api::validation
