// SPDX-License-Identifier: Apache-2.0
// Rules for admission policies and their bindings: every expression must compile in its place.
// After pkg/apis/admissionregistration/validation.
#pragma once

#include <cstddef>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "api/validation/options.h"
#include "base/result.h"

namespace dray::server::policies {

inline constexpr size_t kAuditAnnotationsMax = 20;
inline constexpr size_t kValueExpressionBytesMax = 5UL * 1024;

/// `old` is null for a new policy. Expressions that `old` has are checked as stored ones.
std::vector<ErrorCause> ValidatePolicy(
    const api::admissionregistration_v1::ValidatingAdmissionPolicy& policy,
    const api::admissionregistration_v1::ValidatingAdmissionPolicy* old,
    const api::validation::Options& options);

std::vector<ErrorCause> ValidatePolicyStatus(
    const api::admissionregistration_v1::ValidatingAdmissionPolicy& policy);

std::vector<ErrorCause> ValidatePolicyBinding(
    const api::admissionregistration_v1::ValidatingAdmissionPolicyBinding& binding,
    const api::validation::Options& options);

}  // namespace dray::server::policies
