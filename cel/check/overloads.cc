// SPDX-License-Identifier: Apache-2.0
#include "cel/check/overloads.h"

#include <string>

#include <fmt/format.h>

namespace dray::cel::check {

using syntax::NodeId;

namespace {

bool IsDyn(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kAny;
}

}  // namespace

const Type* Overloads::Resolve(NodeId id,
                               std::string_view name,
                               std::initializer_list<const Type*> arguments,
                               Style style) {
  const Types copy = context_.memory().Copy(std::span<const Type* const>(arguments));
  return Resolve(id, name, copy, style);
}

const Type* Overloads::Resolve(NodeId id, std::string_view name, Types arguments, Style style) {
  const Function* const function = names_.FindFunction(name);
  if (function == nullptr) return names_.Undeclared(context_.At(id).offset, name);
  const Type* result = nullptr;
  candidates_.clear();
  for (const Overload& overload : function->overloads) {
    if (overload.style != style) continue;
    const Type* const candidate = Match(overload, arguments);
    if (candidate == nullptr) continue;
    candidates_.push_back(&overload);
    if (result == nullptr) {
      result = candidate;
    } else if (!IsDyn(*result) && !SameType(*result, *candidate)) {
      result = SimpleType(TypeKind::kDyn);
    }
  }
  NodeFacts& facts = context_.FactsOf(id);
  facts.function = function;
  facts.overload = candidates_.size() == 1 ? candidates_[0] : nullptr;
  facts.candidates = context_.memory().Copy(std::span<const Overload* const>(candidates_));
  return result != nullptr ? result : NoOverload(id, function->name, arguments, style);
}

// The result type if `overload` takes `arguments`. Type variables are numbered as upstream numbers
// them, whether the overload fits or not, because messages show the numbers.
const Type* Overloads::Match(const Overload& overload, Types arguments) {
  Substitution& meanings = context_.meanings;
  if (overload.type_parameters == 0) {
    return meanings.Assignable(overload.parameters, arguments) ? overload.result : nullptr;
  }
  const uint32_t first = meanings.Fresh(overload.type_parameters);
  if (overload.parameters.size() != arguments.size()) return nullptr;
  instances_.clear();
  for (const Type* parameter : overload.parameters) {
    instances_.push_back(Substitution::Instantiate(parameter, first, context_.out.types));
  }
  if (!meanings.Assignable(instances_, arguments)) return nullptr;
  return context_.Known(Substitution::Instantiate(overload.result, first, context_.out.types));
}

const Type* Overloads::NoOverload(NodeId id, std::string_view name, Types arguments, Style style) {
  const size_t receivers = style == Style::kMember ? 1 : 0;
  std::string applied = receivers == 0 ? "(" : "";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > receivers) applied += ", ";
    applied += CheckerName(
        *context_.meanings.Apply(arguments[i], context_.out.types, Substitution::Unknown::kDyn));
    if (i + 1 == receivers) applied += ".(";
  }
  return context_.Fail(
      context_.At(id).offset,
      fmt::format("found no matching overload for '{}' applied to '{})'", name, applied));
}

}  // namespace dray::cel::check
