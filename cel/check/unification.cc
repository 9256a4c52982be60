// SPDX-License-Identifier: Apache-2.0
#include "cel/check/unification.h"

#include <array>
#include <utility>

namespace dray::cel {
namespace {

bool IsWild(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kAny ||
         type.kind == TypeKind::kError;
}

// null stands for a missing object, but not for a missing scalar, list or map.
bool AcceptsNull(TypeKind kind) {
  return kind == TypeKind::kNull || kind == TypeKind::kObject || kind == TypeKind::kOpaque ||
         kind == TypeKind::kOptional || kind == TypeKind::kTimestamp || kind == TypeKind::kDuration;
}

bool SaysNoMore(const Type& a, const Type& b) {
  if (a.kind == TypeKind::kDyn || a.kind == TypeKind::kParameter) return true;
  if (b.kind == TypeKind::kDyn || b.kind == TypeKind::kParameter) return false;
  if (a.kind != b.kind || a.name != b.name || a.parameters.size() != b.parameters.size()) {
    return false;
  }
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!SaysNoMore(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

}  // namespace

const Type* MoreGeneral(const Type* a, const Type* b) {
  return SaysNoMore(*a, *b) ? a : b;
}

bool Substitution::Assignable(std::span<const Type* const> to, std::span<const Type* const> from) {
  if (to.size() != from.size()) return false;
  auto before = meanings_;
  for (size_t i = 0; i < to.size(); ++i) {
    if (!Unify(*from[i], *to[i])) {
      meanings_ = std::move(before);
      return false;
    }
  }
  return true;
}

bool Substitution::Assignable(const Type& to, const Type& from) {
  const std::array<const Type*, 1> wanted = {&to};
  const std::array<const Type*, 1> given = {&from};
  return Assignable(wanted, given);
}

bool Substitution::OccursIn(const Type& parameter, const Type& type) const {
  if (SameType(parameter, type)) return true;
  if (type.kind == TypeKind::kParameter) {
    const auto found = meanings_.find(type.name);
    return found != meanings_.end() && OccursIn(parameter, *found->second);
  }
  for (const Type* inner : type.parameters) {
    if (OccursIn(parameter, *inner)) return true;
  }
  return false;
}

bool Substitution::UnifyParameter(const Type& type, const Type& parameter) {
  if (SameType(type, parameter)) return true;
  const auto found = meanings_.find(parameter.name);
  if (found == meanings_.end()) {
    if (OccursIn(parameter, type)) return false;
    meanings_.emplace(parameter.name, &type);
    return true;
  }
  const Type* const known = found->second;
  if (SameType(type, *known)) return true;
  if (!Unify(type, *known)) return false;
  const Type* const general = MoreGeneral(&type, known);
  if (!OccursIn(parameter, *general)) meanings_.insert_or_assign(parameter.name, general);
  return true;
}

bool Substitution::Unify(const Type& a, const Type& b) {
  if (SameType(a, b)) return true;
  if (b.kind == TypeKind::kParameter) return UnifyParameter(a, b);
  if (a.kind == TypeKind::kParameter) return UnifyParameter(b, a);
  if (IsWild(a) || IsWild(b)) return true;
  if (a.kind == TypeKind::kNull) return AcceptsNull(b.kind);
  if (b.kind == TypeKind::kNull) return AcceptsNull(a.kind);
  if (a.kind != b.kind) return false;
  if (a.kind == TypeKind::kType) return true;
  if (a.name != b.name || a.parameters.size() != b.parameters.size()) return false;
  // Scalars of one kind were equal above.
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!Unify(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

const Type* Substitution::Apply(const Type* type, TypePool& pool, Unknown unknown) const {
  if (type->kind == TypeKind::kParameter) {
    const auto found = meanings_.find(type->name);
    if (found != meanings_.end()) return Apply(found->second, pool, unknown);
    return unknown == Unknown::kDyn ? pool.Make(TypeKind::kDyn) : type;
  }
  if (type->parameters.empty()) return type;
  std::vector<const Type*> parameters;
  parameters.reserve(type->parameters.size());
  for (const Type* inner : type->parameters) parameters.push_back(Apply(inner, pool, unknown));
  return pool.Make(type->kind, std::move(parameters));
}

}  // namespace dray::cel
