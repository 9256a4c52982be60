// SPDX-License-Identifier: Apache-2.0
// Whether types agree, and what that says about type parameters (cel-spec, "Gradual Type
// Checking").
#pragma once

#include <map>
#include <span>
#include <string>

#include "cel/check/type.h"

namespace dray::cel {

/// What type parameters stand for, by name. A parameter never occurs in its own meaning.
class Substitution {
 public:
  /// Whether a value of type `from` may stand where `to` is wanted. Keeps what was learnt only if
  /// all pairs agree.
  bool Assignable(std::span<const Type* const> to, std::span<const Type* const> from);
  bool Assignable(const Type& to, const Type& from);

  /// `type` with known parameters replaced; unknown ones become dyn if `close` is set.
  enum class Unknown { kKeep, kDyn };
  const Type* Apply(const Type* type, TypePool& pool, Unknown unknown) const;

 private:
  bool Unify(const Type& a, const Type& b);
  bool UnifyParameter(const Type& type, const Type& parameter);
  bool OccursIn(const Type& parameter, const Type& type) const;

  std::map<std::string, const Type*> meanings_;
};

/// The one of two agreeing types that says less.
const Type* MoreGeneral(const Type* a, const Type* b);

}  // namespace dray::cel
