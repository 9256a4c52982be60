// SPDX-License-Identifier: Apache-2.0
// One walk over the tree (cel-spec, "Gradual Type Checking"). Type variables get their meaning in
// one Substitution for the whole expression; what a node's type is can be said for sure only at the
// end, so all types pass through it once more.
#include "cel/check/checker.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cel/check/environment_variables.h"
#include "cel/check/literals.h"
#include "cel/check/unification.h"

namespace dray::cel {
namespace {

using Unknown = Substitution::Unknown;

class Checker {
 public:
  Checker(Ast ast,
          const Environment& environment,
          const Scope& scope,
          std::vector<SourceError>& errors)
      : environment_(environment),
        scope_(scope),
        declarations_(Declarations::For(environment)),
        errors_(errors) {
    if (!scope.functions.empty()) out_.scope = std::make_shared<Declarations>(scope);
    out_.ast = std::move(ast);
    out_.facts.resize(out_.ast.nodes.size());
  }

  CheckedAst Run() {
    CheckNode(out_.ast.root);
    for (NodeFacts& facts : out_.facts) {
      if (facts.type != nullptr)
        facts.type = meanings_.Apply(facts.type, out_.types, Unknown::kDyn);
    }
    if (errors_.empty() && scope_.checked) CheckLiteralsAreUniform(out_, errors_);
    return std::move(out_);
  }

 private:
  struct Variable {
    std::string_view name;
    const Type* type;
    uint32_t slot;
  };

  static const Type* Make(TypeKind kind) { return SimpleType(kind); }
  const Type* ListOf(const Type* element) { return out_.types.Make(TypeKind::kList, {element}); }
  const Type* MapOf(const Type* key, const Type* value) {
    return out_.types.Make(TypeKind::kMap, {key, value});
  }
  const Type* FreshParameter() { return out_.types.MakeVariable(meanings_.Fresh(1)); }
  const Type* Known(const Type* type) { return meanings_.Apply(type, out_.types, Unknown::kKeep); }

  const Type* Fail(uint32_t offset, std::string message) {
    if (!scope_.checked) return Make(TypeKind::kDyn);
    errors_.push_back({offset, std::move(message)});
    return Make(TypeKind::kError);
  }

  Node& At(NodeId id) { return out_.ast.nodes[id]; }

  const Type* CheckNode(NodeId id) {
    const Type* type = TypeOf(id);
    if (!scope_.checked) type = Make(TypeKind::kDyn);
    out_.facts[id].type = type;
    return type;
  }

  const Type* TypeOf(NodeId id) {
    switch (At(id).kind) {
      case NodeKind::kLiteral: return LiteralType(At(id).constant);
      case NodeKind::kIdentifier: return CheckIdentifier(id);
      case NodeKind::kSelect: return CheckSelect(id);
      case NodeKind::kHas: {
        CheckField(id);
        return Make(TypeKind::kBool);
      }
      case NodeKind::kIndex: return CheckIndex(id);
      case NodeKind::kCall: return CheckCall(id);
      case NodeKind::kConditional: return CheckConditional(id);
      case NodeKind::kAnd:
      case NodeKind::kOr: return CheckLogic(id);
      case NodeKind::kList: return CheckList(id);
      case NodeKind::kMap: return CheckMap(id);
      case NodeKind::kFold: return CheckFold(id);
      case NodeKind::kBind: return CheckBind(id);
      case NodeKind::kOptMap: return CheckOptMap(id);
      case NodeKind::kSortBy: return CheckSortBy(id);
    }
    return Make(TypeKind::kError);
  }

  const Type* LiteralType(const Constant& constant) {
    constexpr std::array kKinds = {TypeKind::kNull,
                                   TypeKind::kBool,
                                   TypeKind::kInt,
                                   TypeKind::kUint,
                                   TypeKind::kDouble,
                                   TypeKind::kString,
                                   TypeKind::kBytes};
    static_assert(kKinds.size() == std::variant_size_v<Constant>);
    return Make(kKinds[constant.index()]);
  }

  const Variable* FindLocal(std::string_view name) const {
    for (size_t i = variables_.size(); i > 0; --i) {
      if (variables_[i - 1].name == name) return &variables_[i - 1];
    }
    return nullptr;
  }

  const Type* UseLocal(NodeId id, const Variable& variable) {
    out_.facts[id].name_kind = NameKind::kLocal;
    out_.facts[id].slot = variable.slot;
    return variable.type;
  }

  const Type* UseVariable(NodeId id, size_t number, std::string_view type) {
    out_.facts[id].name_kind = NameKind::kVariable;
    out_.facts[id].slot = static_cast<uint32_t>(number);
    return ParseType(type);
  }

  // A variable or type of exactly this name; nullptr if there is none.
  const Type* LookUpGlobal(NodeId id, std::string_view name) {
    const std::span<const EnvironmentVariable> own = EnvironmentVariables(environment_);
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i].name == name) return UseVariable(id, i, own[i].type);
    }
    for (size_t i = 0; i < scope_.variables.size(); ++i) {
      const VariableDeclaration& variable = scope_.variables[i];
      if (variable.name == name) return UseVariable(id, own.size() + i, variable.type);
    }
    const Type* const type = declarations_.FindTypeName(name);
    if (type != nullptr) {
      out_.facts[id].name_kind = NameKind::kTypeName;
      At(id).name = out_.ast.memory.Copy(name);
    }
    return type;
  }

  // Calls visit(candidate) for the names that `name` may stand for, the innermost of the container
  // first, until one returns something.
  template <class Visit>
  auto ForCandidates(std::string_view name, Visit visit) -> decltype(visit(name)) {
    if (name.starts_with('.')) return visit(name.substr(1));
    std::string_view container = scope_.container;
    while (!container.empty()) {
      if (const auto found = visit(std::string(container) + "." + std::string(name))) return found;
      const size_t dot = container.rfind('.');
      container = container.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    return visit(name);
  }

  // nullptr if `name` means nothing. From 1.37 on, variables of macros hide declared names; before,
  // names of the container won.
  const Type* LookUp(NodeId id, std::string_view name) {
    const bool local_first = environment_.since(api::Release::kNewest);
    if (local_first && !name.starts_with('.')) {
      if (const Variable* const local = FindLocal(name)) return UseLocal(id, *local);
    }
    return ForCandidates(name, [&](std::string_view candidate) -> const Type* {
      if (!local_first) {
        if (const Variable* const local = FindLocal(candidate)) return UseLocal(id, *local);
      }
      return LookUpGlobal(id, candidate);
    });
  }

  const Function* LookUpFunction(std::string_view name) {
    return ForCandidates(name, [&](std::string_view candidate) {
      const Function* const own =
          out_.scope == nullptr ? nullptr : out_.scope->FindFunction(candidate);
      return own != nullptr ? own : declarations_.FindFunction(candidate);
    });
  }

  const Type* Undeclared(uint32_t offset, std::string_view name) {
    return Fail(
        offset,
        fmt::format("undeclared reference to '{}' (in container '{}')", name, scope_.container));
  }

  const Type* CheckIdentifier(NodeId id) {
    const Type* const type = LookUp(id, At(id).name);
    if (type != nullptr) return type;
    out_.facts[id].name_kind = NameKind::kUnbound;
    return Undeclared(At(id).offset, At(id).name);
  }

  // The name at the root of a chain of plain selections; empty if it is no such chain.
  std::string_view RootName(NodeId id) {
    const Node* node = &At(id);
    while (node->kind == NodeKind::kSelect && !node->optional) node = &At(node->children[0]);
    return node->kind == NodeKind::kIdentifier ? node->name : std::string_view();
  }

  // "a.b.c" for a chain of plain selections that starts at a name; empty if it is too long to be
  // declared.
  std::string QualifiedName(NodeId id) {
    const Node& node = At(id);
    if (node.kind == NodeKind::kIdentifier) return std::string(node.name);
    std::string prefix = QualifiedName(node.children[0]);
    if (prefix.empty() || prefix.size() > kQualifiedNameMax) return "";
    return prefix + "." + std::string(node.name);
  }

  // Whether some declared variable or type has a qualified name that starts with `root`.
  bool IsNamespace(std::string_view root) {
    if (root.starts_with('.')) root.remove_prefix(1);
    if (!scope_.container.empty() || root == "google" || root == "net" || root == "kubernetes") {
      return true;
    }
    const auto starts = [&](std::string_view name) {
      return name.size() > root.size() && name.starts_with(root) && name[root.size()] == '.';
    };
    return std::ranges::any_of(EnvironmentVariables(environment_),
                               [&](const EnvironmentVariable& v) { return starts(v.name); }) ||
           std::ranges::any_of(scope_.variables,
                               [&](const VariableDeclaration& v) { return starts(v.name); });
  }

  // The type if the selections are one qualified name, which the node then is.
  const Type* CheckQualifiedName(NodeId id) {
    const std::string_view root = RootName(id);
    if (root.empty() || !IsNamespace(root)) return nullptr;
    const bool local_first = environment_.since(api::Release::kNewest);
    if (local_first && !root.starts_with('.') && FindLocal(root) != nullptr) return nullptr;
    const std::string name = QualifiedName(id);
    if (name.empty()) return nullptr;
    const Type* const type = ForCandidates(
        name, [&](std::string_view candidate) { return LookUpGlobal(id, candidate); });
    if (type == nullptr) return nullptr;
    Node& node = At(id);
    node.kind = NodeKind::kIdentifier;
    node.name = out_.ast.memory.Copy(name);
    node.children = {};
    return type;
  }

  const Type* CheckSelect(NodeId id) {
    if (const Type* const type = CheckQualifiedName(id); type != nullptr) return type;
    return Known(CheckField(id));
  }

  // The type of the field of a kSelect or kHas.
  const Type* CheckField(NodeId id) {
    const Type* operand = Known(CheckNode(At(id).children[0]));
    const Node& node = At(id);
    bool optional = node.optional;
    if (operand->kind == TypeKind::kOptional) {
      operand = operand->parameters[0];
      optional = true;
    }
    const Type* result = FieldType(*operand, node);
    return optional ? out_.types.Make(TypeKind::kOptional, {result}) : result;
  }

  const Type* FieldType(const Type& operand, const Node& node) {
    switch (operand.kind) {
      case TypeKind::kMap: return operand.parameters[1];
      case TypeKind::kParameter:
        meanings_.Assignable(*Make(TypeKind::kDyn), operand);
        return Make(TypeKind::kDyn);
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kError: return Make(TypeKind::kDyn);
      case TypeKind::kObject: return ObjectFieldType(operand, node);
      case TypeKind::kNull:
      case TypeKind::kBool:
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kDouble:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kTimestamp:
      case TypeKind::kDuration:
      case TypeKind::kList:
      case TypeKind::kType:
      case TypeKind::kOptional:
      case TypeKind::kWrapper:
      case TypeKind::kOpaque: break;
    }
    Fail(node.offset,
         fmt::format("type '{}' does not support field selection", CheckerName(operand)));
    return Make(TypeKind::kDyn);
  }

  const Type* ObjectFieldType(const Type& operand, const Node& node) {
    const auto type = EnvironmentFieldType(operand.name, node.name, environment_);
    if (type.has_value()) return ParseType(*type);
    return Fail(node.offset, fmt::format("undefined field '{}'", node.name));
  }

  // Texts of types come from tables: the same text is the same pointer.
  const Type* ParseType(std::string_view text) {
    for (const auto& [known, type] : parsed_) {
      if (known == text.data()) return type;
    }
    const Type* const type = out_.types.Parse(text);
    parsed_.emplace_back(text.data(), type);
    return type;
  }

  const Type* CheckIndex(NodeId id) {
    const Types arguments = CheckChildren(id, 0);
    return Resolve(id, At(id).optional ? "_[?_]" : "_[_]", arguments, Style::kGlobal);
  }

  const Type* CheckConditional(NodeId id) {
    return Resolve(id, "_?_:_", CheckChildren(id, 0), Style::kGlobal);
  }

  // Types of a call's arguments. Their number is bounded by the length of expressions only.
  using Types = std::span<const Type*>;

  Types CheckChildren(NodeId id, size_t first) {
    const size_t count = At(id).children.size();
    const Types types = out_.ast.memory.MakeArray<const Type*>(count);
    for (size_t i = first; i < count; ++i) types[i] = CheckNode(At(id).children[i]);
    return types;
  }

  const Type* CheckLogic(NodeId id) {
    const std::span<const NodeId> terms = At(id).children;
    bool fits = true;
    for (const NodeId term : terms) {
      const Type* const type = CheckNode(term);
      fits = ExpectBool(term, type) && fits;
    }
    return Make(fits ? TypeKind::kBool : TypeKind::kError);
  }

  bool ExpectBool(NodeId id, const Type* type) {
    if (meanings_.Assignable(*Make(TypeKind::kBool), *type)) return true;
    Fail(At(id).offset,
         fmt::format("expected type 'bool' but found '{}'", CheckerName(*Known(type))));
    return false;
  }

  const Type* CheckCall(NodeId id) {
    const bool is_member = At(id).is_member;
    const Types arguments = CheckChildren(id, is_member ? 1 : 0);
    if (!is_member) return Resolve(id, At(id).name, arguments, Style::kGlobal);
    if (!RootName(At(id).children[0]).empty()) {
      const std::string prefix = QualifiedName(At(id).children[0]);
      const std::string full = prefix + "." + std::string(At(id).name);
      if (!prefix.empty() && LookUpFunction(full) != nullptr) {
        Node& node = At(id);
        node.is_member = false;
        node.name = out_.ast.memory.Copy(full);
        node.children = node.children.subspan(1);
        return Resolve(id, node.name, arguments.subspan(1), Style::kGlobal);
      }
    }
    arguments[0] = CheckNode(At(id).children[0]);
    return Resolve(id, At(id).name, arguments, Style::kMember);
  }

  const Type* Resolve(NodeId id,
                      std::string_view name,
                      std::initializer_list<const Type*> arguments,
                      Style style) {
    const Types copy = out_.ast.memory.Copy(std::span<const Type* const>(arguments));
    return Resolve(id, name, copy, style);
  }

  // Finds the overloads that fit and notes the function and, if it is the only one, the overload.
  const Type* Resolve(NodeId id, std::string_view name, Types arguments, Style style) {
    const Function* const function = LookUpFunction(name);
    if (function == nullptr) return Undeclared(At(id).offset, name);
    for (const Type*& argument : arguments) argument = Known(argument);
    const Type* result = nullptr;
    candidates_.clear();
    for (const Overload& overload : function->overloads) {
      if (overload.style != style) continue;
      const Type* const candidate = Match(overload, arguments);
      if (candidate == nullptr) continue;
      candidates_.push_back(&overload);
      if (result != nullptr && !SameType(*result, *candidate)) {
        result = Make(TypeKind::kDyn);
      } else if (result == nullptr) {
        result = candidate;
      }
    }
    NodeFacts& facts = out_.facts[id];
    facts.function = function;
    facts.overload = candidates_.size() == 1 ? candidates_[0] : nullptr;
    facts.candidates = out_.ast.memory.Copy(std::span<const Overload* const>(candidates_));
    return result != nullptr ? result : NoOverload(id, name, arguments, style);
  }

  // The result type if `overload` takes `arguments`.
  const Type* Match(const Overload& overload, Types arguments) {
    if (overload.parameters.size() != arguments.size()) return nullptr;
    if (overload.type_parameters == 0) {
      return meanings_.Assignable(overload.parameters, arguments) ? overload.result : nullptr;
    }
    const uint32_t first = meanings_.Fresh(overload.type_parameters);
    instances_.clear();
    for (const Type* parameter : overload.parameters) {
      instances_.push_back(Substitution::Instantiate(parameter, first, out_.types));
    }
    if (!meanings_.Assignable(instances_, arguments)) return nullptr;
    return Known(Substitution::Instantiate(overload.result, first, out_.types));
  }

  const Type* NoOverload(NodeId id, std::string_view name, Types arguments, Style style) {
    for (const Type* argument : arguments) {
      if (argument->kind == TypeKind::kError) return Make(TypeKind::kError);  // said already
    }
    std::string applied;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool receiver = style == Style::kMember && i == 0;
      const Type* const shown = meanings_.Apply(arguments[i], out_.types, Unknown::kDyn);
      if (receiver) {
        applied += CheckerName(*shown) + ".(";
        continue;
      }
      if (i == 0) applied += '(';
      if (i > (style == Style::kMember ? 1u : 0u)) applied += ", ";
      applied += CheckerName(*shown);
    }
    if (arguments.empty()) applied = "(";
    return Fail(At(id).offset,
                fmt::format("found no matching overload for '{}' applied to '{})'", name, applied));
  }

  // The common type of the elements of a literal.
  const Type* Join(const Type* before, const Type* next) {
    if (before == nullptr) return next;
    if (meanings_.Assignable(*before, *next)) return MoreGeneral(before, next);
    return Make(TypeKind::kDyn);  // the rule of uniform literals says what is wrong
  }

  // The type inside the optional of an entry [?x] or {?k: v}.
  const Type* EntryType(const Node& node, size_t entry, NodeId value, const Type* type) {
    if (entry >= node.optional_entries.size() || !node.optional_entries[entry]) return type;
    if (type->kind == TypeKind::kOptional) return type->parameters[0];
    return Fail(At(value).offset,
                fmt::format("expected type 'optional_type({0})' but found '{0}'",
                            CheckerName(*Known(type))));
  }

  const Type* CheckList(NodeId id) {
    const Node node = At(id);
    const Type* element = nullptr;
    for (size_t i = 0; i < node.children.size(); ++i) {
      const Type* const type = CheckNode(node.children[i]);
      element = Join(element, EntryType(node, i, node.children[i], type));
    }
    return ListOf(element != nullptr ? element : FreshParameter());
  }

  const Type* CheckMap(NodeId id) {
    const Node node = At(id);
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (size_t i = 0; i < node.children.size(); i += 2) {
      key = Join(key, CheckNode(node.children[i]));
      const Type* const type = CheckNode(node.children[i + 1]);
      value = Join(value, EntryType(node, i / 2, node.children[i + 1], type));
    }
    if (key == nullptr) return MapOf(FreshParameter(), FreshParameter());
    return MapOf(key, value);
  }

  uint32_t Declare(std::string_view name, const Type* type) {
    const auto slot = static_cast<uint32_t>(variables_.size());
    variables_.push_back({name, type, slot});
    out_.slots = std::max(out_.slots, slot + 1);
    return slot;
  }

  // Types of the one or two variables of a fold over `range`.
  std::array<const Type*, 2> ElementTypes(NodeId range, const Type* type, bool two) {
    switch (type->kind) {
      case TypeKind::kList:
        if (two) return {Make(TypeKind::kInt), type->parameters[0]};
        return {type->parameters[0], nullptr};
      case TypeKind::kMap: return {type->parameters[0], type->parameters[1]};
      case TypeKind::kDyn:
      case TypeKind::kError: break;
      case TypeKind::kParameter: meanings_.Assignable(*Make(TypeKind::kDyn), *type); break;
      case TypeKind::kAny:
      case TypeKind::kNull:
      case TypeKind::kBool:
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kDouble:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kTimestamp:
      case TypeKind::kDuration:
      case TypeKind::kType:
      case TypeKind::kOptional:
      case TypeKind::kWrapper:
      case TypeKind::kObject:
      case TypeKind::kOpaque: {
        const Type* const error = Fail(
            At(range).offset,
            fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, "
                        "map, or dynamic)",
                        CheckerName(*type)));
        return {error, error};
      }
    }
    return {Make(TypeKind::kDyn), Make(TypeKind::kDyn)};
  }

  const Type* CheckFold(NodeId id) {
    const Node node = At(id);
    const Type* const range = Known(CheckNode(node.children[0]));
    const bool two = !node.name2.empty();
    const auto [first, second] = ElementTypes(node.children[0], range, two);
    out_.facts[id].slot = Declare(node.name, first);
    if (two) Declare(node.name2, second);
    const Type* predicate = nullptr;
    if (node.children[1] != kNoNode) predicate = CheckNode(node.children[1]);
    const Type* transform = first;
    if (node.children[2] != kNoNode) transform = CheckNode(node.children[2]);
    variables_.resize(variables_.size() - (two ? 2 : 1));
    return FoldType(id, node, predicate, transform, first);
  }

  const Type* FoldType(
      NodeId id, const Node& node, const Type* predicate, const Type* transform, const Type* key) {
    const auto guarded = [&](const Type* accumulator) {
      if (predicate == nullptr) return accumulator;
      return Resolve(id, "_?_:_", {predicate, accumulator, accumulator}, Style::kGlobal);
    };
    switch (node.fold) {
      case FoldKind::kAll:
      case FoldKind::kExists: ExpectBool(node.children[1], predicate); break;
      case FoldKind::kExistsOne: guarded(Make(TypeKind::kInt)); break;
      case FoldKind::kMap:
      case FoldKind::kFilter: return guarded(ListOf(transform));
      case FoldKind::kTransformMap: return guarded(MapOf(key, transform));
      case FoldKind::kTransformMapEntry: return guarded(EntryMapType(id, transform));
    }
    return Make(TypeKind::kBool);
  }

  const Type* EntryMapType(NodeId id, const Type* transform) {
    const Type* const map = MapOf(FreshParameter(), FreshParameter());
    if (meanings_.Assignable(*map, *transform)) return Known(map);
    return Fail(At(id).offset,
                fmt::format("found no matching overload for 'cel.@mapInsert' applied to "
                            "'(map(dyn, dyn), {})'",
                            CheckerName(*Known(transform))));
  }

  const Type* CheckBind(NodeId id) {
    const Node node = At(id);
    const Type* const initial = CheckNode(node.children[0]);
    out_.facts[id].slot = Declare(node.name, initial);
    const Type* const body = CheckNode(node.children[1]);
    variables_.pop_back();
    return body;
  }

  const Type* CheckOptMap(NodeId id) {
    const Node node = At(id);
    const Type* const target = CheckNode(node.children[0]);
    const Type* const value = Resolve(id, "value", {target}, Style::kMember);
    out_.facts[id].slot = Declare(node.name, value);
    const Type* const body = CheckNode(node.children[1]);
    variables_.pop_back();
    const Type* const wrapped = node.optional ? body : out_.types.Make(TypeKind::kOptional, {body});
    const Type* const none = out_.types.Make(TypeKind::kOptional, {FreshParameter()});
    return Resolve(id, "_?_:_", {Make(TypeKind::kBool), wrapped, none}, Style::kGlobal);
  }

  // cel.bind(@input, list, @input.@sortByAssociatedKeys(@input.map(x, key)))
  const Type* CheckSortBy(NodeId id) {
    const Node node = At(id);
    const Type* const list = Known(CheckNode(node.children[0]));
    const Type* const element = ElementTypes(id, list, /*two=*/false)[0];
    out_.facts[id].slot = Declare(node.name, element);
    const Type* const key = CheckNode(node.children[1]);
    variables_.pop_back();
    return Resolve(id, "@sortByAssociatedKeys", {list, ListOf(key)}, Style::kMember);
  }

  // No declared name comes near.
  static constexpr size_t kQualifiedNameMax = 128;

  const Environment& environment_;
  const Scope& scope_;
  const Declarations& declarations_;
  std::vector<SourceError>& errors_;
  CheckedAst out_;
  Substitution meanings_;
  std::vector<Variable> variables_;
  std::vector<std::pair<const char*, const Type*>> parsed_;
  std::vector<const Overload*> candidates_;  // of the call in hand
  std::vector<const Type*> instances_;       // of the overload in hand
};

}  // namespace

CheckedAst Check(Ast ast,
                 const Environment& environment,
                 const Scope& scope,
                 std::vector<SourceError>& errors) {
  return Checker(std::move(ast), environment, scope, errors).Run();
}

}  // namespace dray::cel
