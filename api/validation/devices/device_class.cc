// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/device_class.h"

#include <string>
#include <string_view>
#include <utility>

#include "api/text/names.h"
#include "api/validation/collections.h"
#include "api/validation/devices/device_rules.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

constexpr std::string_view kNativeDomain = "kubernetes.io/";
constexpr std::string_view kQuotaPrefix = "requests.";

// KEP-5004: a resource name that pods can request like cpu and memory. Quotas add the prefix
// "requests.", so the longer name must be a label key too.
void CheckExtendedResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (!errors.Since(37)) {
    if (IsExtendedResourceName(name)) return;
    errors.Invalid(path, Shown(name), "must be a valid extended resource name");
    return;
  }
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

void CheckClass(const v1::DeviceClass& device_class,
                const v1::DeviceClass* old,
                const Options& options,
                Findings& out) {
  const Path spec("spec");
  const v1::DeviceClassSpec& now = device_class.spec;
  // Any change, be it of the order, makes all of a list new.
  const auto origin_of = [&](const auto& member) {
    return old != nullptr && old->spec.*member == now.*member ? Origin::kStored : Origin::kNew;
  };
  CheckSelectors(now.selectors,
                 origin_of(&v1::DeviceClassSpec::selectors),
                 options.expressions,
                 spec.Child("selectors"),
                 out);
  const Origin origin = origin_of(&v1::DeviceClassSpec::config);
  CheckItems(now.config,
             kConfigsMax,
             Pass::kCovered,
             spec.Child("config"),
             out,
             [&](const v1::DeviceClassConfiguration& config, const Path& at) {
               CheckConfiguration(config.device_configuration, origin, at, out);
             });
  if (now.extended_resource_name.has_value()) {
    CheckExtendedResourceName(
        *now.extended_resource_name, spec.Child("extendedResourceName"), out.covered());
  }
  // Only in 1.31, whose errors place it outside of spec.
  if (now.suitable_nodes.has_value()) {
    CheckNodeSelector(*now.suitable_nodes, Path("suitableNodes"), out.written);
  }
}

}  // namespace

bool IsExtendedResourceName(std::string_view name) {
  return name.contains('/') && !name.contains(kNativeDomain) && !name.starts_with(kQuotaPrefix) &&
         CheckLabelKey(std::string(kQuotaPrefix).append(name)).empty();
}

std::vector<ErrorCause> ValidateDeviceClass(const v1::DeviceClass& device_class,
                                            const v1::DeviceClass* old,
                                            const Options& options) {
  Findings out(options.profile, options.version);
  // 1.33 validated a changed class first as if it were new.
  if (old != nullptr && options.profile.release == Release::k1_33)
    CheckClass(device_class, nullptr, options, out);
  CheckClass(device_class, old, options, out);
  return std::move(out).Take();
}

}  // namespace dray::api::validation::inline devices
