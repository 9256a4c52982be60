// SPDX-License-Identifier: Apache-2.0
// The functions and type names an expression may refer to.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/check/overload_table.h"
#include "cel/check/type.h"

namespace dray::cel {

struct Overload {
  Style style = Style::kGlobal;
  std::vector<const Type*> parameters;  // the receiver first
  const Type* result = nullptr;
};

struct Function {
  std::string name;
  std::vector<Overload> overloads;
};

/// Built once for the whole process and never changed.
class Declarations {
 public:
  static const Declarations& Get();

  /// nullptr if there is no such function. Operators have their internal names (_+_).
  const Function* FindFunction(std::string_view name) const;
  /// The type of the name of a type, "type(int)" for "int"; nullptr for other names.
  const Type* FindTypeName(std::string_view name) const;

 private:
  Declarations();

  TypePool pool_;
  std::unordered_map<std::string_view, Function> functions_;  // keys live in the overload table
  std::unordered_map<std::string_view, const Type*> type_names_;
};

}  // namespace dray::cel
