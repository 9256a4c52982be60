// SPDX-License-Identifier: Apache-2.0
// The expressions of admission policies: their variables and result types. After apiserver's
// pkg/admission/plugin/cel.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/release.h"
#include "base/published.h"
#include "cel/check/scope.h"
#include "cel/eval/program.h"
#include "cel/language/environment.h"

namespace dray::server::policies {

/// Why an expression cannot be used, in upstream's words.
struct ExpressionProblem {
  bool is_internal = false;  // else the error is in the expression
  std::string message;
};

using Compiled = std::expected<Frozen<cel::eval::Program>, ExpressionProblem>;

/// The optional variables that are declared. `object`, `oldObject`, `namespaceObject` and `request`
/// always are.
struct Declared {
  bool params = false;
  bool authorizer = false;  // and authorizer.requestResource
  bool variables = false;
};

/// The allowed result of an expression.
enum class ResultKind : uint8_t { kBool, kString, kStringOrNull, kAnything };

/// The values of all variables; those that an expression does not declare are left out when it is
/// evaluated.
struct Variables {
  cel::Value object, old_object, namespace_object, request, params;
  cel::Value authorizer, request_resource;
  cel::Value variables;
};

/// `values` in the order of the declarations.
std::vector<cel::Value> InOrder(const Variables& values, const Declared& declared);

/// Compiles the expressions of one policy, in order. Later expressions can use the named ones
/// before them. Not thread-safe.
class Compiler {
 public:
  explicit Compiler(api::Release release) : release_(release) {}

  /// Finds errors of the expression itself, not those that depend on a request. O(length).
  Compiled Compile(std::string_view expression,
                   const Declared& declared,
                   ResultKind result,
                   cel::ExpressionUse use) const;
  /// Declares variables.`name` with the type of `compiled`; dyn if it has none.
  void Name(std::string_view name, const Compiled& compiled);

 private:
  cel::check::Scope ScopeOf(const Declared& declared) const;

  api::Release release_;
  std::vector<cel::check::FieldDeclaration> named_;
};

}  // namespace dray::server::policies
