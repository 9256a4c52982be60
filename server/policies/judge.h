// SPDX-License-Identifier: Apache-2.0
// Applies the policies of a server to one write: whether it is refused, its warnings, and its audit
// annotations. Pure. After apiserver's validating/dispatcher.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "base/result.h"
#include "server/policies/admission_request.h"
#include "server/policies/compiled_policy.h"
#include "server/policies/evaluation.h"
#include "server/policies/surroundings.h"

namespace dray::server::policies {

/// Broken rules that one audit annotation names, and bytes of an annotation that a policy makes.
inline constexpr size_t kFailuresMax = 50;
inline constexpr size_t kAnnotationBytesMax = 10UL * 1024;

/// Limits for one request of the parameters that bindings choose by a selector: their number, their
/// JSON, and the cost of all evaluations with them. A user who may write such objects can make any
/// number of them, so a request beyond the limits is refused whatever the failurePolicy is, because
/// no parameter may be skipped. Upstream has no such limits.
inline constexpr size_t kParametersMax = 250;
inline constexpr size_t kParameterBytesMax = size_t{4} << 20;
inline constexpr int64_t kParametersCostMax = kBudgetMax / 4;

/// A policy and where it holds; immutable.
struct BoundPolicy {
  std::shared_ptr<const CompiledPolicy> policy;
  std::vector<api::admissionregistration_v1::ValidatingAdmissionPolicyBinding> bindings;
};

struct Verdict {
  std::optional<Error> refusal;
  std::vector<std::string> warnings;
  std::vector<PublishedAnnotation> annotations;
};

/// Evaluates all policies, in order, even after a refusal. The refusal is that of the first broken
/// rule: its reason (Invalid if it has none), and its message as cause.
Verdict Judge(std::span<const BoundPolicy> policies,
              const AdmissionRequest& request,
              const Surroundings& surroundings);

}  // namespace dray::server::policies
