// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/device_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

#include "api/text/names.h"
#include "api/validation/collections.h"

namespace dray::api::validation::inline devices {
namespace {

constexpr std::array<std::string_view, 3> kDeviceTaintEffects = {"NoExecute", "NoSchedule", "None"};
constexpr int kNoneSince = 35;  // the effect that only informs
constexpr std::array<std::string_view, 2> kDeviceTolerationOperators = {"Equal", "Exists"};
constexpr std::string_view kAnyOperation = "*";
constexpr std::string_view kPrepare = "NodePrepareResources";
constexpr std::string_view kUnprepare = "NodeUnprepareResources";
constexpr std::array<std::string_view, 3> kNodeOperations = {kAnyOperation, kPrepare, kUnprepare};

template <class Range>
bool Contains(const Range& range, std::string_view item) {
  return std::ranges::find(range, item) != std::ranges::end(range);
}

std::span<const std::string_view> TaintEffects(const Findings& out) {
  return std::span(kDeviceTaintEffects).first(out.Since(kNoneSince) ? 3 : 2);
}

void CheckEffect(std::string_view effect, const Path& path, Findings& out) {
  const auto effects = TaintEffects(out);
  if (!Contains(effects, effect)) out.covered().NotSupported(path, effect, effects);
}

void CheckToleration(const resource_v1::DeviceToleration& toleration,
                     const Path& path,
                     Findings& out) {
  if (!toleration.key.empty()) CheckKeyShaped(toleration.key, path.Child("key"), out.covered());
  const Path value = path.Child("value");
  if (toleration.operator_ == "Exists") {
    if (!toleration.value.empty()) {
      out.written.Invalid(value, Shown(toleration.value), "must be empty for operator `Exists`");
    }
  } else if (toleration.operator_ == "Equal") {
    CheckLabelValueShaped(toleration.value, value, out.written);
  } else if (toleration.operator_.empty()) {
    out.covered().Required(path.Child("operator"));
  } else {
    out.covered().NotSupported(
        path.Child("operator"), toleration.operator_, kDeviceTolerationOperators);
  }
  if (!toleration.effect.empty()) CheckEffect(toleration.effect, path.Child("effect"), out);
}

// An empty list as errors show it: [] was given, null was not.
std::string_view ShownEmpty(const List<std::string>& list) {
  return list.present() ? "[]" : "null";
}

}  // namespace

uint64_t CheckExpression(const Expression& expression,
                         const ExpressionChecker* checker,
                         const Path& path,
                         FieldErrors& errors) {
  // A stored expression has compiled before; up to 1.36 it had to compile again.
  if (expression.origin == Origin::kStored && errors.Since(37)) return 0;
  if (expression.text.size() > kExpressionBytesMax) {
    // 1.31 had no limit; expressions that are too long for the compiler are accepted unchecked.
    if (errors.Since(32)) errors.TooLong(path, kExpressionBytesMax);
    return 0;
  }
  if (checker == nullptr || errors.is_full()) return 0;
  const auto cost = checker->Check(expression);
  if (cost.has_value()) return *cost;
  switch (cost.error().kind) {
    case ExpressionProblem::Kind::kInvalid:
      errors.Invalid(path, Shown(expression.text), cost.error().detail);
      break;
    case ExpressionProblem::Kind::kTooCostly:
      errors.Forbidden(path, "too complex, exceeds cost limit");
      break;
    case ExpressionProblem::Kind::kInternal: errors.Internal(path, cost.error().detail); break;
  }
  return cost.error().cost;
}

void CheckSelectors(const std::vector<resource_v1::DeviceSelector>& selectors,
                    Origin origin,
                    const ExpressionChecker* checker,
                    const Path& path,
                    Findings& out) {
  CheckItems(selectors,
             kSelectorsMax,
             Pass::kCovered,
             path,
             out,
             [&](const resource_v1::DeviceSelector& selector, const Path& at) {
               const Path cel = at.Child("cel");
               if (!selector.cel.has_value()) {
                 out.written.Required(cel);
                 return;
               }
               CheckExpression({.text = selector.cel->expression, .origin = origin},
                               checker,
                               cel.Child("expression"),
                               out.written);
             });
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
  CheckCoveredDriver(configuration.opaque->driver, opaque.Child("driver"), out);
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

void CheckTaint(const resource_v1::DeviceTaint& taint,
                const resource_v1::DeviceTaint* old,
                const Path& path,
                Findings& out) {
  CheckKeyShaped(taint.key, path.Child("key"), out.written);
  if (!taint.value.empty()) CheckLabelValueShaped(taint.value, path.Child("value"), out.written);
  if (out.Since(34) && old != nullptr && old->effect == taint.effect) return;
  const Path effect = path.Child("effect");
  if (taint.effect.empty()) {
    out.covered().Required(effect);
  } else {
    CheckEffect(taint.effect, effect, out);
  }
}

void CheckBindingConditions(const List<std::string>& conditions,
                            const List<std::string>& failure_conditions,
                            const Path& path,
                            Findings& out) {
  const Path conditions_path = path.Child("bindingConditions");
  const Path failure_path = path.Child("bindingFailureConditions");
  const auto check_keys = [&](const List<std::string>& names, const Path& list) {
    const auto check = [&](const std::string& name, const Path& at) {
      CheckKeyShaped(name, at, out.written);
    };
    CheckItems(names, kBindingConditionsMax, Pass::kCovered, list, out, check);
  };
  check_keys(conditions, conditions_path);
  check_keys(failure_conditions, failure_path);
  CheckDistinctStrings(conditions, Pass::kWritten, conditions_path, out);
  const std::set<std::string_view> good(conditions.begin(), conditions.end());
  std::set<std::string_view> seen;
  for (size_t i = 0; i < failure_conditions.size(); ++i) {
    if (!seen.insert(failure_conditions[i]).second) {
      out.written.Duplicate(failure_path.Index(i), Shown(failure_conditions[i]));
    }
    if (good.contains(failure_conditions[i])) {
      out.written.Invalid(failure_path.Index(i),
                          Shown(failure_conditions[i]),
                          "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
  if (conditions.empty() && !failure_conditions.empty()) {
    out.written.Invalid(conditions_path,
                        ShownEmpty(conditions),
                        "bindingConditions are required to use bindingFailureConditions");
  }
  if (!conditions.empty() && failure_conditions.empty()) {
    out.written.Invalid(failure_path,
                        ShownEmpty(failure_conditions),
                        "bindingFailureConditions are required to use bindingConditions");
  }
}

void CheckSkippedOperations(const List<std::string>& operations, const Path& path, Findings& out) {
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
  CheckDistinctStrings(operations, Pass::kCovered, path, out);
}

}  // namespace dray::api::validation::inline devices
