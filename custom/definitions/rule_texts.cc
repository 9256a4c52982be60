// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/rule_texts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/ascii.h"
#include "custom/definitions/field_path.h"
#include "custom/definitions/is_in.h"

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::JSONSchemaProps;
using api::apiextensions_v1::ValidationRule;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

constexpr std::array<std::string_view, 4> kReasons = {
    "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"};

constexpr std::string_view kNotBlank = "must be non-empty if specified";
constexpr std::string_view kOneLine = "must not contain line breaks";

bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

bool IsBlank(std::string_view text) {
  return !text.empty() && TrimSpace(text).empty();
}

void CheckMessage(const ValidationRule& rule, const Path& path, FieldErrors& errors) {
  const std::string_view expression = TrimSpace(rule.rule);
  const std::string_view message = TrimSpace(rule.message);
  const Path at = path.Child("message");
  if (expression.empty()) {
    errors.Required(path.Child("rule"), "rule is not specified");
  } else if (IsBlank(rule.message)) {
    errors.Invalid(at, Shown(rule.message), kNotBlank);
  } else if (HasLineBreak(message)) {
    errors.Invalid(at, Shown(rule.message), kOneLine);
  } else if (HasLineBreak(expression) && message.empty()) {
    errors.Required(at, "message must be specified if rule contains line breaks");
  }
  if (IsBlank(rule.message_expression)) {
    errors.Required(path.Child("messageExpression"),
                    "messageExpression must be non-empty if specified");
  }
}

void CheckReason(const ValidationRule& rule, const Path& path, FieldErrors& errors) {
  if (!rule.reason.has_value() || IsIn(kReasons, *rule.reason)) return;
  errors.NotSupported(path.Child("reason"), *rule.reason, kReasons);
}

void CheckFieldPath(const JSONSchemaProps& schema,
                    const ValidationRule& rule,
                    const Path& path,
                    FieldErrors& errors) {
  if (rule.field_path.empty()) return;
  const Path at = path.Child("fieldPath");
  if (IsBlank(rule.field_path)) errors.Invalid(at, Shown(rule.field_path), kNotBlank);
  if (HasLineBreak(rule.field_path)) errors.Invalid(at, Shown(rule.field_path), kOneLine);
  if (!FindField(rule.field_path, schema, Brackets::kAllowed).has_value()) {
    errors.Invalid(at, Shown(rule.field_path), "must be a valid path");
  }
}

}  // namespace

void CheckRuleTexts(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const Path rules = path.Child("x-kubernetes-validations");
  for (size_t i = 0; i < schema.x_kubernetes_validations.size(); ++i) {
    if (errors.is_full()) return;
    const ValidationRule& rule = schema.x_kubernetes_validations[i];
    const Path at = rules.Index(i);
    CheckMessage(rule, at, errors);
    CheckReason(rule, at, errors);
    CheckFieldPath(schema, rule, at, errors);
  }
}

}  // namespace dray::custom::definitions
