// SPDX-License-Identifier: Apache-2.0
// Rules for policies that change objects, and for their bindings. After
// pkg/apis/admissionregistration/validation.
#pragma once

#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "api/validation/options.h"
#include "base/result.h"

namespace dray::server::policies {

/// `old` is null for a new policy. Expressions that `old` has are checked as stored ones.
std::vector<ErrorCause> ValidateMutatingPolicy(
    const api::admissionregistration_v1::MutatingAdmissionPolicy& policy,
    const api::admissionregistration_v1::MutatingAdmissionPolicy* old,
    const api::validation::Options& options);

std::vector<ErrorCause> ValidateMutatingPolicyBinding(
    const api::admissionregistration_v1::MutatingAdmissionPolicyBinding& binding,
    const api::validation::Options& options);

}  // namespace dray::server::policies
