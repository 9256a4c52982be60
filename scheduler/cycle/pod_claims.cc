// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/pod_claims.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "api/claims/pod_groups.h"

namespace dray::scheduler::inline cycle {
namespace {

namespace core_v1 = api::core_v1;
using api::claims::Target;

std::optional<Gated> WhyNot(const core_v1::Pod& pod,
                            const Target& target,
                            const api::Object& claim) {
  const api::meta_v1::ObjectMeta& metadata = pod.metadata;
  if (claim.metadata().deletion_timestamp) {
    return Gated{fmt::format("resourceclaim \"{}\" is being deleted", target.name)};
  }
  if (target.generated && !api::claims::IsMadeFor(claim.metadata(), pod)) {
    const auto& group = pod.spec.scheduling_group;
    const std::string owner =
        group && group->pod_group_name
            ? fmt::format("neither Pod nor PodGroup {} is the owner", *group->pod_group_name)
            : "Pod is not owner";
    return Gated{fmt::format("ResourceClaim {}/{} was not created for Pod {}/{} ({})",
                             metadata.namespace_,
                             target.name,
                             metadata.namespace_,
                             metadata.name,
                             owner)};
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<api::Object>, Gated> ResolveClaims(const core_v1::Pod& pod,
                                                            const api::claims::Lookup& find) {
  const api::meta_v1::ObjectMeta& metadata = pod.metadata;
  std::vector<api::Object> claims;
  for (const core_v1::PodResourceClaim& entry : pod.spec.resource_claims) {
    const std::string who = fmt::format("pod \"{}/{}\": ", metadata.namespace_, metadata.name);
    if (api::claims::ClaimNamedBy(entry) == nullptr &&
        api::claims::TemplateNamedBy(entry) == nullptr) {
      return Gated{fmt::format(
          "{}spec.resourceClaim \"{}\": none of the supported fields are set", who, entry.name)};
    }
    const Target target = api::claims::TargetOf(pod, entry);
    if (target.state == Target::State::kNone) continue;
    if (target.state == Target::State::kMissing) {
      return Gated{who + "ResourceClaim not created yet"};
    }
    const api::Object* claim = find(metadata.namespace_ + "/" + target.name);
    if (claim == nullptr) {
      return Gated{fmt::format("resourceclaim.resource.k8s.io \"{}\" not found", target.name)};
    }
    if (std::optional<Gated> why_not = WhyNot(pod, target, *claim)) return *std::move(why_not);
    const auto same = [&](const api::Object& other) {
      return other.metadata().uid == claim->metadata().uid;
    };
    if (std::ranges::none_of(claims, same)) claims.push_back(*claim);
  }
  return claims;
}

}  // namespace dray::scheduler::inline cycle
