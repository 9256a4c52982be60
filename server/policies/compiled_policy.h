// SPDX-License-Identifier: Apache-2.0
// Stored policies with their expressions compiled, for use by any number of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "api/release.h"
#include "server/policies/expressions.h"

namespace dray::server::policies {

/// An expression and the result of compiling it. A policy that was stored by another release may
/// have expressions that do not compile; evaluating them then fails.
struct CompiledExpression {
  std::string text;
  Declared declared = {};
  Compiled program = std::unexpected(ExpressionProblem{});
  bool is_there = true;  // false: a rule without a messageExpression
};

struct CompiledVariable {
  std::string name;
  CompiledExpression expression;
};

/// Refers to nothing else.
struct CompiledPolicy {
  api::admissionregistration_v1::ValidatingAdmissionPolicy policy;
  std::vector<CompiledVariable> variables;
  std::vector<CompiledExpression> match_conditions;
  std::vector<CompiledExpression> validations;
  std::vector<CompiledExpression> messages;  // one for each validation
  std::vector<CompiledExpression> audit_annotations;

  /// Whether requests are admitted when the policy itself fails.
  bool ignores_failures() const { return policy.spec.failure_policy == "Ignore"; }
};

/// One of its mutations; of an unknown patchType nothing is there.
struct CompiledMutation {
  bool is_json_patch = false;  // else an apply configuration
  CompiledExpression expression;
};

/// The same of a policy that changes objects.
struct CompiledMutatingPolicy {
  api::admissionregistration_v1::MutatingAdmissionPolicy policy;
  std::vector<CompiledVariable> variables;
  std::vector<CompiledExpression> match_conditions;
  std::vector<CompiledMutation> mutations;

  bool ignores_failures() const { return policy.spec.failure_policy == "Ignore"; }
};

/// O(length of all expressions).
CompiledPolicy CompilePolicy(api::admissionregistration_v1::ValidatingAdmissionPolicy policy,
                             api::Release release);
CompiledMutatingPolicy CompilePolicy(api::admissionregistration_v1::MutatingAdmissionPolicy policy,
                                     api::Release release);

/// A policy and where it holds; immutable.
template <class Compiled, class Binding>
struct Bound {
  std::shared_ptr<const Compiled> policy;
  std::vector<Binding> bindings;
};

using BoundPolicy =
    Bound<CompiledPolicy, api::admissionregistration_v1::ValidatingAdmissionPolicyBinding>;
using BoundMutatingPolicy =
    Bound<CompiledMutatingPolicy, api::admissionregistration_v1::MutatingAdmissionPolicyBinding>;

}  // namespace dray::server::policies
