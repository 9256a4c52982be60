// SPDX-License-Identifier: Apache-2.0
// One walk over the tree (cel-spec, "Gradual Type Checking"). Type variables get their meaning in
// one Substitution for the whole expression; what a node's type is can be said for sure only at the
// end, so all types pass through it once more.
#include "cel/check/checker.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

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
      : environment_(environment), scope_(scope), errors_(errors) {
    out_.ast = std::move(ast);
    out_.facts.resize(out_.ast.nodes.size());
  }

  CheckedAst Run() {
    CheckNode(out_.ast.root);
    for (NodeFacts& facts : out_.facts) {
      if (facts.type != nullptr)
        facts.type = meanings_.Apply(facts.type, out_.types, Unknown::kDyn);
    }
    if (errors_.empty()) CheckLiteralsAreUniform(out_, errors_);
    return std::move(out_);
  }

 private:
  struct Variable {
    std::string_view name;
    const Type* type;
    uint32_t slot;
  };

  const Type* Make(TypeKind kind) { return out_.types.Make(kind); }
  const Type* ListOf(const Type* element) { return out_.types.Make(TypeKind::kList, {element}); }
  const Type* MapOf(const Type* key, const Type* value) {
    return out_.types.Make(TypeKind::kMap, {key, value});
  }
  const Type* FreshParameter() {
    return out_.types.MakeNamed(TypeKind::kParameter, fmt::format("_var{}", fresh_++));
  }
  const Type* Known(const Type* type) { return meanings_.Apply(type, out_.types, Unknown::kKeep); }

  const Type* Fail(uint32_t offset, std::string message) {
    errors_.push_back({offset, std::move(message)});
    return Make(TypeKind::kError);
  }

  Node& At(NodeId id) { return out_.ast.nodes[id]; }

  const Type* CheckNode(NodeId id) {
    const Type* const type = TypeOf(id);
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

  // nullptr if `name` means nothing.
  const Type* LookUp(NodeId id, std::string_view name) {
    NodeFacts& facts = out_.facts[id];
    for (size_t i = variables_.size(); i > 0 && !name.starts_with('.'); --i) {
      const Variable& variable = variables_[i - 1];
      if (variable.name != name) continue;
      facts.name_kind = NameKind::kLocal;
      facts.slot = variable.slot;
      return variable.type;
    }
    if (name == "device" || name == ".device") {
      facts.name_kind = NameKind::kVariable;
      facts.slot = 0;
      return out_.types.MakeNamed(TypeKind::kObject, kDeviceType);
    }
    for (size_t i = 0; i < scope_.variables.size(); ++i) {
      if (scope_.variables[i].name != name) continue;
      facts.name_kind = NameKind::kVariable;
      facts.slot = static_cast<uint32_t>(i + 1);
      return out_.types.Parse(scope_.variables[i].type);
    }
    const Type* const type = Declarations::Get().FindTypeName(name);
    if (type != nullptr) facts.name_kind = NameKind::kTypeName;
    return type;
  }

  const Type* Undeclared(uint32_t offset, std::string_view name) {
    return Fail(offset, fmt::format("undeclared reference to '{}' (in container '')", name));
  }

  const Type* CheckIdentifier(NodeId id) {
    const Type* const type = LookUp(id, At(id).name);
    if (type != nullptr) return type;
    if (At(id).name == "google" || At(id).name == ".google") {
      return Fail(At(id).offset, "not supported yet: messages and enums of google.protobuf");
    }
    return Undeclared(At(id).offset, At(id).name);
  }

  // "a.b.c" if the node is a chain of plain selections that starts at a name.
  std::optional<std::string> QualifiedName(NodeId id) {
    const Node& node = At(id);
    if (node.kind == NodeKind::kIdentifier) return std::string(node.name);
    if (node.kind != NodeKind::kSelect || node.optional) return std::nullopt;
    std::optional<std::string> prefix = QualifiedName(node.children[0]);
    if (!prefix.has_value() || prefix->size() > kQualifiedNameMax) return std::nullopt;
    return *prefix + "." + std::string(node.name);
  }

  const Type* CheckSelect(NodeId id) {
    if (const auto name = QualifiedName(id); name.has_value()) {
      const Type* const type = Declarations::Get().FindTypeName(*name);
      if (type != nullptr) {
        Node& node = At(id);
        node.kind = NodeKind::kIdentifier;
        node.name = out_.ast.names.emplace_back(*name);
        node.children.clear();
        out_.facts[id].name_kind = NameKind::kTypeName;
        return type;
      }
    }
    const Type* const field = CheckField(id);
    return Known(field);
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
      case TypeKind::kOpaque: break;
    }
    Fail(node.offset,
         fmt::format("type '{}' does not support field selection", CheckerName(operand)));
    return Make(TypeKind::kDyn);
  }

  const Type* ObjectFieldType(const Type& operand, const Node& node) {
    if (operand.name == kDeviceType) {
      const Type* const text = Make(TypeKind::kString);
      if (node.name == "driver") return text;
      if (node.name == "attributes") {
        const bool lists = environment_.has_list_attributes();
        return MapOf(text, MapOf(text, Make(lists ? TypeKind::kDyn : TypeKind::kAny)));
      }
      if (node.name == "capacity") {
        return MapOf(text, MapOf(text, out_.types.MakeNamed(TypeKind::kObject, kQuantityType)));
      }
      if (node.name == "allowMultipleAllocations" && environment_.has_multiple_allocations()) {
        return Make(TypeKind::kBool);
      }
    }
    return Fail(node.offset, fmt::format("undefined field '{}'", node.name));
  }

  const Type* CheckIndex(NodeId id) {
    std::vector<const Type*> arguments;
    for (const NodeId child : At(id).children) arguments.push_back(CheckNode(child));
    return Resolve(id, At(id).optional ? "_[?_]" : "_[_]", arguments, Style::kGlobal);
  }

  const Type* CheckConditional(NodeId id) {
    std::vector<const Type*> arguments;
    for (const NodeId child : At(id).children) arguments.push_back(CheckNode(child));
    return Resolve(id, "_?_:_", arguments, Style::kGlobal);
  }

  const Type* CheckLogic(NodeId id) {
    const std::vector<NodeId> terms = At(id).children;
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

  bool IsHidden(std::string_view function) const {
    return function == "includes" && !environment_.has_list_attributes();
  }

  const Type* CheckCall(NodeId id) {
    const size_t first = At(id).is_member ? 1 : 0;
    std::vector<const Type*> arguments;
    for (size_t i = first; i < At(id).children.size(); ++i) {
      arguments.push_back(CheckNode(At(id).children[i]));
    }
    if (!At(id).is_member) return Resolve(id, At(id).name, arguments, Style::kGlobal);
    if (const auto prefix = QualifiedName(At(id).children[0]); prefix.has_value()) {
      const std::string full = *prefix + "." + std::string(At(id).name);
      if (Declarations::Get().FindFunction(full) != nullptr) {
        Node& node = At(id);
        node.is_member = false;
        node.name = out_.ast.names.emplace_back(full);
        node.children.erase(node.children.begin());
        return Resolve(id, node.name, arguments, Style::kGlobal);
      }
    }
    arguments.insert(arguments.begin(), CheckNode(At(id).children[0]));
    return Resolve(id, At(id).name, arguments, Style::kMember);
  }

  // Finds the overloads that fit and notes the function and, if it is the only one, the overload.
  const Type* Resolve(NodeId id,
                      std::string_view name,
                      std::vector<const Type*> arguments,
                      Style style) {
    const Function* const function = Declarations::Get().FindFunction(name);
    if (function == nullptr || IsHidden(name)) return Undeclared(At(id).offset, name);
    for (const Type*& argument : arguments) argument = Known(argument);
    const Type* result = nullptr;
    std::vector<const Overload*> candidates;
    for (const Overload& overload : function->overloads) {
      if (overload.style != style) continue;
      const Type* const candidate = Match(overload, arguments);
      if (candidate == nullptr) continue;
      candidates.push_back(&overload);
      if (result != nullptr && !SameType(*result, *candidate)) {
        result = Make(TypeKind::kDyn);
      } else if (result == nullptr) {
        result = candidate;
      }
    }
    out_.facts[id].function = function;
    if (candidates.size() == 1) out_.facts[id].overload = candidates[0];
    out_.facts[id].candidates = out_.candidates.emplace_back(std::move(candidates));
    return result != nullptr ? result : NoOverload(id, name, arguments, style);
  }

  // The result type if `overload` takes `arguments`.
  const Type* Match(const Overload& overload, const std::vector<const Type*>& arguments) {
    const std::string suffix = fmt::format("_{}", fresh_++);
    std::vector<const Type*> parameters;
    parameters.reserve(overload.parameters.size());
    for (const Type* parameter : overload.parameters) {
      parameters.push_back(Rename(parameter, suffix));
    }
    if (!meanings_.Assignable(parameters, arguments)) return nullptr;
    return Known(Rename(overload.result, suffix));
  }

  const Type* Rename(const Type* type, std::string_view suffix) {
    if (type->kind == TypeKind::kParameter) {
      return out_.types.MakeNamed(TypeKind::kParameter, fmt::format("{}{}", type->name, suffix));
    }
    if (type->parameters.empty()) return type;
    std::vector<const Type*> inner;
    inner.reserve(type->parameters.size());
    for (const Type* parameter : type->parameters) inner.push_back(Rename(parameter, suffix));
    return out_.types.Make(type->kind, std::move(inner));
  }

  const Type* NoOverload(NodeId id,
                         std::string_view name,
                         const std::vector<const Type*>& arguments,
                         Style style) {
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

  static constexpr std::string_view kDeviceType = "kubernetes.DRADevice";
  static constexpr std::string_view kQuantityType = "kubernetes.Quantity";
  // No declared name comes near.
  static constexpr size_t kQualifiedNameMax = 128;

  const Environment& environment_;
  const Scope& scope_;
  std::vector<SourceError>& errors_;
  CheckedAst out_;
  Substitution meanings_;
  std::vector<Variable> variables_;
  uint32_t fresh_ = 0;
};

}  // namespace

CheckedAst Check(Ast ast,
                 const Environment& environment,
                 const Scope& scope,
                 std::vector<SourceError>& errors) {
  return Checker(std::move(ast), environment, scope, errors).Run();
}

}  // namespace dray::cel
