// SPDX-License-Identifier: Apache-2.0
// The claim that is generated from a ResourceClaimTemplate for a pod or a pod group (KEP-4381): as
// the controller of claims makes it, and as programs that only ask about a pod need it.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::api::claims {

/// Says for which entry of the pod a claim was generated.
inline constexpr const char* kPodClaimNameAnnotation = "resource.kubernetes.io/pod-claim-name";

/// The object that a claim is generated for, and that is the claim's controller.
struct ClaimOwner {
  std::string api_version, kind, namespace_, name, uid;
};

inline ClaimOwner AsOwner(const core_v1::Pod& pod) {
  return {.api_version = "v1",
          .kind = "Pod",
          .namespace_ = pod.metadata.namespace_,
          .name = pod.metadata.name,
          .uid = pod.metadata.uid};
}

/// "<owner>-<entry>-", shortened on both sides when the server could not append its five
/// characters.
inline std::string ClaimNamePrefix(std::string_view owner, std::string_view entry) {
  // The server appends 5 characters and cuts what is before to 57, which would lose the entry.
  constexpr size_t kPrefixMax = 57;
  const size_t size = owner.size() + 1 + entry.size() + 1;
  if (size <= kPrefixMax) return std::string(owner).append("-").append(entry).append("-");
  return std::string(owner.substr(0, owner.size() * kPrefixMax / size))
      .append("-")
      .append(entry.substr(0, entry.size() * kPrefixMax / size));
}

/// The claim for `entry` of its owner: metadata and spec of the template, an annotation, its owner.
/// Its name is left to the server (generateName). `Claim` and `Template` are of one generation.
template <class Claim, class Template>
Claim GeneratedClaim(const ClaimOwner& owner,
                     std::string_view entry,
                     const Template& claim_template) {
  Claim claim;
  claim.metadata.namespace_ = owner.namespace_;
  claim.metadata.generate_name = ClaimNamePrefix(owner.name, entry);
  claim.metadata.labels = claim_template.spec.metadata.labels;
  claim.metadata.annotations = claim_template.spec.metadata.annotations;
  claim.metadata.annotations[kPodClaimNameAnnotation] = entry;
  claim.metadata.owner_references.push_back({.api_version = owner.api_version,
                                             .kind = owner.kind,
                                             .name = owner.name,
                                             .uid = owner.uid,
                                             .controller = true});
  claim.spec = claim_template.spec.spec;
  return claim;
}

}  // namespace dray::api::claims
