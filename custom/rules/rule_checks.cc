// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/rule_checks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/validation/go_value.h"
#include "base/text/ascii.h"
#include "cel/cost/range.h"
#include "custom/rules/field_path.h"
#include "custom/rules/scope_types.h"
#include "custom/rules/shape.h"

namespace dray::custom::rules {

using api::apiextensions_v1::JSONSchemaProps;
using api::apiextensions_v1::ValidationRule;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;
using cel::cost::SaturatingProduct;
using cel::cost::SaturatingSum;

namespace {

constexpr std::string_view kValidations = "x-kubernetes-validations";
constexpr std::array<std::string_view, 4> kReasons = {
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"};

bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

void CheckTexts(const ValidationRule& rule, const Path& path, FieldErrors& errors) {
  const std::string_view text = TrimSpace(rule.rule);
  const std::string_view message = TrimSpace(rule.message);
  if (text.empty()) {
    errors.Required(path.Child("rule"), "rule is not specified");
  } else if (!rule.message.empty() && message.empty()) {
    errors.Invalid(path.Child("message"), Shown(rule.message), "must be non-empty if specified");
  } else if (HasLineBreak(message)) {
    errors.Invalid(path.Child("message"), Shown(rule.message), "must not contain line breaks");
  } else if (HasLineBreak(text) && message.empty()) {
    errors.Required(path.Child("message"),
                    "message must be specified if rule contains line breaks");
  }
  if (!rule.message_expression.empty() && TrimSpace(rule.message_expression).empty()) {
    errors.Required(path.Child("messageExpression"),
                    "messageExpression must be non-empty if specified");
  }
}

void CheckPlace(const ValidationRule& rule,
                const JSONSchemaProps& schema,
                const Path& path,
                FieldErrors& errors) {
  if (rule.reason.has_value() && std::ranges::find(kReasons, *rule.reason) == kReasons.end()) {
    errors.NotSupported(path.Child("reason"), *rule.reason, kReasons);
  }
  if (rule.field_path.empty()) return;
  const Path field = path.Child("fieldPath");
  const std::string shown = Shown(rule.field_path);
  if (TrimSpace(rule.field_path).empty()) {
    errors.Invalid(field, shown, "must be non-empty if specified");
  }
  if (HasLineBreak(rule.field_path)) errors.Invalid(field, shown, "must not contain line breaks");
  if (!ResolveFieldPath(rule.field_path, schema).has_value()) {
    errors.Invalid(field, shown, "must be a valid path");
  }
}

// How often a value of a schema may occur in one object; nothing if the schemas around it have no
// bound.
using Occurrences = std::optional<uint64_t>;

// By how much a schema multiplies what lies below it.
Occurrences Multiplier(const JSONSchemaProps& schema) {
  const auto bound = [](const std::optional<int64_t>& max) -> Occurrences {
    if (!max.has_value()) return std::nullopt;
    return static_cast<uint64_t>(std::max<int64_t>(*max, 0));
  };
  if (schema.type == "array") return bound(schema.max_items);
  if (schema.type == "object" && schema.additional_properties.has_value()) {
    return bound(schema.max_properties);
  }
  return 1;
}

std::string ExceedsBudget(std::string_view what, uint64_t cost, uint64_t max) {
  const double factor = static_cast<double>(cost) / static_cast<double>(max);
  std::string shown = "more than 100x";
  if (factor < 1.5) {
    shown = fmt::format("{:.6f}x", factor);
  } else if (factor <= 100) {
    shown = fmt::format("{:.1f}x", factor);
  }
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
      "maxProperties, and maxLength where arrays, maps, and strings are declared)",
      what,
      shown);
}

// The costs of a whole schema, and which of its expressions cost the most.
class TotalCost {
 public:
  void Add(const Path& path, uint64_t cost) {
    constexpr uint64_t kShareToName = kSchemaCostMax / 100;
    constexpr size_t kNamedMax = 4;
    total_ = SaturatingSum(total_, cost);
    if (cost < kShareToName) return;
    const auto behind = std::ranges::upper_bound(most_, cost, std::ranges::greater(), &Share::cost);
    most_.insert(behind, {path.ToString(), cost});
    if (most_.size() > kNamedMax) most_.pop_back();
  }

  void Check(const Path& path, FieldErrors& errors) const {
    if (total_ <= kSchemaCostMax) return;
    for (const Share& share : most_) {
      errors.Forbidden(Path(share.path),
                       "contributed to estimated rule cost total exceeding cost limit for entire "
                       "OpenAPIv3 schema");
    }
    errors.Forbidden(
        path,
        ExceedsBudget("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                      "schema",
                      total_,
                      kSchemaCostMax));
  }

 private:
  struct Share {
    std::string path;
    uint64_t cost;
  };
  uint64_t total_ = 0;
  std::vector<Share> most_;
};

// Paths of errors, to ask whether a schema or one below it has any.
class ErrorPaths {
 public:
  explicit ErrorPaths(std::span<const ErrorCause> errors) {
    for (const ErrorCause& error : errors) paths_.push_back(error.field);
    std::ranges::sort(paths_);
  }

  bool HasAtOrBelow(const Path& path) const {
    if (paths_.empty()) return false;
    const std::string prefix = path.ToString();
    for (const char next : {'\0', '.', '['}) {
      const std::string wanted = next == '\0' ? prefix : prefix + next;
      const auto found = std::ranges::lower_bound(paths_, wanted);
      if (found == paths_.end()) continue;
      if (next == '\0' ? *found == wanted : found->starts_with(wanted)) return true;
    }
    return false;
  }

 private:
  std::vector<std::string> paths_;
};

// A schema on the way down.
struct Place {
  const JSONSchemaProps& schema;
  const Path& path;
  Occurrences occurrences;
  // What expressions see of it, if it or one above has rules; the root's parent has none.
  const Shape* shape = nullptr;
  bool is_in_scope = false;
  bool has_no_types = false;  // one above has rules, and no types for them
  ShapePlace place = ShapePlace::kInside;
  const Path* uncorrelatable = nullptr;  // the outermost list without keys around it
};

class Checker {
 public:
  Checker(const RuleCheckOptions& options, FieldErrors& errors)
      : options_(options), schema_errors_(options.schema_errors), errors_(errors) {}

  void Check(const Place& place) {
    std::unique_ptr<const Shape> own;
    Place here = place;
    here.is_in_scope |= !here.schema.x_kubernetes_validations.empty();
    if (here.is_in_scope && here.shape == nullptr && !here.has_no_types) {
      own = MakeShape(here.schema, here.place);
      here.shape = own.get();
    }
    here.has_no_types |= here.is_in_scope && (here.shape == nullptr || !here.shape->is_exposed);
    CheckBelow(here);
    if (!here.schema.x_kubernetes_validations.empty()) CheckOwn(here);
  }

  void CheckTotal(const Path& path) { total_.Check(path, errors_); }

 private:
  void CheckBelow(const Place& place) {
    if (const JSONSchemaProps* const values = ValuesOf(place.schema); values != nullptr) {
      const Path path = place.path.Child("additionalProperties");
      Check(Below(place, *values, path, ElementOf(place)));
    }
    const Path properties = place.path.Child("properties");
    for (const auto& [name, property] : place.schema.properties) {
      const Path path = properties.Key(name);
      Check(Below(place, property, path, FieldOf(place, name)));
    }
    if (const JSONSchemaProps* const items = ItemsOf(place.schema); items != nullptr) {
      const Path path = place.path.Child("items");
      Place below = Below(place, *items, path, ElementOf(place));
      const bool has_keys = place.schema.x_kubernetes_list_type == "map";
      if (!has_keys && below.uncorrelatable == nullptr) below.uncorrelatable = &place.path;
      Check(below);
    }
  }

  static const Shape* ElementOf(const Place& place) {
    return place.shape == nullptr ? nullptr : place.shape->element.get();
  }
  // Upstream makes the types of a member anew where expressions do not see it.
  static const Shape* FieldOf(const Place& place, std::string_view name) {
    if (place.shape == nullptr) return nullptr;
    const ShapeField* const field = place.shape->FindField(name);
    return field == nullptr ? nullptr : field->shape.get();
  }

  static Place Below(const Place& place,
                     const JSONSchemaProps& schema,
                     const Path& path,
                     const Shape* shape) {
    const Occurrences factor = Multiplier(place.schema);
    Occurrences occurrences;
    if (place.occurrences.has_value() && factor.has_value()) {
      occurrences = SaturatingProduct(*place.occurrences, *factor);
    }
    return {.schema = schema,
            .path = path,
            .occurrences = occurrences,
            .shape = shape,
            .is_in_scope = place.is_in_scope,
            .has_no_types = place.has_no_types,
            .place = PlaceOf(schema),
            .uncorrelatable = place.uncorrelatable};
  }

  void CheckOwn(const Place& place) {
    if (schema_errors_.HasAtOrBelow(place.path)) return;
    const Path rules = place.path.Child(kValidations);
    if (place.has_no_types) {
      errors_.Internal(rules,
                       "internal error: failed to construct type information for "
                       "x-kubernetes-validations rules: unable to convert structural schema to CEL "
                       "declarations");
      return;
    }
    ScopeTypes types(*place.shape);
    size_t index = 0;
    for (const ValidationRule& rule : place.schema.x_kubernetes_validations) {
      const Path path = rules.Index(index++);
      CheckRule(rule, place, path, types);
    }
  }

  void CheckRule(const ValidationRule& rule,
                 const Place& place,
                 const Path& path,
                 ScopeTypes& types) {
    const CompiledRule compiled = CompileRule(rule, options_.language, UsesOf(rule), types);
    const Path of_rule = path.Child("rule");
    const uint64_t each =
        compiled.program == nullptr ? 0 : EstimatedCostMax(*compiled.program, types);
    const uint64_t times = place.occurrences.value_or(OccurrencesMax(*place.shape));
    CheckCost(of_rule, "estimated rule cost", SaturatingProduct(each, times));
    if (!compiled.problem.empty()) errors_.Invalid(of_rule, ShownRule(rule), compiled.problem);
    CheckMessage(rule, compiled, path.Child("messageExpression"), types);
    if (!compiled.uses_old_self) {
      if (!rule.optional_old_self.has_value()) return;
      errors_.Invalid(path.Child("optionalOldSelf"),
                      *rule.optional_old_self ? "true" : "false",
                      "may not be set if oldSelf is not used in rule");
    } else if (place.uncorrelatable != nullptr) {
      errors_.Invalid(
          of_rule,
          Shown(rule.rule),
          fmt::format(
              "oldSelf cannot be used on the uncorrelatable portion of the schema within {}",
              place.uncorrelatable->ToString()));
    }
  }

  void CheckMessage(const ValidationRule& rule,
                    const CompiledRule& compiled,
                    const Path& path,
                    const ScopeTypes& types) {
    if (!compiled.message_problem.empty()) {
      errors_.Invalid(path, ShownRule(rule), compiled.message_problem);
    }
    if (compiled.message == nullptr) return;
    CheckCost(path, "estimated messageExpression cost", EstimatedCostMax(*compiled.message, types));
  }

  void CheckCost(const Path& path, std::string_view what, uint64_t cost) {
    if (!options_.is_unchanged && cost > kEstimatedCostMax) {
      errors_.Forbidden(path, ExceedsBudget(what, cost, kEstimatedCostMax));
    }
    total_.Add(path, cost);
  }

  RuleUses UsesOf(const ValidationRule& rule) const {
    const auto use = [](bool is_stored) {
      return is_stored ? cel::ExpressionUse::kStored : cel::ExpressionUse::kNew;
    };
    const StoredExpressions* const stored = options_.stored;
    return {
        .rule = use(stored != nullptr && stored->rules.contains(rule.rule)),
        .message = use(stored != nullptr && stored->messages.contains(rule.message_expression))};
  }

  // As Go prints the whole rule.
  std::string ShownRule(const ValidationRule& rule) const {
    return api::validation::ShownAsGo(rule, options_.language.release);
  }

  const RuleCheckOptions& options_;
  const ErrorPaths schema_errors_;
  FieldErrors& errors_;
  TotalCost total_;
};

}  // namespace

void CheckRuleTexts(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const Path rules = path.Child(kValidations);
  size_t index = 0;
  for (const ValidationRule& rule : schema.x_kubernetes_validations) {
    const Path own = rules.Index(index++);
    CheckTexts(rule, own, errors);
    CheckPlace(rule, schema, own, errors);
  }
}

void StoredExpressions::Add(const JSONSchemaProps& schema) {
  for (const ValidationRule& rule : schema.x_kubernetes_validations) {
    rules.insert(rule.rule);
    if (!rule.message_expression.empty()) messages.insert(rule.message_expression);
  }
  for (const auto& [name, property] : schema.properties) Add(property);
  if (const JSONSchemaProps* const items = ItemsOf(schema); items != nullptr) Add(*items);
  if (const JSONSchemaProps* const values = ValuesOf(schema); values != nullptr) Add(*values);
}

void CheckRules(const JSONSchemaProps& root,
                const Path& path,
                const RuleCheckOptions& options,
                FieldErrors& errors) {
  Checker checker(options, errors);
  checker.Check(
      {.schema = root, .path = path, .occurrences = 1, .place = ShapePlace::kResourceRoot});
  checker.CheckTotal(path);
}

}  // namespace dray::custom::rules
