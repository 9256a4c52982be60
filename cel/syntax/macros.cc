// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/macros.h"

#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cel/language/availability.h"

namespace dray::cel::syntax {
namespace {

constexpr Availability kTwoVariables = {.stored = {.first = 32}, .fresh = {.first = 33}};
constexpr Availability kSortBy = {.stored = {.first = 34}, .fresh = {.first = 35}};

struct FoldMacro {
  std::string_view name;
  size_t arguments;  // without the receiver
  size_t variables;
  FoldKind kind;
  bool has_predicate;
  bool has_transform;

  // Macros with two variables belong to an extension.
  bool IsIn(const Environment& environment) const {
    return variables == 1 || kTwoVariables.Has(environment);
  }
};

constexpr FoldMacro kFoldMacros[] = {
    {"all", 2, 1, FoldKind::kAll, true, false},
    {"all", 3, 2, FoldKind::kAll, true, false},
    {"exists", 2, 1, FoldKind::kExists, true, false},
    {"exists", 3, 2, FoldKind::kExists, true, false},
    {"exists_one", 2, 1, FoldKind::kExistsOne, true, false},
    {"exists_one", 3, 2, FoldKind::kExistsOne, true, false},
    {"existsOne", 3, 2, FoldKind::kExistsOne, true, false},
    {"map", 2, 1, FoldKind::kMap, false, true},
    {"map", 3, 1, FoldKind::kMap, true, true},
    {"filter", 2, 1, FoldKind::kFilter, true, false},
    {"transformList", 3, 2, FoldKind::kMap, false, true},
    {"transformList", 4, 2, FoldKind::kMap, true, true},
    {"transformMap", 3, 2, FoldKind::kTransformMap, false, true},
    {"transformMap", 4, 2, FoldKind::kTransformMap, true, true},
    {"transformMapEntry", 3, 2, FoldKind::kTransformMapEntry, false, true},
    {"transformMapEntry", 4, 2, FoldKind::kTransformMapEntry, true, true},
};

bool IsSimpleName(const Node& node) {
  return node.kind == NodeKind::kIdentifier;
}

// What a macro is expanded with.
struct Use {
  Ast& ast;
  Node& call;
  const Environment& environment;
  std::vector<SourceError>& errors;

  const Node& Child(size_t i) const { return ast[call.children[i]]; }
  void Refuse(uint32_t offset, std::string message) const {
    errors.push_back({offset, std::move(message)});
    call = InvalidNode(offset);
  }
  void SetChildren(std::initializer_list<NodeId> children) const {
    call.children = ast.memory.Copy(std::span<const NodeId>(children));
  }
};

void ExpandHas(const Use& use) {
  const Node& argument = use.Child(0);
  // has(has(a.b)) is has(a.b).
  const bool is_selection = argument.kind == NodeKind::kSelect && !argument.optional;
  if (!is_selection && argument.kind != NodeKind::kHas) {
    return use.Refuse(argument.offset, "invalid argument to has() macro");
  }
  use.call.kind = NodeKind::kHas;
  use.call.name = argument.name;
  use.SetChildren({argument.children[0]});
}

std::string_view WrongVariable(const FoldMacro& macro) {
  const bool single = macro.name == "map" || macro.name == "filter";
  return single ? "argument is not an identifier" : "argument must be a simple name";
}

// Before 1.33 the accumulator of a macro with one variable was a variable like any other.
bool HidesAccumulator(const Node& variable,
                      const FoldMacro& macro,
                      const Environment& environment) {
  if (variable.name != "__result__") return false;
  return macro.variables == 2 || environment.since(api::Release::k1_33);
}

// Refuses the first thing that is wrong with the variables.
bool AcceptVariables(const Use& use, const FoldMacro& macro) {
  for (size_t i = 1; i <= macro.variables; ++i) {
    const Node& variable = use.Child(i);
    if (IsSimpleName(variable)) continue;
    use.Refuse(variable.offset, std::string(WrongVariable(macro)));
    return false;
  }
  if (macro.variables == 2 && use.Child(1).name == use.Child(2).name) {
    const Node& again = use.Child(2);
    use.Refuse(again.offset, fmt::format("duplicate variable name: {}", again.name));
    return false;
  }
  for (size_t i = 1; i <= macro.variables; ++i) {
    const Node& variable = use.Child(i);
    if (!HidesAccumulator(variable, macro, use.environment)) continue;
    use.Refuse(variable.offset, "iteration variable overwrites accumulator variable");
    return false;
  }
  return true;
}

void ExpandFold(const Use& use, const FoldMacro& macro) {
  if (!AcceptVariables(use, macro)) return;
  Node& call = use.call;
  size_t next = macro.variables + 1;
  const NodeId predicate = macro.has_predicate ? call.children[next++] : kNoNode;
  const NodeId transform = macro.has_transform ? call.children[next] : kNoNode;
  call.kind = NodeKind::kFold;
  call.fold = macro.kind;
  call.name = use.Child(1).name;
  call.name2 = macro.variables == 2 ? use.Child(2).name : std::string_view();
  use.SetChildren({call.children[0], predicate, transform});
}

void ExpandBind(const Use& use) {
  const Node& variable = use.Child(1);
  if (variable.kind != NodeKind::kIdentifier) {
    return use.Refuse(variable.offset, "cel.bind() variable names must be simple identifiers");
  }
  use.call.kind = NodeKind::kBind;
  use.call.name = variable.name;
  use.SetChildren({use.call.children[2], use.call.children[3]});
}

void ExpandOptMap(const Use& use) {
  const Node& variable = use.Child(1);
  if (variable.kind != NodeKind::kIdentifier) {
    return use.Refuse(variable.offset,
                      fmt::format("{}() variable name must be a simple identifier", use.call.name));
  }
  use.call.kind = NodeKind::kOptMap;
  use.call.optional = use.call.name == "optFlatMap";
  use.call.name = variable.name;
  use.SetChildren({use.call.children[0], use.call.children[2]});
}

void ExpandSortBy(const Use& use) {
  const Node& target = use.Child(0);
  if (target.kind == NodeKind::kLiteral || target.kind == NodeKind::kMap ||
      target.kind == NodeKind::kMessage) {
    return use.Refuse(target.offset,
                      "sortBy can only be applied to a list, identifier, comprehension, call or "
                      "select expression");
  }
  const Node& variable = use.Child(1);
  if (!IsSimpleName(variable)) {
    return use.Refuse(variable.offset, "argument is not an identifier");
  }
  use.call.kind = NodeKind::kSortBy;
  use.call.name = variable.name;
  use.SetChildren({use.call.children[0], use.call.children[2]});
}

}  // namespace

void ExpandMacro(Ast& ast,
                 Node& call,
                 const Environment& environment,
                 std::vector<SourceError>& errors) {
  const Use use{ast, call, environment, errors};
  if (!call.is_member) {
    if (call.name == "has" && call.children.size() == 1) ExpandHas(use);
    return;
  }
  const size_t arguments = call.children.size() - 1;
  const Node& receiver = ast[call.children[0]];
  if (call.name == "bind" && arguments == 3 && receiver.kind == NodeKind::kIdentifier &&
      receiver.name == "cel" && environment.purpose != Purpose::kAdmission) {
    return ExpandBind(use);
  }
  if ((call.name == "optMap" || call.name == "optFlatMap") && arguments == 2) {
    return ExpandOptMap(use);
  }
  if (call.name == "sortBy" && arguments == 2 && kSortBy.Has(environment)) {
    return ExpandSortBy(use);
  }
  for (const FoldMacro& macro : kFoldMacros) {
    if (macro.name == call.name && macro.arguments == arguments && macro.IsIn(environment)) {
      return ExpandFold(use, macro);
    }
  }
}

}  // namespace dray::cel::syntax
