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
#include "base/frozen.h"
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

/// The optional names that are declared. `object`, `oldObject`, `namespaceObject` and `request`
/// always are.
struct Declared {
  bool params = false;
  bool authorizer = false;  // and authorizer.requestResource
  bool variables = false;
  /// What patches are made of: the types Object and JSONPatch, and jsonpatch.escapeKey.
  bool patches = false;
};

/// The allowed result of an expression.
enum class ResultKind : uint8_t { kBool, kString, kStringOrNull, kAnything, kObject, kJsonPatch };

/// The types of patches: Object and Object.a.b are the object and what is in its fields.
inline constexpr std::string_view kObjectType = "Object";
inline constexpr std::string_view kJsonPatchType = "JSONPatch";

/// The values of all variables; those that an expression does not declare are left out when it is
/// evaluated.
struct Variables {
  cel::Value object, old_object, namespace_object, request, params;
  cel::Value authorizer, request_resource;
  cel::Value variables;
};

/// `values` in the order of the declarations.
std::vector<cel::Value> InOrder(const Variables& values, const Declared& declared);

/// The types of variables that are dyn otherwise. They outlive what is compiled with them.
struct TypedVariables {
  const cel::check::Type* object = nullptr;  // and oldObject
  const cel::check::Type* params = nullptr;  // null: dyn
  cel::check::FieldTypes* fields = nullptr;
};

/// Compiles the expressions of one policy, in order. Later expressions can use the named ones
/// before them. Not thread-safe.
class Compiler {
 public:
  /// `typed` may be null, and outlives it.
  explicit Compiler(api::Release release, const TypedVariables* typed = nullptr)
      : release_(release), typed_(typed) {}

  /// Finds errors of the expression itself, not those that depend on a request. O(length).
  Compiled Compile(std::string_view expression,
                   const Declared& declared,
                   ResultKind result,
                   cel::ExpressionUse use) const;
  /// What is wrong with the syntax and the types of an expression; empty: nothing.
  std::string TypeProblem(std::string_view expression, const Declared& declared) const;
  /// Declares variables.`name` with the type of `compiled`; dyn if it has none.
  void Name(std::string_view name, const Compiled& compiled);

 private:
  cel::check::Scope ScopeOf(const Declared& declared) const;

  api::Release release_;
  const TypedVariables* typed_;
  std::vector<cel::check::FieldDeclaration> named_;
};

}  // namespace dray::server::policies
