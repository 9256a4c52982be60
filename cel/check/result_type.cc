// SPDX-License-Identifier: Apache-2.0
#include "cel/check/result_type.h"

#include <fmt/format.h>

namespace dray::cel::check {
namespace {

// A selector may have the type of attribute values instead of bool: then the device decides whether
// there is an answer. That type is dyn or any, by release; the other of the two is refused.
bool IsSelectorResult(const Type& type, const Environment& environment) {
  if (type.kind == TypeKind::kBool) return true;
  return type.kind == (environment.has_list_attributes() ? TypeKind::kDyn : TypeKind::kAny);
}

bool IsScalarAttribute(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kString:
    case TypeKind::kAny:
    case TypeKind::kDyn: return true;
    case TypeKind::kObject: return type.name == "kubernetes.Semver";
    case TypeKind::kError:
    case TypeKind::kNull:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kBytes:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kType:
    case TypeKind::kOptional:
    case TypeKind::kWrapper:
    case TypeKind::kOpaque:
    case TypeKind::kParameter: break;
  }
  return false;
}

// What is stored keeps its lists when the gate is switched off.
bool MayBeList(const Environment& environment) {
  return environment.list_type_attributes || environment.use == ExpressionUse::kStored;
}

std::optional<std::string> DerivedAttributeProblem(const Type& type,
                                                   const Environment& environment) {
  if (IsScalarAttribute(type)) return std::nullopt;
  const bool may_be_list = MayBeList(environment);
  if (may_be_list && type.kind == TypeKind::kList && IsScalarAttribute(*type.parameters[0])) {
    return std::nullopt;
  }
  return fmt::format(
      "must evaluate to a primitive scalar (string, integer, boolean, semver){}, not {}",
      may_be_list ? " or a list of these scalars" : "",
      DeclaredName(type));
}

}  // namespace

std::optional<std::string> ResultProblem(const Type& type, const Environment& environment) {
  switch (environment.purpose) {
    case Purpose::kSelector:
      if (IsSelectorResult(type, environment)) return std::nullopt;
      return fmt::format("must evaluate to bool or the unknown type, not {}", DeclaredName(type));
    case Purpose::kDerivedAttribute: return DerivedAttributeProblem(type, environment);
    case Purpose::kNamedResources:
      if (type.kind == TypeKind::kBool) return std::nullopt;
      return "must evaluate to bool";
    case Purpose::kFree:
    case Purpose::kAdmission: break;
  }
  return std::nullopt;
}

}  // namespace dray::cel::check
