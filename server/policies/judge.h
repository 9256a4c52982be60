// SPDX-License-Identifier: Apache-2.0
// The policies of a server and one write: whether it is refused, what is warned of, and what goes
// to the audit log. Pure. After apiserver's validating/dispatcher.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "server/access/rbac.h"
#include "server/policies/admission_request.h"
#include "server/policies/compiled_policy.h"
#include "server/policies/evaluation.h"

namespace dray::server::policies {

/// Broken rules that one audit annotation names, and bytes of an annotation that a policy makes.
inline constexpr size_t kFailuresMax = 50;
inline constexpr size_t kAnnotationBytesMax = 10UL * 1024;

/// What one request may be judged with that bindings choose by a selector: how many parameters,
/// their JSON, and what all evaluations with them cost. Whoever may write such objects makes as
/// many as he likes, so a request that would be more is refused, whatever the failurePolicy says:
/// none of the parameters may be passed over. Upstream has no such limits.
inline constexpr size_t kParametersMax = 250;
inline constexpr size_t kParameterBytesMax = size_t{4} << 20;
inline constexpr int64_t kParametersCostMax = kBudgetMax / 4;

/// A policy and where it holds; immutable.
struct BoundPolicy {
  std::shared_ptr<const CompiledPolicy> policy;
  std::vector<api::admissionregistration_v1::ValidatingAdmissionPolicyBinding> bindings;
};

/// What else there is at the time of the write.
class Surroundings {
 public:
  virtual const api::Scheme& scheme() const = 0;
  /// The object of that name, if it is there; without a namespace for cluster-scoped kinds.
  virtual std::optional<api::Object> Find(const api::KindInfo& kind,
                                          std::string_view namespace_name,
                                          std::string_view name) const = 0;
  /// Hands over each object of the kind, until `take` says false.
  virtual void Each(const api::KindInfo& kind,
                    std::string_view namespace_name,
                    const std::function<bool(const api::Object& object)>& take) const = 0;
  virtual access::Verdict Decide(const access::User& user,
                                 const access::Attributes& asked) const = 0;

 protected:
  ~Surroundings() = default;
};

struct Verdict {
  std::optional<Error> refusal;
  std::vector<std::string> warnings;
  std::vector<PublishedAnnotation> annotations;
};

/// Policies are asked in order, and all of them, whatever the first says. The refusal is that of
/// the first broken rule: its reason (Invalid if it gives none), and its message as cause.
Verdict Judge(std::span<const BoundPolicy> policies,
              const AdmissionRequest& request,
              const Surroundings& surroundings);

}  // namespace dray::server::policies
