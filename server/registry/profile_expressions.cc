// SPDX-License-Identifier: Apache-2.0
#include "server/registry/profile_expressions.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "cel/language/environment.h"
#include "cel/library/regex.h"
#include "cel/selector.h"

namespace dray::server::registry {
namespace {

namespace validation = api::validation;

constexpr size_t kExpressionsKept = 1000;  // of each kind

cel::Environment EnvironmentOf(const api::Profile& profile,
                               cel::Purpose purpose,
                               cel::ExpressionUse use = cel::ExpressionUse::kNew) {
  return {.release = profile.release,
          .use = use,
          .purpose = purpose,
          .consumable_capacity = profile.Has(api::Gate::kConsumableCapacity),
          .list_type_attributes = profile.Has(api::Gate::kListTypeAttributes)};
}

// The instructions of the patterns of an expression. If the expression is refused for its patterns,
// their number is lost, and the largest possible one counts.
size_t PatternsOf(const Result<cel::Selector>& compiled) {
  if (compiled) return compiled->program().pattern_instructions();
  const std::string& why = compiled.error().message;
  const bool is_for_patterns =
      why.contains("invalid matches argument") || why.contains("error parsing regexp");
  return is_for_patterns ? cel::library::kExpressionPatternsMax : 0;
}

bool HasEstimates(api::Release release) {
  return release == api::Release::kAny || release >= api::Release::k1_32;
}

}  // namespace

ProfileExpressions::ProfileExpressions(const api::Profile& profile)
    : release_(profile.release),
      new_selectors_(EnvironmentOf(profile, cel::Purpose::kSelector), kExpressionsKept),
      stored_selectors_(
          EnvironmentOf(profile, cel::Purpose::kSelector, cel::ExpressionUse::kStored),
          kExpressionsKept),
      derived_attributes_(EnvironmentOf(profile, cel::Purpose::kDerivedAttribute),
                          kExpressionsKept),
      named_resources_(EnvironmentOf(profile, cel::Purpose::kNamedResources), kExpressionsKept) {}

std::expected<uint64_t, validation::ExpressionProblem> ProfileExpressions::Check(
    const validation::Expression& expression) const {
  using Kind = validation::ExpressionProblem::Kind;
  const auto cache = [&]() -> cel::SelectorCache& {
    switch (expression.role) {
      // Stored expressions exist only in releases that have no other expressions than selectors.
      case validation::ExpressionRole::kSelector: break;
      case validation::ExpressionRole::kDerivedAttribute: return derived_attributes_;
      case validation::ExpressionRole::kNamedResources: return named_resources_;
    }
    return expression.origin == validation::Origin::kNew ? new_selectors_ : stored_selectors_;
  };
  const Result<cel::Selector> compiled = cache().Compile(expression.text);
  if (expression.patterns != nullptr) *expression.patterns += PatternsOf(compiled);
  if (!compiled) {
    const bool is_invalid = compiled.error().reason == StatusReason::kInvalid;
    return std::unexpected(validation::ExpressionProblem{
        .kind = is_invalid ? Kind::kInvalid : Kind::kInternal, .detail = compiled.error().message});
  }
  if (!HasEstimates(release_)) return 0;
  const uint64_t cost = compiled->EstimatedCost().max;
  if (cost > cel::kSelectorCostMax) {
    return std::unexpected(
        validation::ExpressionProblem{.kind = Kind::kTooCostly, .detail = {}, .cost = cost});
  }
  return cost;
}

std::expected<uint64_t, validation::ExpressionProblem> ObjectExpressions::Check(
    const validation::Expression& expression) const {
  if (left_ == 0) {
    return std::unexpected(validation::ExpressionProblem{
        .kind = validation::ExpressionProblem::Kind::kInvalid,
        .detail = "the regular expressions of this object are too large together"});
  }
  validation::Expression counted = expression;
  size_t patterns = 0;
  counted.patterns = &patterns;
  auto cost = inner_.Check(counted);
  left_ -= std::min(left_, patterns);
  return cost;
}

}  // namespace dray::server::registry
