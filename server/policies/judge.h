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
#include "server/policies/check_metrics.h"
#include "server/policies/compiled_policy.h"
#include "server/policies/evaluation.h"
#include "server/policies/surroundings.h"

namespace dray::server::policies {

/// Broken rules that one audit annotation names, and bytes of an annotation that a policy makes.
inline constexpr size_t kFailuresMax = 50;
inline constexpr size_t kAnnotationBytesMax = 10UL * 1024;

struct Verdict {
  std::optional<Error> refusal;
  std::vector<std::string> warnings;
  std::vector<PublishedAnnotation> annotations;
};

/// Evaluates all policies, in order, even after a refusal. The refusal is that of the first broken
/// rule: its reason (Invalid if it has none), and its message as cause. `log` gets the rules that
/// denied or failed; null: they are not measured.
Verdict Judge(std::span<const BoundPolicy> policies,
              const AdmissionRequest& request,
              const Surroundings& surroundings,
              CheckLog* log = nullptr);

}  // namespace dray::server::policies
