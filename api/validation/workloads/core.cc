// SPDX-License-Identifier: Apache-2.0
// The short rules of core/v1; pods have a file of their own.
#include "api/validation/workloads/core.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/text/names.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline workloads {
namespace {

constexpr std::array<std::string_view, 3> kNodeTaintEffects = {
    "NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::array<std::string_view, 3> kStandardFinalizers = {
    "kubernetes", "orphan", "foregroundDeletion"};

void CheckTaint(const core_v1::Taint& taint, const Path& path, FieldErrors& errors) {
  CheckKeyShaped(taint.key, path.Child("key"), errors);
  CheckLabelValueShaped(taint.value, path.Child("value"), errors);
  const Path effect = path.Child("effect");
  if (taint.effect.empty()) {
    errors.Required(effect);
  } else if (std::ranges::find(kNodeTaintEffects, taint.effect) == kNodeTaintEffects.end()) {
    errors.NotSupported(effect, taint.effect, kNodeTaintEffects);
  }
}

// A name that stays once a cloud has given it.
void CheckProvider(const core_v1::NodeSpec& spec,
                   const core_v1::NodeSpec& old,
                   FieldErrors& errors) {
  if (old.provider_id.empty() || spec.provider_id == old.provider_id) return;
  errors.Invalid(Path("spec.providerID"),
                 "null",
                 spec.provider_id.empty() ? "field cannot be cleared once set"
                                          : "field cannot be modified once set");
}

// Told once for each range that is another one.
void CheckPodCidrs(const core_v1::NodeSpec& spec,
                   const core_v1::NodeSpec& old,
                   FieldErrors& errors) {
  if (old.pod_cidrs.empty()) return;
  const bool same_size = spec.pod_cidrs.size() == old.pod_cidrs.size();
  size_t changes = same_size ? 0 : 1;
  for (size_t i = 0; same_size && i < old.pod_cidrs.size(); ++i) {
    if (spec.pod_cidrs[i] != old.pod_cidrs[i]) ++changes;
  }
  for (size_t i = 0; i < changes; ++i) {
    errors.Forbidden(Path("spec.podCIDRs"),
                     R"(node updates may not change podCIDR except from "" to valid)");
  }
}

}  // namespace

std::vector<ErrorCause> ValidateNode(const core_v1::Node& node,
                                     const core_v1::Node* old,
                                     const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path taints("metadata.taints");  // sic: upstream's path
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < node.spec.taints.size(); ++i) {
    const core_v1::Taint& taint = node.spec.taints[i];
    CheckTaint(taint, taints.Index(i), errors);
    if (!seen.emplace(taint.key, taint.effect).second) {
      const Path at = taints.Index(i);
      errors.Duplicate(at, ShownStruct(taint));
    }
  }
  if (old != nullptr) {
    CheckPodCidrs(node.spec, old->spec, errors);
    CheckProvider(node.spec, old->spec, errors);
  }
  return std::move(errors).Take();
}

bool IsFinalizerName(std::string_view name) {
  return name.contains('/') ||
         std::ranges::find(kStandardFinalizers, name) != kStandardFinalizers.end();
}

std::vector<ErrorCause> CheckFinalizerNames(const meta_v1::ObjectMeta& meta) {
  FieldErrors errors;
  const Path finalizers("metadata.finalizers");
  for (size_t i = 0; i < meta.finalizers.size(); ++i) {
    const std::string& name = meta.finalizers[i];
    if (!IsFinalizerName(name)) errors.Invalid(finalizers.Index(i), Shown(name), kNoFinalizerName);
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline workloads
