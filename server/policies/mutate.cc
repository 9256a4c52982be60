// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutate.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1/namespace.h"
#include "api/meta_v1/status.h"
#include "api/status.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "cel/value/arena.h"
#include "server/errors/errors.h"
#include "server/policies/cel_values.h"
#include "server/policies/evaluation.h"
#include "server/policies/match.h"
#include "server/policies/mutation.h"
#include "server/policies/parameters.h"
#include "server/policies/request_values.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
using MutatingBinding = v1::MutatingAdmissionPolicyBinding;

/// Reading an object, making values of it and writing it again, for each byte.
constexpr uint64_t kWorkOfByte = 8;

// A policy with a binding and a parameter that the request matches.
struct Invocation {
  const CompiledMutatingPolicy* policy;
  const MutatingBinding* binding;
  Match match;
  std::string key;        // in PolicyRounds
  std::string parameter;  // its JSON; empty: null
  bool is_by_selector = false;
};

struct PolicyFailure {
  std::string message;
  std::string_view reason;  // of the Status
};

class Mutating {
 public:
  Mutating(const AdmissionRequest& request,
           const Surroundings& surroundings,
           ChangedObject* object,
           PolicyRound round)
      : request_(request),
        surroundings_(surroundings),
        values_(request, surroundings),
        object_(object),
        round_(round) {}

  Result<bool> Run(std::span<const BoundMutatingPolicy> policies) && {
    for (const BoundMutatingPolicy& bound : policies) {
      if (!Select(bound)) return Fail(Refusal());
    }
    if (!invocations_.empty()) DRAY_TRY_VOID(CheckNamespace());
    for (const Invocation& invocation : invocations_) DRAY_TRY_VOID(Invoke(invocation));
    if (!failures_.empty()) return Fail(Refusal());
    // As upstream, for which also a mutation that left everything as it was is a change, in the
    // end.
    if (is_carried_out_) round_.reinvocations.NoteChange();
    return is_carried_out_;
  }

 private:
  // ------------------------------------------------------------------------------ what is invoked

  // False: the request is refused, whatever else it matches.
  bool Select(const BoundMutatingPolicy& bound) {
    const CompiledMutatingPolicy& policy = *bound.policy;
    const auto& spec = policy.policy.spec;
    if (!spec.match_constraints.has_value()) return true;
    const auto match = MatchOf(*spec.match_constraints, request_, surroundings_.scheme());
    if (!match.has_value()) return Misconfigure(policy, nullptr, match.error().message);
    if (!match->has_value()) return true;
    const Result<> known = CheckParamKind(spec.param_kind, request_, surroundings_);
    if (!known.has_value()) return Misconfigure(policy, nullptr, known.error().message);
    for (const MutatingBinding& binding : bound.bindings) {
      if (!SelectBound(policy, binding, **match)) return false;
    }
    return true;
  }

  bool SelectBound(const CompiledMutatingPolicy& policy,
                   const MutatingBinding& binding,
                   const Match& match) {
    if (binding.spec.match_resources.has_value()) {
      const auto matches = MatchOf(*binding.spec.match_resources, request_, surroundings_.scheme());
      if (!matches.has_value()) return Misconfigure(policy, &binding, matches.error().message);
      if (!matches->has_value()) return true;
    }
    const ParameterSource source{.kind = policy.policy.spec.param_kind,
                                 .ref = binding.spec.param_ref};
    const auto parameters = ParametersOf(source, request_, surroundings_);
    if (!parameters.has_value()) {
      return Misconfigure(policy, &binding, parameters.error().message);
    }
    if (source.is_by_selector()) budget_.AddParameters(parameters->size());
    for (const api::Object& parameter : *parameters) {
      Invocation invocation{
          .policy = &policy,
          .binding = &binding,
          .match = match,
          .key = fmt::format("{}\n{}", policy.policy.metadata.name, binding.metadata.name),
          .parameter = {},
          .is_by_selector = source.is_by_selector()};
      if (!parameter.empty()) {
        const auto& meta = parameter.metadata();
        invocation.key += fmt::format("\n{}\n{}", meta.namespace_, meta.name);
        invocation.parameter = ParameterText(parameter, source, request_, surroundings_);
        if (invocation.is_by_selector) budget_.AddBytes(invocation.parameter.size());
      }
      if (invocation.is_by_selector && IsBeyondBudget(policy, binding)) return false;
      invocations_.push_back(std::move(invocation));
    }
    return true;
  }

  bool IsBeyondBudget(const CompiledMutatingPolicy& policy, const MutatingBinding& binding) {
    const std::string problem = budget_.Problem();
    if (problem.empty()) return false;
    failures_.clear();
    failures_.push_back({Denied(policy, &binding, problem), "Forbidden"});
    return true;
  }

  // ------------------------------------------------------------------------------------ the way

  Result<> CheckNamespace() const {
    const bool is_in_one = !request_.namespace_.empty() && request_.resource->namespaced;
    if (!is_in_one || request_.namespace_object != nullptr) return {};
    return Fail(
        errors::NotFound(api::Reflected<api::core_v1::Namespace>::kKind, request_.namespace_));
  }

  Variables ValuesFor(const Invocation& invocation, cel::Arena& arena) {
    Variables values = values_.For(invocation.match, arena);
    if (!invocation.parameter.empty()) values.params = ValueOfJson(invocation.parameter, arena);
    return values;
  }

  Result<> Invoke(const Invocation& invocation) {
    const CompiledMutatingPolicy& policy = *invocation.policy;
    if (!policy.match_conditions.empty() && !Holds(invocation)) return {};
    Reinvocations& reinvocations = round_.reinvocations;
    if (round_.is_second && !reinvocations.due.contains(invocation.key)) return {};
    bool is_changed = false;
    for (const CompiledMutation& mutation : policy.mutations) {
      if (object_ == nullptr || !mutation.expression.is_there) continue;
      const MonotonicTime begin = Now();
      auto outcome = Apply(invocation, mutation);
      Result<bool> changes = false;
      if (outcome.has_value()) changes = Carry(invocation, *std::move(outcome));
      const bool is_done = outcome.has_value() && changes.has_value();
      Measure(invocation,
              begin,
              is_done ? std::string_view()
                      : (outcome.has_value() ? changes.error().message : outcome.error()));
      if (!outcome.has_value()) {
        Note(policy, invocation.binding, outcome.error());
        continue;
      }
      if (!changes.has_value()) return Fail(changes.error());
      is_changed = is_changed || *changes;
      is_carried_out_ = true;
    }
    if (is_changed) reinvocations.NoteChange();
    if (policy.policy.spec.reinvocation_policy == "IfNeeded") {
      reinvocations.asked.insert(invocation.key);
    }
    return {};
  }

  MonotonicTime Now() const {
    return round_.log == nullptr ? MonotonicTime() : round_.log->clock().Monotonic();
  }

  void Measure(const Invocation& invocation, MonotonicTime begin, std::string_view error) const {
    if (round_.log == nullptr) return;
    round_.log->Note({.policy = invocation.policy->policy.metadata.name,
                      .binding = invocation.binding->metadata.name,
                      .error_type = std::string(ErrorTypeOf(error)),
                      .seconds = std::chrono::duration<double>(Now() - begin).count()});
  }

  bool Holds(const Invocation& invocation) {
    const CompiledMutatingPolicy& policy = *invocation.policy;
    cel::Arena arena(work_);
    int64_t cost = 0;
    const auto holds = ConditionsHold({.expressions = policy.match_conditions,
                                       .variables = policy.variables,
                                       .ignores_failures = policy.ignores_failures()},
                                      ValuesFor(invocation, arena),
                                      arena,
                                      cost);
    if (invocation.is_by_selector) budget_.AddCost(cost);
    if (!holds.has_value()) Note(policy, invocation.binding, holds.error());
    return holds.value_or(false);
  }

  // The JSON of the object after the mutation; nothing: it stays as it is.
  std::expected<std::optional<std::string>, std::string> Apply(const Invocation& invocation,
                                                               const CompiledMutation& mutation) {
    cel::Arena arena(work_);
    const Variables values = ValuesFor(invocation, arena);
    auto made = EvaluateMutation(mutation, invocation.policy->variables, values, arena);
    if (!made.has_value()) return std::unexpected(std::move(made).error());
    const std::string json = object_->TextIn(*invocation.match.kind);
    work_.Charge(kWorkOfByte * json.size());
    if (mutation.is_json_patch) return ApplyJsonPatchTo(json, *made, arena);
    auto merged = ApplyConfigurationTo(*invocation.match.kind, json, *made, request_.release);
    if (!merged.has_value()) return std::unexpected(std::move(merged).error());
    return std::optional(*std::move(merged));
  }

  Result<bool> Carry(const Invocation& invocation, std::optional<std::string> json) {
    if (!json.has_value()) return false;
    return object_->Replace(*invocation.match.kind, *json);
  }

  // ---------------------------------------------------------------------------------- failures

  static std::string Denied(const CompiledMutatingPolicy& policy,
                            const MutatingBinding* binding,
                            std::string_view why) {
    const std::string& name = policy.policy.metadata.name;
    if (binding == nullptr) {
      return fmt::format("policy {} denied request: {}", api::GoQuote(name), why);
    }
    return fmt::format(
        "policy '{}' with binding '{}' denied request: {}", name, binding->metadata.name, why);
  }

  // True: other policies are still asked.
  bool Misconfigure(const CompiledMutatingPolicy& policy,
                    const MutatingBinding* binding,
                    std::string_view why) {
    if (policy.ignores_failures()) return true;
    const std::string_view what = binding == nullptr ? "policy" : "binding";
    failures_.push_back(
        {Denied(policy, binding, fmt::format("failed to configure {}: {}", what, why)),
         "Forbidden"});
    return true;
  }

  void Note(const CompiledMutatingPolicy& policy,
            const MutatingBinding* binding,
            std::string_view why) {
    if (policy.ignores_failures()) return;
    failures_.push_back({Denied(policy, binding, why), "Invalid"});
  }

  Error Refusal() const {
    std::string_view name = request_.name;
    if (name.empty()) {
      const api::Object* const object = request_.object;
      const bool has_metadata = object != nullptr && object->kind().metadata != nullptr;
      name = has_metadata ? errors::NameInAdmission(object->metadata()) : errors::kUnknownName;
    }
    Error error = errors::Forbidden(*request_.resource, name, "");
    error.message = failures_.front().message;
    for (const PolicyFailure& failure : failures_) {
      error.causes.push_back({.reason = "", .field = "", .message = failure.message});
    }
    // HTTP 403, whatever the reason is.
    api::meta_v1::Status status = api::StatusOf(error);
    status.reason = failures_.front().reason;
    error.details = api::AsDetails(std::move(status));
    return error;
  }

  const AdmissionRequest& request_;
  const Surroundings& surroundings_;
  const RequestValues values_;
  ChangedObject* const object_;
  const PolicyRound round_;
  std::vector<Invocation> invocations_;
  std::vector<PolicyFailure> failures_;
  ParameterBudget budget_;
  Work work_{kRequestWorkMax};
  bool is_carried_out_ = false;
};

}  // namespace

Result<bool> Mutate(std::span<const BoundMutatingPolicy> policies,
                    const AdmissionRequest& request,
                    const Surroundings& surroundings,
                    ChangedObject* object,
                    PolicyRound round) {
  return Mutating(request, surroundings, object, round).Run(policies);
}

}  // namespace dray::server::policies
