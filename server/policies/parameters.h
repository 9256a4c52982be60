// SPDX-License-Identifier: Apache-2.0
// The objects that a binding names as parameters of its policy. After apiserver's
// policy/generic/policy_dispatcher.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "server/policies/admission_request.h"
#include "server/policies/evaluation.h"
#include "server/policies/surroundings.h"

namespace dray::server::policies {

/// Limits for one request of the parameters that bindings choose by a selector: their number, their
/// JSON, and the cost of all evaluations with them. A user who may write such objects can make any
/// number of them, so a request beyond the limits is refused whatever the failurePolicy is, because
/// no parameter may be skipped. Upstream has no such limits.
inline constexpr size_t kParametersMax = 250;
inline constexpr size_t kParameterBytesMax = size_t{4} << 20;
inline constexpr int64_t kParametersCostMax = kBudgetMax / 4;

/// Counts towards them.
class ParameterBudget {
 public:
  void AddParameters(size_t count) { parameters_ += count; }
  void AddBytes(size_t bytes) { bytes_ += bytes; }
  void AddCost(int64_t cost) { cost_ += cost; }
  /// Why the request is refused; empty within the limits.
  std::string Problem() const;

 private:
  size_t parameters_ = 0, bytes_ = 0;
  int64_t cost_ = 0;
};

/// Where the parameters of a policy come from.
struct ParameterSource {
  const api::Maybe<api::admissionregistration_v1::ParamKind>& kind;  // of the policy
  const api::Maybe<api::admissionregistration_v1::ParamRef>& ref;    // of the binding

  /// Whether other objects decide how many there are.
  bool is_by_selector() const { return ref.has_value() && ref->name.empty(); }
};

/// Errors: kInternalError  a policy names a kind that is not served now.
Result<> CheckParamKind(const api::Maybe<api::admissionregistration_v1::ParamKind>& named,
                        const AdmissionRequest& request,
                        const Surroundings& surroundings);

/// The objects to ask the policy with, one after the other, by name; an empty one stands for null.
/// More than kParametersMax are not all read. Precondition: CheckParamKind.
///
/// Errors: kInternalError, in upstream's words  the reference does not fit the kind, or there is no
/// such object and the binding denies then; those of SelectorOf.
Result<std::vector<api::Object>> ParametersOf(const ParameterSource& source,
                                              const AdmissionRequest& request,
                                              const Surroundings& surroundings);

/// One of them as JSON, in the version that the policy names.
std::string ParameterText(const api::Object& parameter,
                          const ParameterSource& source,
                          const AdmissionRequest& request,
                          const Surroundings& surroundings);

}  // namespace dray::server::policies
