// SPDX-License-Identifier: Apache-2.0
#include "server/policies/judge.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "cel/value/arena.h"
#include "server/errors/errors.h"
#include "server/policies/cel_values.h"
#include "server/policies/evaluation.h"
#include "server/policies/match.h"
#include "server/policies/parameters.h"
#include "server/policies/request_values.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
using Binding = v1::ValidatingAdmissionPolicyBinding;

constexpr std::string_view kFailureKey = "validation.policy.admission.k8s.io/validation_failure";

// ---------------------------------------------------------------------------------------- the way

// The reason of a refusal by a rule or by the policy itself; `binding` null: for any binding.
struct Refused {
  const v1::ValidatingAdmissionPolicy* policy;
  const Binding* binding;
  StatusReason reason;
  std::string message;
};

struct FailedExpression {
  const Binding* binding;
  size_t rule;
  std::string message;
};

class Judging {
 public:
  Judging(const AdmissionRequest& request, const Surroundings& surroundings, CheckLog* log)
      : request_(request), surroundings_(surroundings), values_(request, surroundings), log_(log) {}

  void Ask(const BoundPolicy& bound) {
    const CompiledPolicy& policy = *bound.policy;
    const auto& spec = policy.policy.spec;
    if (!spec.match_constraints.has_value()) return;
    const auto match = MatchOf(*spec.match_constraints, request_, surroundings_.scheme());
    if (!match.has_value()) return Misconfigure(policy, nullptr, match.error().message);
    if (!match->has_value()) return;
    const Result<> known = CheckParamKind(spec.param_kind, request_, surroundings_);
    if (!known.has_value()) return Misconfigure(policy, nullptr, known.error().message);
    std::map<std::string, std::vector<std::string>> annotations;
    cel::Arena arena(work_);
    const Variables values = values_.For(**match, arena);
    for (const Binding& binding : bound.bindings) {
      AskBound({policy, binding, values}, annotations);
    }
    for (const auto& [key, values] : annotations) {
      verdict_.annotations.push_back({.key = fmt::format("{}/{}", policy.policy.metadata.name, key),
                                      .value = fmt::format("{}", fmt::join(values, ", "))});
    }
  }

  Verdict Finish() && {
    if (!failures_.empty()) NoteFailures();
    if (!refused_.empty()) verdict_.refusal = RefusalOf(refused_.front());
    return std::move(verdict_);
  }

 private:
  using Collected = std::map<std::string, std::vector<std::string>>;

  void Misconfigure(const CompiledPolicy& policy, const Binding* binding, std::string_view why) {
    if (policy.ignores_failures()) return;
    const std::string_view what = binding == nullptr ? "policy" : "binding";
    refused_.push_back({.policy = &policy.policy,
                        .binding = binding,
                        .reason = StatusReason::kInvalid,
                        .message = fmt::format("failed to configure {}: {}", what, why)});
  }

  // A policy with a matching binding, and its inputs except the parameter.
  struct Asked {
    const CompiledPolicy& policy;
    const Binding& binding;
    const Variables& values;
  };

  void AskBound(const Asked& asked, Collected& annotations) {
    const auto& [policy, binding, values] = asked;
    if (binding.spec.match_resources.has_value()) {
      const auto matches = MatchOf(*binding.spec.match_resources, request_, surroundings_.scheme());
      if (!matches.has_value()) return Misconfigure(policy, &binding, matches.error().message);
      if (!matches->has_value()) return;
    }
    const ParameterSource source{.kind = policy.policy.spec.param_kind,
                                 .ref = binding.spec.param_ref};
    const auto parameters = ParametersOf(source, request_, surroundings_);
    if (!parameters.has_value()) {
      return Misconfigure(policy, &binding, parameters.error().message);
    }
    if (source.is_by_selector()) budget_.AddParameters(parameters->size());
    for (const api::Object& parameter : *parameters) {
      if (parameter.empty()) {
        AskWith(asked, {}, annotations);
        continue;
      }
      const std::string json = ParameterText(parameter, source, request_, surroundings_);
      if (source.is_by_selector()) budget_.AddBytes(json.size());
      if (source.is_by_selector() && IsBeyondBudget(asked)) return;  // before any evaluation
      AskWith(asked, json, annotations);
    }
  }

  // Then the request is refused.
  bool IsBeyondBudget(const Asked& asked) {
    std::string problem = budget_.Problem();
    if (problem.empty()) return false;
    refused_.push_back({.policy = &asked.policy.policy,
                        .binding = &asked.binding,
                        .reason = StatusReason::kInvalid,
                        .message = std::move(problem)});
    return true;
  }

  void AskWith(const Asked& asked, std::string_view parameter, Collected& annotations) {
    const auto& [policy, binding, known] = asked;
    cel::Arena arena(work_);
    Variables values = known;
    if (!parameter.empty()) values.params = ValueOfJson(parameter, arena);
    const PolicyResult result =
        Evaluate(policy, values, arena, log_ == nullptr ? nullptr : &log_->clock());
    if (!parameter.empty()) budget_.AddCost(result.cost);
    for (const Denial& denial : result.denials) Deny(policy, binding, denial);
    for (const Denial& denial : result.ignored) {
      Measure(policy, binding, denial, CheckAction::kAllow);
    }
    for (const PublishedAnnotation& one : result.annotations) {
      std::vector<std::string>& values_of_key = annotations[one.key];
      std::string value = one.value.substr(0, kAnnotationBytesMax);
      if (std::ranges::find(values_of_key, value) == values_of_key.end()) {
        values_of_key.push_back(std::move(value));
      }
    }
    for (const std::string& error : result.annotation_errors) {
      refused_.push_back({&policy.policy, &binding, StatusReason::kInvalid, error});
      Measure(policy, binding, {.message = error}, CheckAction::kDeny);
    }
  }

  void Measure(const CompiledPolicy& policy,
               const Binding& binding,
               const Denial& denial,
               CheckAction action) {
    if (log_ == nullptr) return;
    log_->Note({.policy = policy.policy.metadata.name,
                .binding = binding.metadata.name,
                .error_type = std::string(ErrorTypeOf(denial.message)),
                .action = action,
                .seconds = denial.seconds});
  }

  void Deny(const CompiledPolicy& policy, const Binding& binding, const Denial& denial) {
    const std::string& name = policy.policy.metadata.name;
    for (const std::string& action : binding.spec.validation_actions) {
      if (action == "Deny") {
        refused_.push_back({&policy.policy, &binding, denial.reason, denial.message});
        Measure(policy, binding, denial, CheckAction::kDeny);
      } else if (action == "Audit") {
        failures_.push_back({&binding, denial.rule, denial.message});
        Measure(policy, binding, denial, CheckAction::kAudit);
      } else if (action == "Warn") {
        Measure(policy, binding, denial, CheckAction::kWarn);
        verdict_.warnings.push_back(fmt::format(
            "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
            name,
            binding.metadata.name,
            denial.message));
      }
    }
  }

  void NoteFailures() {
    if (failures_.size() > kFailuresMax) failures_.resize(kFailuresMax);
    verdict_.annotations.push_back(
        {.key = std::string(kFailureKey),
         .value = api::JsonText([&](api::JsonWriter& json) {
           json.Array([&] {
             for (const FailedExpression& failure : failures_) {
               json.Object([&] {
                 json.Member("message", failure.message);
                 json.Member("policy", failure.binding->spec.policy_name);
                 json.Member("binding", failure.binding->metadata.name);
                 json.Member("expressionIndex", failure.rule);
                 json.Member("validationActions").ArrayOf(failure.binding->spec.validation_actions);
               });
             }
           });
         })});
  }

  Error RefusalOf(const Refused& refused) const {
    const std::string of_binding =
        refused.binding == nullptr
            ? ""
            : fmt::format(" with binding '{}'", refused.binding->metadata.name);
    std::string message = fmt::format("ValidatingAdmissionPolicy '{}'{} denied request: {}",
                                      refused.policy->metadata.name,
                                      of_binding,
                                      refused.message);
    Error error = errors::Forbidden(*request_.resource, NameShown(), message);
    error.reason = refused.reason;
    error.causes = {{.reason = "", .field = "", .message = std::move(message)}};
    return error;
  }

  // Upstream does not keep the names of objects that are deleted as a collection.
  std::string NameShown() const { return request_.name.empty() ? "Unknown" : request_.name; }

  const AdmissionRequest& request_;
  const Surroundings& surroundings_;
  const RequestValues values_;
  Verdict verdict_;
  std::vector<Refused> refused_;
  std::vector<FailedExpression> failures_;
  ParameterBudget budget_;
  Work work_{kRequestWorkMax};
  CheckLog* const log_;
};

}  // namespace

Verdict Judge(std::span<const BoundPolicy> policies,
              const AdmissionRequest& request,
              const Surroundings& surroundings,
              CheckLog* log) {
  Judging judging(request, surroundings, log);
  for (const BoundPolicy& policy : policies) judging.Ask(policy);
  return std::move(judging).Finish();
}

}  // namespace dray::server::policies
