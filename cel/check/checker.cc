// SPDX-License-Identifier: Apache-2.0
// One walk over the tree (cel-spec, "Gradual Type Checking"). One Substitution binds the type
// variables of the whole expression. The type of a node is final only at the end, so all types are
// resolved once more then.
//
// Macros are checked as the loops that they are upstream, in the same order, because the order
// decides which type variable is bound to what.
#include "cel/check/checker.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cel/check/context.h"
#include "cel/check/environment_variables.h"
#include "cel/check/messages.h"
#include "cel/check/names.h"
#include "cel/check/overloads.h"
#include "cel/syntax/limits.h"

namespace dray::cel::check {

using syntax::FoldKind;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::SourceError;

namespace {

const Type* Make(TypeKind kind) {
  return SimpleType(kind);
}

class Checker {
 public:
  explicit Checker(CheckContext& context) : context_(context) {}

  void Run() {
    CheckedAst& out = context_.out;
    CheckNode(out.ast.root);
    for (NodeFacts& facts : out.facts) {
      if (facts.type == nullptr) continue;
      facts.type = context_.meanings.Apply(facts.type, out.types, Substitution::Unknown::kDyn);
    }
  }

 private:
  Node& At(NodeId id) { return context_.At(id); }
  const Type* Fail(uint32_t offset, std::string message) {
    return context_.Fail(offset, std::move(message));
  }

  const Type* CheckNode(NodeId id) {
    const Type* type = TypeOf(id);
    if (!context_.scope.checked) type = Make(TypeKind::kDyn);
    context_.FactsOf(id).type = type;
    return type;
  }

  const Type* TypeOf(NodeId id) {
    switch (At(id).kind) {
      case NodeKind::kLiteral: return LiteralType(At(id).constant);
      case NodeKind::kIdentifier: return names_.CheckIdentifier(id);
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
      case NodeKind::kMessage: return CheckMessage(id);
      case NodeKind::kFold: return CheckFold(id);
      case NodeKind::kBind: return CheckBind(id);
      case NodeKind::kOptMap: return CheckOptMap(id);
      case NodeKind::kSortBy: return CheckSortBy(id);
    }
    return Make(TypeKind::kError);
  }

  static const Type* LiteralType(const syntax::Constant& constant) {
    constexpr std::array kKinds = {TypeKind::kNull,
                                   TypeKind::kBool,
                                   TypeKind::kInt,
                                   TypeKind::kUint,
                                   TypeKind::kDouble,
                                   TypeKind::kString,
                                   TypeKind::kBytes};
    static_assert(kKinds.size() == std::variant_size_v<syntax::Constant>);
    return Make(kKinds[constant.index()]);
  }

  const Type* CheckSelect(NodeId id) {
    if (const Type* const type = names_.CheckQualifiedName(id); type != nullptr) return type;
    return context_.Known(CheckField(id));
  }

  // The type of the field of a kSelect or kHas.
  const Type* CheckField(NodeId id) {
    const Type* operand = context_.Known(CheckNode(At(id).children[0]));
    const Node& node = At(id);
    bool optional = node.optional;
    if (operand->kind == TypeKind::kOptional) {
      operand = operand->parameters[0];
      optional = true;
    }
    const Type* const result = FieldType(*operand, node);
    return optional ? context_.OptionalOf(result) : result;
  }

  const Type* FieldType(const Type& operand, const Node& node) {
    switch (operand.kind) {
      case TypeKind::kMap: return operand.parameters[1];
      case TypeKind::kParameter:
        context_.meanings.Agree(*Make(TypeKind::kDyn), operand);
        return Make(TypeKind::kDyn);
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kError: return Make(TypeKind::kDyn);
      case TypeKind::kObject: return FieldOfObject(operand, node);
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

  const Type* FieldOfObject(const Type& object, const Node& node) {
    FieldTypes* const fields = context_.scope.fields;
    if (fields == nullptr || !fields->Has(object)) {
      const Type* const type = ObjectFieldType(object.name, node.name, node.offset);
      return type == NoType() ? Make(TypeKind::kDyn) : type;
    }
    const Type* const found = fields->Find(object, node.name);
    return found != nullptr ? found
                            : Fail(node.offset, fmt::format("undefined field '{}'", node.name));
  }

  // Kubernetes types have no description that fields could be looked up in.
  const Type* ObjectFieldType(std::string_view object, std::string_view field, uint32_t offset) {
    const auto own = EnvironmentFieldType(object, field, context_.environment);
    if (own.has_value()) return context_.ParseType(*own);
    if (const ObjectDeclaration* const of_scope = context_.scope.FindObject(object)) {
      const auto known = std::ranges::find(of_scope->fields, field, &FieldDeclaration::name);
      if (known != of_scope->fields.end()) return context_.ParseType(known->type);
      // Upstream takes any field of what literals make, and has no type for those of kOfFields.
      if (of_scope->literals == Literals::kOfAny) return Make(TypeKind::kDyn);
      if (of_scope->literals == Literals::kOfFields) return NoType();
      return Fail(offset, fmt::format("undefined field '{}'", field));
    }
    if (const Message* const message = FindMessage(object); message != nullptr) {
      const auto type = message->TypeOf(field);
      if (type.has_value()) return context_.ParseType(*type);
    } else if (object != kDeviceType) {
      return Fail(offset, fmt::format("unexpected failed resolution of '{}'", object));
    }
    return Fail(offset, fmt::format("undefined field '{}'", field));
  }

  const Type* CheckIndex(NodeId id) {
    const Types arguments = CheckChildren(id, 0);
    const std::string_view name = At(id).optional ? "_[?_]" : "_[_]";
    return overloads_.Resolve(id, name, arguments, Style::kGlobal);
  }

  const Type* CheckConditional(NodeId id) {
    return overloads_.Resolve(id, "_?_:_", CheckChildren(id, 0), Style::kGlobal);
  }

  Types CheckChildren(NodeId id, size_t first) {
    const size_t count = At(id).children.size();
    const Types types = context_.memory().MakeArray<const Type*>(count);
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
    if (context_.meanings.Agree(*type, *Make(TypeKind::kBool))) return true;
    Fail(At(id).offset, fmt::format("expected type 'bool' but found '{}'", CheckerName(*type)));
    return false;
  }

  const Type* CheckCall(NodeId id) {
    const bool is_member = At(id).is_member;
    const Types arguments = CheckChildren(id, is_member ? 1 : 0);
    if (!is_member) return overloads_.Resolve(id, At(id).name, arguments, Style::kGlobal);
    const std::string prefix = names_.QualifiedName(At(id).children[0]);
    if (!prefix.empty()) {
      const std::string full = prefix + "." + std::string(At(id).name);
      if (names_.FindFunction(full) != nullptr) {
        Node& node = At(id);
        node.is_member = false;
        node.name = context_.memory().Copy(full);
        node.children = node.children.subspan(1);
        return overloads_.Resolve(id, node.name, arguments.subspan(1), Style::kGlobal);
      }
    }
    arguments[0] = CheckNode(At(id).children[0]);
    return overloads_.Resolve(id, At(id).name, arguments, Style::kMember);
  }

  // The common type of the elements of a literal.
  const Type* Join(const Type* before, const Type* next) {
    if (before == nullptr) return next;
    if (context_.meanings.Agree(*before, *next)) return MoreGeneral(before, next);
    return Make(TypeKind::kDyn);  // the rule of uniform literals says what is wrong
  }

  // The type inside the optional of an entry [?x], {?k: v} or M{?f: v}.
  const Type* EntryType(const Node& node, size_t entry, NodeId value, const Type* type) {
    if (entry >= node.optional_entries.size() || !node.optional_entries[entry]) return type;
    if (type->kind == TypeKind::kOptional) return type->parameters[0];
    if (type->kind == TypeKind::kDyn || type->kind == TypeKind::kAny) return type;
    Fail(At(value).offset,
         fmt::format("expected type 'optional_type({0})' but found '{0}'", CheckerName(*type)));
    return type;
  }

  const Type* CheckList(NodeId id) {
    const Node node = At(id);
    const Type* element = nullptr;
    for (size_t i = 0; i < node.children.size(); ++i) {
      const Type* const type = CheckNode(node.children[i]);
      element = Join(element, EntryType(node, i, node.children[i], type));
    }
    return context_.ListOf(element != nullptr ? element : context_.FreshParameter());
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
    if (key == nullptr) return EmptyMap();
    return context_.MapOf(key, value);
  }

  const Type* EmptyMap() {
    const Type* const key = context_.FreshParameter();
    return context_.MapOf(key, context_.FreshParameter());
  }

  const Type* CheckMessage(NodeId id) {
    const uint32_t offset = At(id).offset;
    std::string_view name = At(id).name;
    const Type* const denoted = names_.FindMessageType(name);
    if (denoted == nullptr) return names_.Undeclared(offset, name);
    At(id).name = name;
    const Type* result = Make(TypeKind::kError);
    if (denoted->kind != TypeKind::kType) {
      Fail(offset, fmt::format("'{}' is not a type", DeclaredName(*denoted)));
    } else if (MayBeMessage(*denoted->parameters[0])) {
      result = denoted->parameters[0];
    } else {
      Fail(offset, fmt::format("'{}' is not a message type", KindOrName(*denoted->parameters[0])));
    }
    CheckFields(id, result);
    return result;
  }

  static std::string_view KindOrName(const Type& type) {
    const std::string_view kind = KindName(type.kind);
    return kind.empty() ? type.name : kind;
  }

  // What follows an error about the type itself is looked up in nothing.
  void CheckFields(NodeId id, const Type* message) {
    const Node node = At(id);
    if (const ObjectDeclaration* const declared = context_.scope.FindObject(node.name)) {
      context_.FactsOf(id).literals = declared->literals;
    }
    for (size_t i = 0; i < node.children.size(); i += 2) {
      const Node& key = At(node.children[i]);
      CheckNode(node.children[i]);
      const std::string_view field = std::get<std::string_view>(key.constant);
      const uint32_t offset = key.offset;
      const Type* const type = CheckNode(node.children[i + 1]);
      const Type* const wanted = message->kind == TypeKind::kError
                                     ? Fail(offset, fmt::format("undefined field '{}'", field))
                                     : ObjectFieldType(node.name, field, offset);
      context_.FactsOf(node.children[i]).type = wanted;
      const Type* const given = EntryType(node, i / 2, node.children[i + 1], type);
      if (context_.meanings.Agree(*wanted, *given)) continue;
      Fail(offset,
           fmt::format("expected type of field '{}' is '{}' but provided type is '{}'",
                       field,
                       CheckerName(*wanted),
                       CheckerName(*given)));
    }
  }

  // Types of the one or two variables of a fold over `range`; errors are placed at `place`.
  std::array<const Type*, 2> ElementTypes(NodeId place, const Type* type, bool two) {
    switch (type->kind) {
      case TypeKind::kList:
        if (two) return {Make(TypeKind::kInt), type->parameters[0]};
        return {type->parameters[0], nullptr};
      case TypeKind::kMap: return {type->parameters[0], type->parameters[1]};
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kParameter: {
        context_.meanings.Agree(*Make(TypeKind::kDyn), *type);
        // 1.32 forgot the second variable.
        const bool forgets = two && !context_.environment.since(api::Release::k1_33);
        return {Make(TypeKind::kDyn), forgets ? NoType() : Make(TypeKind::kDyn)};
      }
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
            At(place).offset,
            fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, "
                        "map, or dynamic)",
                        CheckerName(*type)));
        return {error, error};
      }
    }
    return {};
  }

  const Type* CheckFold(NodeId id) {
    const Node node = At(id);
    const Type* const range = CheckNode(node.children[0]);
    const Type* const accumulator = InitialAccumulator(node.fold);
    const bool two = !node.name2.empty();
    const auto [first, second] = ElementTypes(node.children[0], context_.Known(range), two);
    context_.FactsOf(id).slot = names_.Declare(node.name, first);
    if (two) names_.Declare(node.name2, second);
    // Before 1.33 the accumulator of macros with one variable could be hidden.
    const bool is_hidden = node.name == "__result__";
    const Type* const step = StepType(id, is_hidden ? first : accumulator, first);
    names_.Forget(two ? 2 : 1);
    if (HasNoType(*context_.Known(step))) return context_.ListOf(Make(TypeKind::kDyn));
    if (!context_.meanings.Agree(*accumulator, *step)) {
      return Fail(
          At(id).offset,
          fmt::format(
              "expected type '{}' but found '{}'", CheckerName(*accumulator), CheckerName(*step)));
    }
    if (node.fold == FoldKind::kExistsOne) {
      overloads_.Resolve(id, "_==_", {accumulator, accumulator}, Style::kGlobal);
      return Make(TypeKind::kBool);
    }
    return context_.Known(accumulator);
  }

  // 1.32 lets lists of what has no type pass.
  static bool HasNoType(const Type& type) {
    return type.kind == TypeKind::kList && type.parameters[0] == NoType();
  }

  const Type* InitialAccumulator(FoldKind fold) {
    switch (fold) {
      case FoldKind::kAll:
      case FoldKind::kExists: break;
      case FoldKind::kExistsOne: return Make(TypeKind::kInt);
      case FoldKind::kMap:
      case FoldKind::kFilter: return context_.ListOf(context_.FreshParameter());
      case FoldKind::kTransformMap:
      case FoldKind::kTransformMapEntry: return EmptyMap();
    }
    return Make(TypeKind::kBool);
  }

  // The type of the accumulator after one round.
  const Type* StepType(NodeId id, const Type* accumulator, const Type* first) {
    const Node node = At(id);
    if (node.fold == FoldKind::kAll || node.fold == FoldKind::kExists) {
      const bool fits = ExpectBool(node.children[1], CheckNode(node.children[1]));
      return Make(fits ? TypeKind::kBool : TypeKind::kError);
    }
    const Type* predicate = nullptr;
    if (node.children[1] != syntax::kNoNode) predicate = CheckNode(node.children[1]);
    const Type* transform = nullptr;
    if (node.children[2] != syntax::kNoNode) transform = CheckNode(node.children[2]);
    const Type* const added = AddedType(id, accumulator, first, transform);
    if (predicate == nullptr) return added;
    return overloads_.Resolve(id, "_?_:_", {predicate, added, accumulator}, Style::kGlobal);
  }

  const Type* AddedType(NodeId id,
                        const Type* accumulator,
                        const Type* first,
                        const Type* transform) {
    switch (At(id).fold) {
      case FoldKind::kAll:
      case FoldKind::kExists: break;
      case FoldKind::kExistsOne:
        return overloads_.Resolve(id, "_+_", {accumulator, Make(TypeKind::kInt)}, Style::kGlobal);
      case FoldKind::kMap:
      case FoldKind::kFilter: {
        const Type* const item = transform != nullptr ? transform : first;
        return overloads_.Resolve(id, "_+_", {accumulator, context_.ListOf(item)}, Style::kGlobal);
      }
      case FoldKind::kTransformMap:
        return overloads_.Resolve(
            id, "cel.@mapInsert", {accumulator, first, transform}, Style::kGlobal);
      case FoldKind::kTransformMapEntry:
        return overloads_.Resolve(id, "cel.@mapInsert", {accumulator, transform}, Style::kGlobal);
    }
    return accumulator;
  }

  const Type* CheckBind(NodeId id) {
    const Node node = At(id);
    context_.FreshParameter();  // of the empty list that upstream loops over
    const Type* const initial = CheckNode(node.children[0]);
    const uint32_t slot = names_.UseNewSlots();
    context_.FactsOf(id).slot = names_.Declare(node.name, initial);
    const Type* const body = CheckNode(node.children[1]);
    names_.Forget(1);
    names_.Reuse(slot);
    return context_.Known(body);
  }

  // target.hasValue() ? optional.of(cel.bind(x, target.value(), body)) : optional.none()
  const Type* CheckOptMap(NodeId id) {
    const Node node = At(id);
    const size_t errors = context_.errors.size();
    const uint32_t variables = context_.meanings.size();
    const Type* const target = CheckNode(node.children[0]);
    const Copy copy = {.first_error = errors,
                       .last_error = context_.errors.size(),
                       .variables = context_.meanings.size() - variables};
    const Type* const condition = overloads_.Resolve(id, "hasValue", {target}, Style::kMember);
    context_.FreshParameter();  // of the empty list that upstream loops over
    CheckCopy(copy);
    const Type* const value = overloads_.Resolve(id, "value", {target}, Style::kMember);
    context_.FactsOf(id).slot = names_.Declare(node.name, value);
    const Type* body = context_.Known(CheckNode(node.children[1]));
    names_.Forget(1);
    if (!node.optional) body = overloads_.Resolve(id, "optional.of", {body}, Style::kGlobal);
    const Type* const none = overloads_.Resolve(id, "optional.none", {}, Style::kGlobal);
    return overloads_.Resolve(id, "_?_:_", {condition, body, none}, Style::kGlobal);
  }

  // What checking a node has left behind.
  struct Copy {
    size_t first_error = 0;
    size_t last_error = 0;
    uint32_t variables = 0;
  };

  // Upstream copies the target of optMap, so its errors are reported twice and its type variables
  // counted twice. The number is limited, because nested copies double each time.
  void CheckCopy(const Copy& copy) {
    constexpr uint32_t kVariablesMax = 10'000;
    std::vector<SourceError>& errors = context_.errors;
    for (size_t i = copy.first_error; i < copy.last_error && errors.size() < syntax::kErrorsMax;
         ++i) {
      errors.push_back(SourceError(errors[i]));
    }
    if (context_.meanings.size() < kVariablesMax) context_.meanings.Fresh(copy.variables);
  }

  // cel.bind(@input, list, @input.@sortByAssociatedKeys(@input.map(x, key)))
  const Type* CheckSortBy(NodeId id) {
    const Node node = At(id);
    context_.FreshParameter();
    const Type* const list = CheckNode(node.children[0]);
    const Type* const keys = context_.ListOf(context_.FreshParameter());
    const Type* const element = ElementTypes(id, context_.Known(list), /*two=*/false)[0];
    context_.FactsOf(id).slot = names_.Declare(node.name, element);
    const Type* const key = CheckNode(node.children[1]);
    names_.Forget(1);
    const Type* const step =
        overloads_.Resolve(id, "_+_", {keys, context_.ListOf(key)}, Style::kGlobal);
    context_.meanings.Agree(*keys, *step);
    return overloads_.Resolve(
        id, "@sortByAssociatedKeys", {list, context_.Known(keys)}, Style::kMember);
  }

  CheckContext& context_;
  Names names_{context_};
  Overloads overloads_{context_, names_};
};

}  // namespace

const ObjectDeclaration* Scope::FindObject(std::string_view object) const {
  const auto found = std::ranges::find_if(objects, [object](const ObjectDeclaration& one) {
    if (!object.starts_with(one.name)) return false;
    const std::string_view rest = object.substr(one.name.size());
    return rest.empty() || (one.literals == Literals::kOfAny && rest.starts_with('.'));
  });
  return found == objects.end() ? nullptr : &*found;
}

CheckedAst Check(syntax::Ast ast,
                 const Environment& environment,
                 const Scope& scope,
                 std::vector<SourceError>& errors) {
  CheckContext context{
      .environment = environment, .scope = scope, .errors = errors, .out = {}, .meanings = {}};
  if (!scope.functions.empty()) context.out.scope = std::make_shared<Declarations>(scope);
  context.out.ast = std::move(ast);
  context.out.facts.resize(context.out.ast.nodes.size());
  Checker(context).Run();
  return std::move(context.out);
}

}  // namespace dray::cel::check
