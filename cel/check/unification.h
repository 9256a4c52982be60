// SPDX-License-Identifier: Apache-2.0
// Whether types agree, and which types that gives the type parameters (cel-spec, "Gradual Type
// Checking").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cel/check/type.h"

namespace dray::cel::check {

/// The types that the type variables of one check stand for. No variable occurs in its own type.
class Substitution {
 public:
  /// Makes `count` new variables and returns the number of the first.
  uint32_t Fresh(uint32_t count);
  uint32_t size() const { return static_cast<uint32_t>(meanings_.size()); }

  /// Whether a value of type `from` may be used where `to` is wanted. Variables are bound only if
  /// all pairs agree.
  bool Assignable(std::span<const Type* const> to, std::span<const Type* const> from);
  /// Whether each may be used for the other. If both are variables, binds the second to the first.
  bool Agree(const Type& a, const Type& b);

  /// A declared type with its parameters turned into the variables from `first` on.
  static const Type* Instantiate(const Type* type, uint32_t first, TypePool& pool);

  /// `type` with bound variables replaced by their types; unbound ones become dyn if `unknown` says
  /// so.
  enum class Unknown { kKeep, kDyn };
  const Type* Apply(const Type* type, TypePool& pool, Unknown unknown) const;

 private:
  struct Change {
    uint32_t variable;
    const Type* before;
  };

  bool Unify(const Type& a, const Type& b);
  enum class Outcome { kAgrees, kDiffers, kUnknown };
  Outcome UnifyVariable(const Type& type, const Type& variable);
  bool OccursIn(const Type& variable, const Type& type) const;
  void Learn(uint32_t variable, const Type* meaning);

  std::vector<const Type*> meanings_;  // by variable; nullptr while unknown
  std::vector<Change> trail_;          // what the pairs in hand have changed
};

/// The more general one of two types that agree.
const Type* MoreGeneral(const Type* a, const Type* b);

}  // namespace dray::cel::check
