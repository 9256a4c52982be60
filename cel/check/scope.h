// SPDX-License-Identifier: Apache-2.0
// Names that an expression may use beside those of its environment, as a test of the language or
// another host of it declares them.
#pragma once

#include <string>
#include <vector>

namespace dray::cel::check {

/// Types are written as in declarations: "map(string, dyn)", "optional_type(int)", "$T".
struct VariableDeclaration {
  std::string name;  // may be qualified: "a.b.c"
  std::string type;
};

struct OverloadDeclaration {
  bool is_member = false;
  std::vector<std::string> parameters;  // the receiver first
  std::string result;
};

/// A function that can be checked; calling it is an error.
struct FunctionDeclaration {
  std::string name;
  std::vector<OverloadDeclaration> overloads;
};

struct Scope {
  /// Names are looked up in it first, then in what encloses it: "a.b".
  std::string container;
  std::vector<VariableDeclaration> variables;
  std::vector<FunctionDeclaration> functions;
  /// Without checks every type is dyn and names that mean nothing fail when they are used.
  bool checked = true;
};

}  // namespace dray::cel::check
