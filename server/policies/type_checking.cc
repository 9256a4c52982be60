// SPDX-License-Identifier: Apache-2.0
#include "server/policies/type_checking.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cel/check/scope.h"
#include "cel/check/type.h"
#include "custom/rules/scope_types.h"
#include "server/policies/expressions.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
using api::KindInfo;
using cel::check::Type;
using custom::rules::ScopeTypes;
using custom::rules::Shape;

// ------------------------------------------------------------------------------- kinds of the
// rules

bool HasWildcard(const api::List<std::string>& texts) {
  return std::ranges::any_of(texts, [](const std::string& one) { return one.contains('*'); });
}

bool IsServed(const KindInfo& kind, api::Release release) {
  return kind.served && kind.in.Has(release);
}

// Upstream takes the kinds of all groups where the group is empty.
bool Names(const v1::Rule& rule, const KindInfo& kind) {
  const auto has = [](const api::List<std::string>& texts, std::string_view wanted) {
    return std::ranges::find(texts, wanted) != texts.end();
  };
  return (has(rule.api_groups, kind.group) || has(rule.api_groups, "")) &&
         has(rule.api_versions, kind.version) && has(rule.resources, kind.plural);
}

std::vector<const KindInfo*> KindsOf(const v1::ValidatingAdmissionPolicySpec& spec,
                                     const api::Scheme& scheme,
                                     api::Release release) {
  std::vector<const KindInfo*> found;
  if (!spec.match_constraints.has_value()) return found;
  for (const v1::NamedRuleWithOperations& named : spec.match_constraints->resource_rules) {
    const v1::Rule& rule = named.rule_with_operations.rule;
    if (HasWildcard(rule.api_groups) || HasWildcard(rule.api_versions)) continue;
    size_t count = 0;
    for (const KindInfo* kind : scheme.kinds()) {
      if (!IsServed(*kind, release) || !Names(rule, *kind)) continue;
      if (std::ranges::find(found, kind) == found.end()) found.push_back(kind);
      if (++count == kTypesToCheckMax) break;
    }
    if (count == kTypesToCheckMax) break;
  }
  std::ranges::sort(found, {}, [](const KindInfo* kind) {
    return std::tuple(kind->group, kind->version, kind->kind);
  });
  return found;
}

// ------------------------------------------------------------------------------------------- types

// The types of one kind of objects and one of parameters.
class Types final : public cel::check::FieldTypes {
 public:
  Types(const Shape& object, const Shape* params) : object_(object) {
    if (params != nullptr) params_.emplace(*params);
  }

  TypedVariables Variables() {
    return {.object = TypeOf(object_),
            .params = params_.has_value() ? TypeOf(*params_) : nullptr,
            .fields = this};
  }

  const Type* Find(const Type& object, std::string_view field) override {
    return params_.has_value() && params_->Has(object) ? params_->Find(object, field)
                                                       : object_.Find(object, field);
  }
  bool Has(const Type& object) override {
    return object_.Has(object) || (params_.has_value() && params_->Has(object));
  }

 private:
  static const Type* TypeOf(ScopeTypes& types) {
    return types.ScopeOf(/*optional_old_self=*/false).variables.front().known_type;
  }

  ScopeTypes object_;
  std::optional<ScopeTypes> params_;
};

// A kind with its shape.
struct TypedKind {
  const KindInfo* kind;
  std::unique_ptr<const Shape> shape;
};

class Checker {
 public:
  Checker(const v1::ValidatingAdmissionPolicy& policy,
          const api::Scheme& scheme,
          const ShapeSource& shapes,
          api::Release release)
      : policy_(policy), release_(release) {
    for (const KindInfo* kind : KindsOf(policy.spec, scheme, release)) {
      auto shape = shapes(*kind);
      if (shape != nullptr) kinds_.push_back({.kind = kind, .shape = std::move(shape)});
    }
    if (!policy.spec.param_kind.has_value()) return;
    const auto& named = *policy.spec.param_kind;
    const KindInfo* const params = scheme.FindKind(named.api_version, named.kind);
    if (params != nullptr && IsServed(*params, release)) params_ = shapes(*params);
  }

  std::vector<v1::ExpressionWarning> Run() {
    std::vector<v1::ExpressionWarning> warnings;
    const auto check = [&](size_t rule, std::string_view member, const std::string& expression) {
      std::string found = WarningAbout(expression);
      if (found.empty()) return;
      v1::ExpressionWarning& warning = warnings.emplace_back();
      warning.field_ref = fmt::format("spec.validations[{}].{}", rule, member);
      warning.warning = std::move(found);
    };
    for (size_t i = 0; i < policy_.spec.validations.size(); ++i) {
      const v1::Validation& rule = policy_.spec.validations[i];
      check(i, "expression", rule.expression);
      if (!rule.message_expression.empty()) {
        check(i, "messageExpression", rule.message_expression);
      }
    }
    return warnings;
  }

 private:
  std::string WarningAbout(const std::string& expression) const {
    std::vector<std::string> found;
    for (const TypedKind& one : kinds_) {
      Types types(*one.shape, params_.get());
      const std::string problem = ProblemOf(expression, types.Variables());
      if (problem.empty()) continue;
      found.push_back(fmt::format(
          "{}/{}, Kind={}: {}\n", one.kind->group, one.kind->version, one.kind->kind, problem));
    }
    return fmt::format("{}", fmt::join(found, "\n"));
  }

  std::string ProblemOf(const std::string& expression, const TypedVariables& typed) const {
    Compiler compiler(release_, &typed);
    const Declared declared = {
        .params = policy_.spec.param_kind.has_value(), .authorizer = true, .variables = true};
    for (const v1::Variable& variable : policy_.spec.variables) {
      compiler.Name(
          variable.name,
          compiler.Compile(
              variable.expression, declared, ResultKind::kAnything, cel::ExpressionUse::kStored));
    }
    return compiler.TypeProblem(expression, declared);
  }

  const v1::ValidatingAdmissionPolicy& policy_;
  const api::Release release_;
  std::vector<TypedKind> kinds_;
  std::unique_ptr<const Shape> params_;
};

}  // namespace

std::vector<v1::ExpressionWarning> CheckTypes(const v1::ValidatingAdmissionPolicy& policy,
                                              const api::Scheme& scheme,
                                              const ShapeSource& shapes,
                                              api::Release release) {
  return Checker(policy, scheme, shapes, release).Run();
}

}  // namespace dray::server::policies
