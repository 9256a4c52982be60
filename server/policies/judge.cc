// SPDX-License-Identifier: Apache-2.0
#include "server/policies/judge.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/selectors/selector_of.h"
#include "cel/value/arena.h"
#include "server/errors/errors.h"
#include "server/policies/cel_values.h"
#include "server/policies/evaluation.h"
#include "server/policies/match.h"
#include "server/policies/request_values.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
using Binding = v1::ValidatingAdmissionPolicyBinding;

constexpr std::string_view kFailureKey = "validation.policy.admission.k8s.io/validation_failure";

// ------------------------------------------------------------------------------------- parameters

// Objects to ask the policy with, one after the other; an empty one stands for null.
using Parameters = Result<std::vector<api::Object>>;

Failure Misconfigured(std::string why) {
  return Fail(StatusReason::kInternalError, std::move(why));
}

const api::KindInfo* ParamKindOf(const v1::ParamKind& param,
                                 const AdmissionRequest& request,
                                 const api::Scheme& scheme) {
  const api::KindInfo* const kind = scheme.FindKind(param.api_version, param.kind);
  const bool is_known = kind != nullptr && kind->served && kind->in.Has(request.release);
  return is_known ? kind : nullptr;
}

Error UnknownParamKind(const v1::ParamKind& param) {
  const size_t slash = param.api_version.find('/');
  const bool has_group = slash != std::string::npos;
  const std::string group = has_group ? param.api_version.substr(0, slash) : "";
  const std::string version = has_group ? param.api_version.substr(slash + 1) : param.api_version;
  return {
      .reason = StatusReason::kInternalError,
      .message = fmt::format("failed to find resource referenced by paramKind: '{}/{}, Kind={}'",
                             group,
                             version,
                             param.kind)};
}

Parameters Selected(const api::KindInfo& kind,
                    const std::string& in,
                    const v1::ParamRef& ref,
                    const Surroundings& surroundings) {
  if (!ref.name.empty()) {
    std::optional<api::Object> found = surroundings.Find(kind, in, ref.name);
    std::vector<api::Object> one;
    if (found.has_value()) one.push_back(*std::move(found));
    return one;
  }
  if (!ref.selector.has_value()) return Misconfigured("one of name or selector must be provided");
  DRAY_TRY(const api::LabelSelector selector, api::SelectorOf(*ref.selector));
  std::vector<api::Object> selected;
  surroundings.Each(kind, in, [&](const api::Object& one) {
    if (selector.Matches(one.metadata().labels)) selected.push_back(one);
    return selected.size() <= kParametersMax;  // one more shows that there are too many
  });
  return selected;
}

Parameters ParametersOf(const v1::ValidatingAdmissionPolicySpec& spec,
                        const Binding& binding,
                        const AdmissionRequest& request,
                        const Surroundings& surroundings) {
  if (!spec.param_kind.has_value() || !binding.spec.param_ref.has_value()) {
    return std::vector<api::Object>(1);
  }
  const v1::ParamRef& ref = *binding.spec.param_ref;
  const api::KindInfo& kind = *ParamKindOf(*spec.param_kind, request, surroundings.scheme());
  std::string in;
  if (kind.namespaced) {
    in = ref.namespace_.empty() ? request.namespace_ : ref.namespace_;
    if (in.empty()) {
      return Misconfigured(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    }
  } else if (!ref.namespace_.empty()) {
    return Misconfigured(
        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  DRAY_TRY(std::vector<api::Object> found, Selected(kind, in, ref, surroundings));
  if (found.empty() && ref.parameter_not_found_action == "Deny") {
    return Misconfigured("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}

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
  Judging(const AdmissionRequest& request, const Surroundings& surroundings)
      : request_(request), surroundings_(surroundings), values_(request, surroundings) {}

  void Ask(const BoundPolicy& bound) {
    const CompiledPolicy& policy = *bound.policy;
    const auto& spec = policy.policy.spec;
    if (!spec.match_constraints.has_value()) return;
    const auto match = MatchOf(*spec.match_constraints, request_, surroundings_.scheme());
    if (!match.has_value()) return Misconfigure(policy, nullptr, match.error().message);
    if (!match->has_value()) return;
    const bool knows_kind =
        !spec.param_kind.has_value() ||
        ParamKindOf(*spec.param_kind, request_, surroundings_.scheme()) != nullptr;
    if (!knows_kind) {
      return Misconfigure(policy, nullptr, UnknownParamKind(*spec.param_kind).message);
    }
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
    const Parameters parameters =
        ParametersOf(policy.policy.spec, binding, request_, surroundings_);
    if (!parameters.has_value()) {
      return Misconfigure(policy, &binding, parameters.error().message);
    }
    const bool is_by_selector =
        binding.spec.param_ref.has_value() && binding.spec.param_ref->name.empty();
    if (is_by_selector && !Charge(asked, parameters->size(), 0)) return;  // before any evaluation
    for (const api::Object& parameter : *parameters) {
      if (parameter.empty()) {
        AskWith(asked, {}, annotations);
        continue;
      }
      const std::string json = JsonOf(asked, parameter);
      if (is_by_selector && !Charge(asked, 0, json.size())) return;
      AskWith(asked, json, annotations);
    }
  }

  std::string JsonOf(const Asked& asked, const api::Object& parameter) const {
    const v1::ParamKind& named = *asked.policy.policy.spec.param_kind;
    const api::KindInfo* const kind =
        surroundings_.scheme().FindKind(named.api_version, named.kind);
    return JsonText(parameter, *kind, request_.release);
  }

  // Counts more parameters, or bytes of one; false when that is too much, and the request is
  // refused.
  bool Charge(const Asked& asked, size_t parameters, size_t bytes) {
    parameters_ += parameters;
    parameter_bytes_ += bytes;
    std::string limit;
    if (parameters_ > kParametersMax) {
      limit = fmt::format("{} parameters", kParametersMax);
    } else if (parameter_bytes_ > kParameterBytesMax) {
      limit = fmt::format("parameters of {} bytes together", kParameterBytesMax);
    } else if (parameters_cost_ > kParametersCostMax) {
      limit = fmt::format("parameters that cost {} units together", kParametersCostMax);
    } else {
      return true;
    }
    refused_.push_back(
        {.policy = &asked.policy.policy,
         .binding = &asked.binding,
         .reason = StatusReason::kInvalid,
         .message = fmt::format("selectors of paramRef choose more than a request may be judged "
                                "with: the limit is {}",
                                limit)});
    return false;
  }

  void AskWith(const Asked& asked, std::string_view parameter, Collected& annotations) {
    const auto& [policy, binding, known] = asked;
    cel::Arena arena(work_);
    Variables values = known;
    if (!parameter.empty()) values.params = ValueOfJson(parameter, arena);
    const PolicyResult result = Evaluate(policy, values, arena);
    if (!parameter.empty()) parameters_cost_ += result.cost;
    for (const Denial& denial : result.denials) Deny(policy, binding, denial);
    for (const PublishedAnnotation& one : result.annotations) {
      std::vector<std::string>& values_of_key = annotations[one.key];
      std::string value = one.value.substr(0, kAnnotationBytesMax);
      if (std::ranges::find(values_of_key, value) == values_of_key.end()) {
        values_of_key.push_back(std::move(value));
      }
    }
    for (const std::string& error : result.annotation_errors) {
      refused_.push_back({&policy.policy, &binding, StatusReason::kInvalid, error});
    }
  }

  void Deny(const CompiledPolicy& policy, const Binding& binding, const Denial& denial) {
    const std::string& name = policy.policy.metadata.name;
    for (const std::string& action : binding.spec.validation_actions) {
      if (action == "Deny") {
        refused_.push_back({&policy.policy, &binding, denial.reason, denial.message});
      } else if (action == "Audit") {
        failures_.push_back({&binding, denial.rule, denial.message});
      } else if (action == "Warn") {
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
  // For parameters that were chosen by selectors.
  size_t parameters_ = 0, parameter_bytes_ = 0;
  int64_t parameters_cost_ = 0;
  Work work_{kRequestWorkMax};
};

}  // namespace

Verdict Judge(std::span<const BoundPolicy> policies,
              const AdmissionRequest& request,
              const Surroundings& surroundings) {
  Judging judging(request, surroundings);
  for (const BoundPolicy& policy : policies) judging.Ask(policy);
  return std::move(judging).Finish();
}

}  // namespace dray::server::policies
