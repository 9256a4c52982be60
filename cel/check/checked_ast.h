// SPDX-License-Identifier: Apache-2.0
// The syntax tree with what the checker found out about its nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cel/check/declarations.h"
#include "cel/check/scope.h"
#include "cel/check/type.h"
#include "cel/syntax/ast.h"

namespace dray::cel::check {

/// kNullValue: google.protobuf.NullValue.NULL_VALUE, which is 0. kUnbound: nothing declares it,
/// which is an error when it is evaluated (unchecked expressions only).
enum class NameKind : uint8_t { kNone, kVariable, kLocal, kTypeName, kNullValue, kUnbound };

/// What the checker found out about one node.
struct NodeFacts {
  /// For the names of fields in a kMessage: the type of the field.
  const Type* type = nullptr;
  NameKind name_kind = NameKind::kNone;  // of kIdentifier
  /// Of kMessage: how the Scope declares its type; kNone for the messages of the language.
  Literals literals = Literals::kNone;
  /// kIdentifier kVariable: its number, in the order of Scope (the environment's own first).
  /// kIdentifier kLocal: its variable; kFold, kBind, kOptMap: its first variable, the second is the
  /// next one. Variables that exist at the same time have different slots, and so do those in the
  /// initial value and in the body of a kBind.
  uint32_t slot = 0;
  const Function* function = nullptr;  // of kCall, and operators
  const Overload* overload = nullptr;  // the only candidate, if there is only one
  /// All overloads that fit, in the order of declaration.
  std::span<const Overload* const> candidates;
};

struct CheckedAst {
  syntax::Ast ast;
  std::vector<NodeFacts> facts;  // by NodeId
  uint32_t slots = 0;            // the most variables that exist at the same time
  TypePool types;
  std::shared_ptr<const Declarations> scope;  // the functions of the Scope, if it has any

  const Type& result_type() const { return *facts[ast.root].type; }
};

}  // namespace dray::cel::check
