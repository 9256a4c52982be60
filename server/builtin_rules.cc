// SPDX-License-Identifier: Apache-2.0
#include "server/builtin_rules.h"

#include <memory>
#include <optional>
#include <utility>

#include "api/core_v1.h"
#include "api/defaults/defaults.h"
#include "api/validation/rules.h"
#include "cel/environment.h"
#include "cel/selector_cache.h"

namespace dray::server {
namespace {

namespace validation = api::validation;

constexpr size_t kSelectorsKept = 1000;

/// New expressions may use what the default gates of 1.37 offer.
class CelChecker final : public validation::SelectorChecker {
 public:
  std::optional<validation::SelectorProblem> Check(std::string_view expression) const override {
    const Result<cel::Selector> selector = cache_.Compile(expression);
    if (selector) return std::nullopt;
    const auto kind = selector.error().reason == StatusReason::kInternalError
                          ? validation::SelectorProblem::Kind::kInternal
                          : validation::SelectorProblem::Kind::kInvalid;
    return validation::SelectorProblem{.kind = kind, .detail = selector.error().message};
  }

 private:
  mutable cel::SelectorCache cache_{
      cel::Environment{.use = cel::ExpressionUse::kNew, .consumable_capacity = true},
      kSelectorsKept};
};

validation::Options OptionsFor(const RuleContext& context, const CelChecker& checker) {
  validation::Options options{.selectors = &checker};
  if (context.namespace_object != nullptr)
    options.space = context.namespace_object->If<api::core_v1::Namespace>();
  return options;
}

}  // namespace

RuleBook BuiltinRules() {
  const auto checker = std::make_shared<const CelChecker>();
  const KindRules rules{
      .set_defaults =
          [](api::Object& object, const RuleContext& context) {
            api::defaults::SetDefaults(object, api::Time::Of(context.now));
          },
      .validate_create =
          [checker](const api::Object& object, const RuleContext& context) {
            return validation::ValidateCreate(object, OptionsFor(context, *checker));
          },
      .validate_update =
          [checker](const api::Object& object, const api::Object& old, const RuleContext& context) {
            return validation::ValidateUpdate(object, old, OptionsFor(context, *checker));
          },
      .validate_status_update =
          [checker](const api::Object& object, const api::Object& old, const RuleContext& context) {
            return validation::ValidateStatusUpdate(object, old, OptionsFor(context, *checker));
          },
      .warnings = [](const api::Object& object,
                     const api::Object*) { return validation::Warnings(object); },
  };
  RuleBook book;
  for (const api::KindInfo* kind : api::BuiltinKinds()) book.Add(kind->group, kind->kind, rules);
  // Nodes are taken as ready when they are made: no node life-cycle controller would ever remove
  // the taint that upstream's admission gives them (docs/differences.md).
  KindRules pods = rules;
  pods.admit = [](api::Object& object) { api::defaults::Admit(object); };
  book.Add("", "Pod", std::move(pods));
  return book;
}

}  // namespace dray::server
