// SPDX-License-Identifier: Apache-2.0
// Whether a policy or a binding matches a request. After apiserver's policy/matching.
#pragma once

#include <optional>

#include "api/admissionregistration_v1/policy.h"
#include "api/kind.h"
#include "base/result.h"
#include "server/policies/admission_request.h"

namespace dray::server::policies {

/// The version of the resource that a rule named, and of the object. If only an equivalent resource
/// of the request's is named and the matchPolicy allows it, that one's version.
struct Match {
  const api::KindInfo* resource = nullptr;
  const api::KindInfo* kind = nullptr;
};

/// Returns nothing if the policy does not match the request. O(rules × versions of the resource +
/// selectors).
///
/// Errors: kNotFound and those of SelectorOf, if it matches the request but a selector cannot be
///         evaluated.
Result<std::optional<Match>> MatchOf(
    const api::admissionregistration_v1::MatchResources& constraints,
    const AdmissionRequest& request,
    const api::Scheme& scheme);

}  // namespace dray::server::policies
