// SPDX-License-Identifier: Apache-2.0
// What the parts of the checker share: the tree with the facts about its nodes, the bindings of
// type variables, and the errors.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/check/scope.h"
#include "cel/check/unification.h"
#include "cel/language/environment.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::check {

struct CheckContext {
  const Environment& environment;
  const Scope& scope;
  std::vector<syntax::SourceError>& errors;
  CheckedAst out;
  Substitution meanings;

  syntax::Node& At(syntax::NodeId id) { return out.ast.nodes[id]; }
  NodeFacts& FactsOf(syntax::NodeId id) { return out.facts[id]; }
  syntax::Bump& memory() { return out.ast.memory; }

  const Type* ListOf(const Type* element) { return out.types.Make(TypeKind::kList, {element}); }
  const Type* MapOf(const Type* key, const Type* value) {
    return out.types.Make(TypeKind::kMap, {key, value});
  }
  const Type* OptionalOf(const Type* value) { return out.types.Make(TypeKind::kOptional, {value}); }
  const Type* FreshParameter() { return out.types.MakeVariable(meanings.Fresh(1)); }
  /// `type` with its bound variables replaced.
  const Type* Known(const Type* type) {
    return meanings.Apply(type, out.types, Substitution::Unknown::kKeep);
  }
  /// Texts of types come from tables: the same text is the same pointer.
  const Type* ParseType(std::string_view text) {
    for (const auto& [known, type] : parsed) {
      if (known == text.data()) return type;
    }
    const Type* const type = out.types.Parse(text);
    parsed.emplace_back(text.data(), type);
    return type;
  }

  /// Reports an error and returns the type for the wrong node. Without checks there are no errors.
  const Type* Fail(uint32_t offset, std::string message) {
    if (!scope.checked) return SimpleType(TypeKind::kDyn);
    errors.push_back({offset, std::move(message)});
    return SimpleType(TypeKind::kError);
  }

  std::vector<std::pair<const char*, const Type*>> parsed;
};

}  // namespace dray::cel::check
