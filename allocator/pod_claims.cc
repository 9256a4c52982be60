// SPDX-License-Identifier: Apache-2.0
#include "dray/pod_claims.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/claims/generated_claim.h"
#include "api/claims/pod_claims.h"
#include "base/text_uuid.h"
#include "base/try.h"

namespace dray::allocator {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;

/// The object of that name in the namespace of the pod; null: there is none.
template <class T>
Frozen<T> Find(std::span<const Frozen<T>> objects, const core::Pod& pod, std::string_view name) {
  const auto found = std::ranges::find_if(objects, [&](const Frozen<T>& object) {
    return object->metadata.name == name && object->metadata.namespace_ == pod.metadata.namespace_;
  });
  return found == objects.end() ? nullptr : *found;
}

Failure NotFound(const core::Pod& pod,
                 const core::PodResourceClaim& entry,
                 std::string_view kind,
                 std::string_view name) {
  return Fail(StatusReason::kNotFound,
              fmt::format("pod {0}/{1}, claim {2}: there is no {3} {0}/{4}",
                          pod.metadata.namespace_,
                          pod.metadata.name,
                          entry.name,
                          kind,
                          name));
}

v1::ResourceClaim Made(const core::Pod& pod,
                       const std::string& entry,
                       const v1::ResourceClaimTemplate& claim_template) {
  auto claim = api::claims::GeneratedClaim<v1::ResourceClaim>(
      api::claims::AsOwner(pod), entry, claim_template);
  claim.metadata.generate_name.clear();
  claim.metadata.name = pod.metadata.name + "-" + entry;
  claim.metadata.uid =
      UuidOf(fmt::format("{}\n{}\n{}", pod.metadata.namespace_, pod.metadata.name, entry));
  return claim;
}

/// Null: none is needed.
Result<Frozen<v1::ResourceClaim>> ClaimOf(const core::Pod& pod,
                                          const core::PodResourceClaim& entry,
                                          const ClaimSources& sources) {
  const api::claims::Target target = api::claims::TargetOf(pod, entry);
  switch (target.state) {
    case api::claims::Target::State::kNone: return nullptr;
    case api::claims::Target::State::kClaim: {
      Frozen<v1::ResourceClaim> claim = Find(sources.claims, pod, target.name);
      if (claim == nullptr) return NotFound(pod, entry, "ResourceClaim", target.name);
      return claim;
    }
    case api::claims::Target::State::kMissing: break;
  }
  const std::string* const name = api::claims::TemplateNamedBy(entry);
  if (name == nullptr) {
    return Fail(StatusReason::kInvalid,
                fmt::format("pod {}/{}, claim {}: names no ResourceClaim and no template",
                            pod.metadata.namespace_,
                            pod.metadata.name,
                            entry.name));
  }
  const Frozen<v1::ResourceClaimTemplate> found = Find(sources.templates, pod, *name);
  if (found == nullptr) return NotFound(pod, entry, "ResourceClaimTemplate", *name);
  return std::make_shared<const v1::ResourceClaim>(Made(pod, entry.name, *found));
}

}  // namespace

Result<PodClaims> v0::ClaimsOf(const core::Pod& pod, const ClaimSources& sources) {
  PodClaims claims;
  for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
    DRAY_TRY(Frozen<v1::ResourceClaim> claim, ClaimOf(pod, entry, sources));
    if (claim == nullptr) continue;
    auto& list = claim->status.allocation.has_value() ? claims.allocated : claims.to_allocate;
    list.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace dray::allocator
