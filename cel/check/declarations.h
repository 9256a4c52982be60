// SPDX-License-Identifier: Apache-2.0
// The functions and type names an expression may refer to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/check/overload_table.h"
#include "cel/check/scope.h"
#include "cel/check/type.h"
#include "cel/language/environment.h"

namespace dray::cel::check {

struct Overload {
  Style style = Style::kGlobal;
  uint32_t type_parameters = 0;             // numbered from 0 in the types
  std::span<const Type* const> parameters;  // the receiver first
  const Type* result = nullptr;
};

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;
};

/// The declarations of one environment, or of one Scope. Never changed once built.
class Declarations {
 public:
  /// Those of `environment`: built when first asked for and kept for the life of the process; there
  /// are few different ones.
  static const Declarations& For(const Environment& environment);
  /// Those of `scope` alone, which must outlive them.
  explicit Declarations(const Scope& scope);

  ~Declarations() = default;
  Declarations(const Declarations&) = delete;
  Declarations& operator=(const Declarations&) = delete;
  Declarations(Declarations&&) = default;

  /// nullptr if there is no such function. Operators have their internal names (_+_).
  const Function* FindFunction(std::string_view name) const;
  /// The type of the name of a type, "type(int)" for "int"; nullptr for other names.
  const Type* FindTypeName(std::string_view name) const;

  const std::unordered_map<std::string_view, Function>& functions() const { return functions_; }

 private:
  explicit Declarations(const Environment& environment);
  void Add(std::string_view name, const Overload& overload);

  TypePool pool_;
  syntax::Bump memory_;
  std::unordered_map<std::string_view, Function> functions_;  // keys outlive this
  std::unordered_map<std::string_view, const Type*> type_names_;
};

}  // namespace dray::cel::check
