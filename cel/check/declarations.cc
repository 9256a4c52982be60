// SPDX-License-Identifier: Apache-2.0
#include "cel/check/declarations.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/lazy.h"
#include "cel/check/messages.h"

namespace dray::cel::check {
namespace {

// Messages are types as well.
constexpr std::array<std::string_view, 14> kTypeNames = {
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
    "optional_type",
    "net.IP",
    "net.CIDR",
    "kubernetes.DRADevice",
};
// More type parameters than any declaration has.
constexpr size_t kTypeParametersMax = 8;

// Calls take(part) for each part of `text` between separators.
template <class Take>
void Split(std::string_view text, std::string_view separator, Take take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
}

// Reads the types of one overload, whose type parameters share their names.
class OverloadReader {
 public:
  OverloadReader(TypePool& pool, syntax::Bump& memory) : pool_(pool), memory_(memory) {}

  void Parameter(std::string_view text) { parameters_.push_back(pool_.Parse(text, names_)); }

  Overload Finish(Style style, std::string_view result) {
    const Type* const type = pool_.Parse(result, names_);
    return {.style = style,
            .type_parameters = names_.count,
            .parameters = memory_.Copy(std::span<const Type* const>(parameters_)),
            .result = type};
  }

 private:
  TypePool& pool_;
  syntax::Bump& memory_;
  std::array<std::string_view, kTypeParametersMax> buffer_;
  TypePool::Names names_{.names = buffer_};
  std::vector<const Type*> parameters_;
};

// The type that the bare name of a type with parts stands for.
std::string_view WithParts(std::string_view name) {
  if (name == "list") return "list(dyn)";
  if (name == "map") return "map(dyn, dyn)";
  return name == "optional_type" ? "optional_type(dyn)" : name;
}

// The one function that a feature gate decides about: new expressions may use `includes` only with
// the gate.
bool IsHidden(std::string_view function, const Environment& environment) {
  return function == "includes" && environment.use == ExpressionUse::kNew &&
         !environment.list_type_attributes;
}

constexpr int kFirstMinor = 30;
constexpr size_t kReleases = api::MinorOf(api::Release::kNewest) - kFirstMinor + 1;

size_t IndexOf(const Environment& environment) {
  const int minor = std::max(api::MinorOf(environment.rules()), kFirstMinor);
  const size_t use = environment.use == ExpressionUse::kStored ? 0
                     : environment.list_type_attributes        ? 1
                                                               : 2;
  return static_cast<size_t>(minor - kFirstMinor) * 3 + use;
}

}  // namespace

const Declarations& Declarations::For(const Environment& environment) {
  static const std::array<Lazy<Declarations>, kReleases * 3> kSets;
  return kSets[IndexOf(environment)].Get([&] { return Declarations(environment); });
}

Declarations::Declarations(const Environment& environment) {
  for (const OverloadText& text : OverloadTable()) {
    if (text.visibility == Visibility::kHidden || !text.available.Has(environment)) continue;
    OverloadReader reader(pool_, memory_);
    Split(text.parameters, "; ", [&](std::string_view parameter) { reader.Parameter(parameter); });
    const Overload overload = reader.Finish(text.style, text.result);
    Split(text.names, " ", [&](std::string_view name) {
      if (!IsHidden(name, environment)) Add(name, overload);
    });
  }
  for (const std::string_view name : kTypeNames) {
    type_names_[name] = pool_.Make(TypeKind::kType, {pool_.Parse(WithParts(name))});
  }
  for (const Message& message : Messages()) {
    type_names_[message.name] = pool_.Make(TypeKind::kType, {pool_.Parse(message.type)});
  }
}

Declarations::Declarations(const Scope& scope) {
  for (const FunctionDeclaration& function : scope.functions) {
    for (const OverloadDeclaration& declared : function.overloads) {
      OverloadReader reader(pool_, memory_);
      for (const std::string& parameter : declared.parameters) reader.Parameter(parameter);
      const Style style = declared.is_member ? Style::kMember : Style::kGlobal;
      Add(function.name, reader.Finish(style, declared.result));
    }
  }
}

void Declarations::Add(std::string_view name, const Overload& overload) {
  Function& function = functions_[name];
  function.name = name;
  function.overloads.push_back(overload);
}

const Function* Declarations::FindFunction(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const Type* Declarations::FindTypeName(std::string_view name) const {
  const auto found = type_names_.find(name);
  return found == type_names_.end() ? nullptr : found->second;
}

}  // namespace dray::cel::check
