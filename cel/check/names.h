// SPDX-License-Identifier: Apache-2.0
// Finds what the names of an expression refer to: variables of macros, of the environment and of
// the scope, types, constants, functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/check/context.h"
#include "cel/check/declarations.h"

namespace dray::cel::check {

class Names {
 public:
  explicit Names(CheckContext& context)
      : context_(context), declarations_(Declarations::For(context.environment)) {}

  /// Adds a variable of a macro, until Forget, and returns its slot.
  uint32_t Declare(std::string_view name, const Type* type);
  void Forget(size_t count);
  /// The next variables get slots that no variable so far has had: the initial value of a bind is
  /// evaluated when its variable is used, in the middle of the body. Returns what Reuse takes.
  uint32_t UseNewSlots() { return std::exchange(next_slot_, context_.out.slots); }
  void Reuse(uint32_t slot) { next_slot_ = slot; }

  /// The type of a name; reports an error if nothing declares it.
  const Type* CheckIdentifier(syntax::NodeId id);
  /// If the selections are one qualified name, makes the node that name and returns its type;
  /// otherwise nullptr.
  const Type* CheckQualifiedName(syntax::NodeId id);
  /// "a.b.c" for a chain of plain selections that starts at a name; empty for other nodes, and for
  /// chains longer than any declared name.
  std::string QualifiedName(syntax::NodeId id);

  /// nullptr if there is no such function.
  const Function* FindFunction(std::string_view name);
  /// The type that a message literal calls `name`, as the type of that name ("type(T)"); the full
  /// name replaces it. nullptr if there is none. Up to 1.36 variables were found as well.
  const Type* FindMessageType(std::string_view& name);

  const Type* Undeclared(uint32_t offset, std::string_view name);

 private:
  struct Variable {
    std::string_view name;
    const Type* type;
    uint32_t slot;
  };

  const Variable* FindLocal(std::string_view name) const;
  const Type* UseLocal(syntax::NodeId id, const Variable& variable);
  const Type* UseVariable(syntax::NodeId id, size_t number, const Type* type);
  const Type* TypeOf(const VariableDeclaration& variable);
  const Type* LookUpGlobal(syntax::NodeId id, std::string_view name);
  const Type* LookUp(syntax::NodeId id, std::string_view name);
  const Type* TypeOfVariable(std::string_view name);
  const Type* TypeOfLiteral(std::string_view name);
  std::string_view RootName(syntax::NodeId id);
  bool IsNamespace(std::string_view root);
  bool locals_come_first() const { return context_.environment.since(api::Release::kNewest); }
  template <class Visit>
  auto ForCandidates(std::string_view name, Visit visit) -> decltype(visit(name));

  CheckContext& context_;
  const Declarations& declarations_;
  std::vector<Variable> variables_;
  uint32_t next_slot_ = 0;
};

}  // namespace dray::cel::check
