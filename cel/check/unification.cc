// SPDX-License-Identifier: Apache-2.0
#include "cel/check/unification.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace dray::cel::check {
namespace {

bool IsWild(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kAny ||
         type.kind == TypeKind::kError;
}

// null may be used for an object, but not for a scalar, list or map.
bool AcceptsNull(TypeKind kind) {
  return kind == TypeKind::kNull || kind == TypeKind::kObject || kind == TypeKind::kOpaque ||
         kind == TypeKind::kOptional || kind == TypeKind::kTimestamp ||
         kind == TypeKind::kDuration || kind == TypeKind::kWrapper;
}

bool IsOpen(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kAny ||
         type.kind == TypeKind::kParameter;
}

bool SaysNoMore(const Type& a, const Type& b) {
  if (IsOpen(a)) return true;
  if (IsOpen(b)) return false;
  if (a.kind == TypeKind::kType && b.kind == TypeKind::kType) return true;
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

uint32_t Substitution::Fresh(uint32_t count) {
  const auto first = static_cast<uint32_t>(meanings_.size());
  meanings_.resize(meanings_.size() + count);
  return first;
}

void Substitution::Learn(uint32_t variable, const Type* meaning) {
  trail_.push_back({variable, meanings_[variable]});
  meanings_[variable] = meaning;
}

bool Substitution::Assignable(std::span<const Type* const> to, std::span<const Type* const> from) {
  if (to.size() != from.size()) return false;
  trail_.clear();
  for (size_t i = 0; i < to.size(); ++i) {
    if (Unify(*from[i], *to[i])) continue;
    for (const Change& change : std::views::reverse(trail_)) {
      meanings_[change.variable] = change.before;
    }
    return false;
  }
  return true;
}

bool Substitution::Agree(const Type& a, const Type& b) {
  const std::array<const Type*, 1> wanted = {&b};
  const std::array<const Type*, 1> given = {&a};
  return Assignable(wanted, given);
}

bool Substitution::OccursIn(const Type& variable, const Type& type) const {
  if (!type.is_generic) return false;
  if (type.kind == TypeKind::kParameter) {
    if (type.variable == variable.variable) return true;
    const Type* const meaning = meanings_[type.variable];
    return meaning != nullptr && OccursIn(variable, *meaning);
  }
  return std::ranges::any_of(type.parameters,
                             [&](const Type* inner) { return OccursIn(variable, *inner); });
}

// kUnknown: the variable was not bound, and cannot be bound to `type` because that contains it.
Substitution::Outcome Substitution::UnifyVariable(const Type& type, const Type& variable) {
  if (SameType(type, variable)) return Outcome::kAgrees;
  const Type* const known = meanings_[variable.variable];
  if (known == nullptr) {
    if (OccursIn(variable, type)) return Outcome::kUnknown;
    Learn(variable.variable, &type);
    return Outcome::kAgrees;
  }
  if (&type != NoType() && SameType(type, *known)) return Outcome::kAgrees;
  if (!Unify(type, *known)) return Outcome::kDiffers;
  const Type* const general = MoreGeneral(&type, known);
  if (!OccursIn(variable, *general)) Learn(variable.variable, general);
  return Outcome::kAgrees;
}

bool Substitution::Unify(const Type& a, const Type& b) {
  if (&a == &b) return &a != NoType();
  if (b.kind == TypeKind::kParameter) {
    const Outcome outcome = UnifyVariable(a, b);
    if (outcome != Outcome::kUnknown) return outcome == Outcome::kAgrees;
  }
  if (a.kind == TypeKind::kParameter) return UnifyVariable(b, a) == Outcome::kAgrees;
  if (&a == NoType() || &b == NoType()) return false;
  if (IsWild(a) || IsWild(b)) return true;
  if (a.kind == TypeKind::kNull) return AcceptsNull(b.kind);
  if (b.kind == TypeKind::kNull) return AcceptsNull(a.kind);
  if (a.kind == TypeKind::kWrapper) return Unify(*a.parameters[0], b);
  if (b.kind == TypeKind::kWrapper) return Unify(a, *b.parameters[0]);
  if (a.kind != b.kind) return false;
  if (a.kind == TypeKind::kType) return true;
  if (a.name != b.name || a.parameters.size() != b.parameters.size()) return false;
  // Scalars of one kind have no parts.
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!Unify(*a.parameters[i], *b.parameters[i])) return false;
  }
  return true;
}

namespace {

// `type` with each part that is generic replaced by what `change` makes of it.
template <class Change>
const Type* WithParts(const Type* type, TypePool& pool, Change change) {
  std::array<const Type*, 4> few = {};
  std::vector<const Type*> many;
  const size_t count = type->parameters.size();
  if (count > few.size()) many.resize(count);
  const std::span<const Type*> parts =
      count > few.size() ? std::span(many) : std::span(few).first(count);
  for (size_t i = 0; i < count; ++i) parts[i] = change(type->parameters[i]);
  return pool.Make(*type, parts);
}

}  // namespace

const Type* Substitution::Instantiate(const Type* type, uint32_t first, TypePool& pool) {
  if (!type->is_generic) return type;
  if (type->kind == TypeKind::kParameter) return pool.MakeVariable(first + type->variable);
  return WithParts(type, pool, [&](const Type* part) { return Instantiate(part, first, pool); });
}

const Type* Substitution::Apply(const Type* type, TypePool& pool, Unknown unknown) const {
  if (!type->is_generic) return type;
  if (type->kind == TypeKind::kParameter) {
    const Type* const meaning = meanings_[type->variable];
    if (meaning != nullptr) return Apply(meaning, pool, unknown);
    return unknown == Unknown::kDyn ? SimpleType(TypeKind::kDyn) : type;
  }
  return WithParts(type, pool, [&](const Type* part) { return Apply(part, pool, unknown); });
}

}  // namespace dray::cel::check
