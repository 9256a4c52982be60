// SPDX-License-Identifier: Apache-2.0
#include "cel/check/names.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "cel/check/environment_variables.h"

namespace dray::cel::check {

using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

// Longer than every declared name.
constexpr size_t kQualifiedNameMax = 128;

constexpr std::string_view kNullValue = "google.protobuf.NullValue.NULL_VALUE";

}  // namespace

uint32_t Names::Declare(std::string_view name, const Type* type) {
  const uint32_t slot = next_slot_++;
  variables_.push_back({name, type, slot});
  context_.out.slots = std::max(context_.out.slots, slot + 1);
  return slot;
}

void Names::Forget(size_t count) {
  variables_.resize(variables_.size() - count);
  next_slot_ -= static_cast<uint32_t>(count);
}

const Names::Variable* Names::FindLocal(std::string_view name) const {
  for (size_t i = variables_.size(); i > 0; --i) {
    if (variables_[i - 1].name == name) return &variables_[i - 1];
  }
  return nullptr;
}

const Type* Names::UseLocal(NodeId id, const Variable& variable) {
  context_.FactsOf(id).name_kind = NameKind::kLocal;
  context_.FactsOf(id).slot = variable.slot;
  return variable.type;
}

const Type* Names::UseVariable(NodeId id, size_t number, const Type* type) {
  context_.FactsOf(id).name_kind = NameKind::kVariable;
  context_.FactsOf(id).slot = static_cast<uint32_t>(number);
  return type;
}

const Type* Names::TypeOf(const VariableDeclaration& variable) {
  return variable.known_type != nullptr ? variable.known_type : context_.ParseType(variable.type);
}

// A variable, type or constant of exactly this name; nullptr if there is none.
const Type* Names::LookUpGlobal(NodeId id, std::string_view name) {
  const std::span<const EnvironmentVariable> own = EnvironmentVariables(context_.environment);
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i].name == name) return UseVariable(id, i, context_.ParseType(own[i].type));
  }
  for (size_t i = 0; i < context_.scope.variables.size(); ++i) {
    const VariableDeclaration& variable = context_.scope.variables[i];
    if (variable.name == name) return UseVariable(id, own.size() + i, TypeOf(variable));
  }
  if (name == kNullValue) {
    context_.FactsOf(id).name_kind = NameKind::kNullValue;
    return SimpleType(TypeKind::kInt);
  }
  const Type* const type = declarations_.FindTypeName(name);
  if (type != nullptr) {
    context_.FactsOf(id).name_kind = NameKind::kTypeName;
    context_.At(id).name = context_.memory().Copy(name);
  }
  return type;
}

// Calls visit(candidate) for the names that `name` may stand for, the innermost of the container
// first, until one returns something.
template <class Visit>
auto Names::ForCandidates(std::string_view name, Visit visit) -> decltype(visit(name)) {
  if (name.starts_with('.')) return visit(name.substr(1));
  std::string_view container = context_.scope.container;
  while (!container.empty()) {
    if (const auto found = visit(std::string(container) + "." + std::string(name))) return found;
    const size_t dot = container.rfind('.');
    container = container.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return visit(name);
}

// nullptr if nothing declares `name`. From 1.37 on, variables of macros hide declared names;
// before, names of the container won.
const Type* Names::LookUp(NodeId id, std::string_view name) {
  if (locals_come_first() && !name.starts_with('.')) {
    if (const Variable* const local = FindLocal(name)) return UseLocal(id, *local);
  }
  return ForCandidates(name, [&](std::string_view candidate) -> const Type* {
    if (!locals_come_first()) {
      if (const Variable* const local = FindLocal(candidate)) return UseLocal(id, *local);
    }
    return LookUpGlobal(id, candidate);
  });
}

const Function* Names::FindFunction(std::string_view name) {
  return ForCandidates(name, [&](std::string_view candidate) {
    const Function* const own =
        context_.out.scope == nullptr ? nullptr : context_.out.scope->FindFunction(candidate);
    return own != nullptr ? own : declarations_.FindFunction(candidate);
  });
}

const Type* Names::TypeOfVariable(std::string_view name) {
  if (const Variable* const local = FindLocal(name)) return local->type;
  for (const EnvironmentVariable& variable : EnvironmentVariables(context_.environment)) {
    if (variable.name == name) return context_.ParseType(variable.type);
  }
  for (const VariableDeclaration& variable : context_.scope.variables) {
    if (variable.name == name) return TypeOf(variable);
  }
  return nullptr;
}

const Type* Names::FindMessageType(std::string_view& name) {
  return ForCandidates(name, [&](std::string_view candidate) -> const Type* {
    const Type* type = locals_come_first() ? nullptr : TypeOfVariable(candidate);
    if (type == nullptr) type = declarations_.FindTypeName(candidate);
    if (type == nullptr) type = TypeOfLiteral(candidate);
    if (type != nullptr) name = context_.memory().Copy(candidate);
    return type;
  });
}

const Type* Names::TypeOfLiteral(std::string_view name) {
  const ObjectDeclaration* const object = context_.scope.FindObject(name);
  if (object == nullptr || object->literals == Literals::kNone) return nullptr;
  TypePool& types = context_.out.types;
  const Type* const made = types.MakeNamed(TypeKind::kObject, context_.memory().Copy(name));
  return types.Make(TypeKind::kType, {made});
}

const Type* Names::Undeclared(uint32_t offset, std::string_view name) {
  return context_.Fail(
      offset,
      fmt::format(
          "undeclared reference to '{}' (in container '{}')", name, context_.scope.container));
}

const Type* Names::CheckIdentifier(NodeId id) {
  const Node& node = context_.At(id);
  const Type* const type = LookUp(id, node.name);
  if (type != nullptr) return type;
  context_.FactsOf(id).name_kind = NameKind::kUnbound;
  return Undeclared(node.offset, node.name);
}

// The name at the root of a chain of plain selections; empty for other nodes.
std::string_view Names::RootName(NodeId id) {
  const Node* node = &context_.At(id);
  while (node->kind == NodeKind::kSelect && !node->optional) {
    node = &context_.At(node->children[0]);
  }
  return node->kind == NodeKind::kIdentifier ? node->name : std::string_view();
}

std::string Names::QualifiedName(NodeId id) {
  const Node* node = &context_.At(id);
  std::string name;
  while (node->kind == NodeKind::kSelect && !node->optional) {
    name.insert(0, node->name).insert(0, 1, '.');
    if (name.size() > kQualifiedNameMax) return "";
    node = &context_.At(node->children[0]);
  }
  return node->kind == NodeKind::kIdentifier ? std::string(node->name) + name : "";
}

// Whether some declared variable or type has a qualified name that starts with `root`.
bool Names::IsNamespace(std::string_view root) {
  if (root.starts_with('.')) root.remove_prefix(1);
  if (!context_.scope.container.empty() || root == "google" || root == "net" ||
      root == "kubernetes") {
    return true;
  }
  const auto starts = [&](std::string_view name) {
    return name.size() > root.size() && name.starts_with(root) && name[root.size()] == '.';
  };
  return std::ranges::any_of(EnvironmentVariables(context_.environment),
                             [&](const EnvironmentVariable& v) { return starts(v.name); }) ||
         std::ranges::any_of(context_.scope.variables,
                             [&](const VariableDeclaration& v) { return starts(v.name); });
}

const Type* Names::CheckQualifiedName(NodeId id) {
  const std::string_view root = RootName(id);
  if (root.empty() || !IsNamespace(root)) return nullptr;
  if (locals_come_first() && !root.starts_with('.') && FindLocal(root) != nullptr) return nullptr;
  const std::string name = QualifiedName(id);
  if (name.empty()) return nullptr;
  const Type* const type =
      ForCandidates(name, [&](std::string_view candidate) { return LookUpGlobal(id, candidate); });
  if (type == nullptr) return nullptr;
  Node& node = context_.At(id);
  node.kind = NodeKind::kIdentifier;
  node.name = context_.memory().Copy(name);
  node.children = {};
  return type;
}

}  // namespace dray::cel::check
