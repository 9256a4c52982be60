// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/macros.h"

#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cel/availability.h"

namespace dray::cel {
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

  // Macros of two variables came with an extension of their own.
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
  return node.kind == NodeKind::kIdentifier && !node.name.starts_with('.');
}

void SetChildren(Ast& ast, Node& call, std::initializer_list<NodeId> children) {
  call.children = ast.memory.Copy(std::span<const NodeId>(children));
}

void ExpandHas(Ast& ast, Node& call, std::vector<SourceError>& errors) {
  const Node& argument = ast[call.children[0]];
  if (argument.kind != NodeKind::kSelect || argument.optional) {
    errors.push_back({argument.offset, "invalid argument to has() macro"});
    return;
  }
  call.kind = NodeKind::kHas;
  call.name = argument.name;
  SetChildren(ast, call, {argument.children[0]});
}

std::string_view WrongVariable(const FoldMacro& macro) {
  const bool single = macro.name == "map" || macro.name == "filter";
  return single ? "argument is not an identifier" : "argument must be a simple name";
}

bool CheckVariables(const Ast& ast,
                    const Node& call,
                    const FoldMacro& macro,
                    std::vector<SourceError>& errors) {
  const size_t errors_before = errors.size();
  for (size_t i = 1; i <= macro.variables; ++i) {
    const Node& variable = ast[call.children[i]];
    if (!IsSimpleName(variable)) {
      errors.push_back({variable.offset, std::string(WrongVariable(macro))});
    } else if (variable.name == "__result__") {
      errors.push_back({variable.offset, "iteration variable overwrites accumulator variable"});
    } else if (i == 2 && variable.name == ast[call.children[1]].name) {
      errors.push_back(
          {variable.offset, fmt::format("duplicate variable name: {}", variable.name)});
    }
  }
  return errors.size() == errors_before;
}

void ExpandFold(Ast& ast, Node& call, const FoldMacro& macro, std::vector<SourceError>& errors) {
  if (!CheckVariables(ast, call, macro, errors)) return;
  size_t next = macro.variables + 1;
  const NodeId predicate = macro.has_predicate ? call.children[next++] : kNoNode;
  const NodeId transform = macro.has_transform ? call.children[next] : kNoNode;
  call.kind = NodeKind::kFold;
  call.fold = macro.kind;
  call.name = ast[call.children[1]].name;
  call.name2 = macro.variables == 2 ? ast[call.children[2]].name : std::string_view();
  SetChildren(ast, call, {call.children[0], predicate, transform});
}

void ExpandBind(Ast& ast, Node& call, std::vector<SourceError>& errors) {
  const Node& variable = ast[call.children[1]];
  if (!IsSimpleName(variable)) {
    errors.push_back({variable.offset, "cel.bind() variable names must be simple identifiers"});
    return;
  }
  call.kind = NodeKind::kBind;
  call.name = variable.name;
  SetChildren(ast, call, {call.children[2], call.children[3]});
}

void ExpandOptMap(Ast& ast, Node& call, std::vector<SourceError>& errors) {
  const Node& variable = ast[call.children[1]];
  if (!IsSimpleName(variable)) {
    errors.push_back({variable.offset,
                      fmt::format("{}() variable name must be a simple identifier", call.name)});
    return;
  }
  call.kind = NodeKind::kOptMap;
  call.optional = call.name == "optFlatMap";
  call.name = variable.name;
  SetChildren(ast, call, {call.children[0], call.children[2]});
}

void ExpandSortBy(Ast& ast, Node& call, std::vector<SourceError>& errors) {
  const Node& target = ast[call.children[0]];
  if (target.kind == NodeKind::kLiteral || target.kind == NodeKind::kMap) {
    errors.push_back({target.offset,
                      "sortBy can only be applied to a list, identifier, comprehension, call or "
                      "select expression"});
    return;
  }
  const Node& variable = ast[call.children[1]];
  if (!IsSimpleName(variable)) {
    errors.push_back({variable.offset, "argument is not an identifier"});
    return;
  }
  call.kind = NodeKind::kSortBy;
  call.name = variable.name;
  SetChildren(ast, call, {call.children[0], call.children[2]});
}

}  // namespace

void ExpandMacro(Ast& ast,
                 Node& call,
                 const Environment& environment,
                 std::vector<SourceError>& errors) {
  if (!call.is_member) {
    if (call.name == "has" && call.children.size() == 1) ExpandHas(ast, call, errors);
    return;
  }
  const size_t arguments = call.children.size() - 1;
  const Node& receiver = ast[call.children[0]];
  if (call.name == "bind" && arguments == 3 && receiver.kind == NodeKind::kIdentifier &&
      receiver.name == "cel") {
    return ExpandBind(ast, call, errors);
  }
  if ((call.name == "optMap" || call.name == "optFlatMap") && arguments == 2) {
    return ExpandOptMap(ast, call, errors);
  }
  if (call.name == "sortBy" && arguments == 2 && kSortBy.Has(environment)) {
    return ExpandSortBy(ast, call, errors);
  }
  for (const FoldMacro& macro : kFoldMacros) {
    if (macro.name == call.name && macro.arguments == arguments && macro.IsIn(environment)) {
      return ExpandFold(ast, call, macro, errors);
    }
  }
}

}  // namespace dray::cel
