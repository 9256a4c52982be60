// SPDX-License-Identifier: Apache-2.0
#include "api/validation/device_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "api/names.h"

namespace dray::api::validation {
namespace {

constexpr std::array<std::string_view, 3> kTaintEffects = {"NoExecute", "NoSchedule", "None"};
constexpr std::array<std::string_view, 2> kTolerationOperators = {"Equal", "Exists"};
constexpr std::string_view kAnyOperation = "*";
constexpr std::string_view kPrepare = "NodePrepareResources";
constexpr std::string_view kUnprepare = "NodeUnprepareResources";
constexpr std::array<std::string_view, 3> kNodeOperations = {kAnyOperation, kPrepare, kUnprepare};

template <class Range>
bool Contains(const Range& range, std::string_view item) {
  return std::ranges::find(range, item) != std::ranges::end(range);
}

void CheckToleration(const resource_v1::DeviceToleration& toleration,
                     const Path& path,
                     Findings& out) {
  const Path value = path.Child("value");
  if (toleration.operator_ == "Exists") {
    if (!toleration.value.empty()) {
      out.written.Invalid(value, Shown(toleration.value), "must be empty for operator `Exists`");
    }
  } else if (toleration.operator_ == "Equal") {
    out.written.Names(value, toleration.value, CheckLabelValue(toleration.value));
  }
  if (!toleration.key.empty()) CheckKeyShaped(toleration.key, path.Child("key"), out.declared);
  if (toleration.operator_.empty()) {
    out.declared.Required(path.Child("operator"));
  } else if (!Contains(kTolerationOperators, toleration.operator_)) {
    out.declared.NotSupported(path.Child("operator"), toleration.operator_, kTolerationOperators);
  }
  if (!toleration.effect.empty() && !Contains(kTaintEffects, toleration.effect)) {
    out.declared.NotSupported(path.Child("effect"), toleration.effect, kTaintEffects);
  }
}

// Label keys, each once.
void CheckConditionNames(const std::vector<std::string>& names, const Path& path, Findings& out) {
  const bool is_within = IsWithin(names.size(), kBindingConditionsMax, path, out.declared);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const Path at = path.Index(i);
    if (is_within) CheckKeyShaped(names[i], at, out.written);
    if (!seen.insert(names[i]).second) out.written.Duplicate(at, Shown(names[i]));
  }
}

}  // namespace

void CheckExpression(std::string_view expression,
                     const SelectorChecker* checker,
                     const Path& path,
                     FieldErrors& errors) {
  if (expression.size() > kExpressionBytesMax) {
    errors.TooLong(path, kExpressionBytesMax);
    return;
  }
  if (checker == nullptr) return;
  const std::optional<SelectorProblem> problem = checker->Check(expression);
  if (!problem.has_value()) return;
  switch (problem->kind) {
    case SelectorProblem::Kind::kInvalid:
      errors.Invalid(path, Shown(expression), problem->detail);
      break;
    case SelectorProblem::Kind::kTooCostly:
      errors.Forbidden(path, "too complex, exceeds cost limit");
      break;
    case SelectorProblem::Kind::kInternal: errors.Internal(path, problem->detail); break;
  }
}

void CheckSelectors(const std::vector<resource_v1::DeviceSelector>& selectors,
                    const SelectorChecker* checker,
                    const Path& path,
                    Findings& out) {
  if (!IsWithin(selectors.size(), kSelectorsMax, path, out.declared)) return;
  for (size_t i = 0; i < selectors.size(); ++i) {
    const Path at = path.Index(i);
    const Path cel = at.Child("cel");
    const std::optional<resource_v1::CELDeviceSelector>& source = selectors[i].cel;
    if (!source.has_value()) {
      out.written.Required(cel);
      continue;
    }
    CheckExpression(source->expression, checker, cel.Child("expression"), out.written);
  }
}

void CheckConfiguration(const resource_v1::DeviceConfiguration& configuration,
                        Origin origin,
                        const Path& path,
                        Findings& out) {
  const Path opaque = path.Child("opaque");
  if (!configuration.opaque.has_value()) {
    out.written.Required(opaque);
    return;
  }
  CheckDeclaredDriver(configuration.opaque->driver, opaque.Child("driver"), out.declared);
  CheckRawObject(configuration.opaque->parameters,
                 kParametersBytesMax,
                 origin,
                 opaque.Child("parameters"),
                 out.written);
}

void CheckTolerations(const std::vector<resource_v1::DeviceToleration>& tolerations,
                      const Path& path,
                      Findings& out) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    CheckToleration(tolerations[i], path.Index(i), out);
  }
}

void CheckTaint(const resource_v1::DeviceTaint& taint, const Path& path, Findings& out) {
  CheckKeyShaped(taint.key, path.Child("key"), out.written);
  if (!taint.value.empty()) {
    out.written.Names(path.Child("value"), taint.value, CheckLabelValue(taint.value));
  }
  if (taint.effect.empty()) {
    out.declared.Required(path.Child("effect"));
  } else if (!Contains(kTaintEffects, taint.effect)) {
    out.declared.NotSupported(path.Child("effect"), taint.effect, kTaintEffects);
  }
}

void CheckBindingConditions(const List<std::string>& conditions,
                            const List<std::string>& failure_conditions,
                            const Path& path,
                            Findings& out) {
  const Path conditions_path = path.Child("bindingConditions");
  const Path failure_path = path.Child("bindingFailureConditions");
  CheckConditionNames(conditions, conditions_path, out);
  CheckConditionNames(failure_conditions, failure_path, out);
  const std::set<std::string_view> good(conditions.begin(), conditions.end());
  for (size_t i = 0; i < failure_conditions.size(); ++i) {
    if (good.contains(failure_conditions[i])) {
      out.written.Invalid(failure_path.Index(i),
                          Shown(failure_conditions[i]),
                          "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
  if (conditions.empty() && !failure_conditions.empty()) {
    out.written.Invalid(
        conditions_path, "null", "bindingConditions are required to use bindingFailureConditions");
  }
  if (!conditions.empty() && failure_conditions.empty()) {
    out.written.Invalid(
        failure_path, "null", "bindingFailureConditions are required to use bindingConditions");
  }
}

void CheckSkippedOperations(const List<std::string>& operations,
                            const Path& path,
                            Findings& out) {
  if (Contains(operations, kPrepare) && !Contains(operations, kUnprepare) &&
      !Contains(operations, kAnyOperation)) {
    out.written.Invalid(
        path,
        ShownStruct(operations),
        "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped");
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    if (!Contains(kNodeOperations, operations[i])) {
      out.declared.NotSupported(path.Index(i), operations[i], kNodeOperations);
    }
  }
  CheckDistinctStrings(operations, path, out.declared);
}

}  // namespace dray::api::validation
