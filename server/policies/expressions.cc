// SPDX-License-Identifier: Apache-2.0
#include "server/policies/expressions.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cel/check/type.h"
#include "cel/compile.h"

namespace dray::server::policies {
namespace {

namespace check = cel::check;
using check::ObjectDeclaration;
using check::Type;
using check::TypeKind;

constexpr std::string_view kVariables = "kubernetes.variables";

// The fields of the request and of a namespace, as upstream declares them for all policies.
const std::vector<ObjectDeclaration>& FixedObjects() {
  static const std::vector<ObjectDeclaration> kObjects = {
      {"kubernetes.GroupVersionKind",
       {{"group", "string"}, {"version", "string"}, {"kind", "string"}}},
      {"kubernetes.GroupVersionResource",
       {{"group", "string"}, {"version", "string"}, {"resource", "string"}}},
      {"kubernetes.UserInfo",
       {{"username", "string"},
        {"uid", "string"},
        {"groups", "list(string)"},
        {"extra", "map(string, list(string))"}}},
      {"kubernetes.AdmissionRequest",
       {{"kind", "kubernetes.GroupVersionKind"},
        {"resource", "kubernetes.GroupVersionResource"},
        {"subResource", "string"},
        {"requestKind", "kubernetes.GroupVersionKind"},
        {"requestResource", "kubernetes.GroupVersionResource"},
        {"requestSubResource", "string"},
        {"name", "string"},
        {"namespace", "string"},
        {"operation", "string"},
        {"userInfo", "kubernetes.UserInfo"},
        {"dryRun", "bool"},
        {"options", "dyn"}}},
      {"kubernetes.NamespaceSpec", {{"finalizers", "list(string)"}}},
      {"kubernetes.NamespaceCondition",
       {{"status", "string"},
        {"type", "string"},
        {"lastTransitionTime", "google.protobuf.Timestamp"},
        {"message", "string"},
        {"reason", "string"}}},
      {"kubernetes.NamespaceStatus",
       {{"conditions", "list(kubernetes.NamespaceCondition)"}, {"phase", "string"}}},
      {"kubernetes.NamespaceMetadata",
       {{"name", "string"},
        {"generateName", "string"},
        {"namespace", "string"},
        {"labels", "map(string, string)"},
        {"annotations", "map(string, string)"},
        {"UID", "string"},
        {"creationTimestamp", "google.protobuf.Timestamp"},
        {"deletionGracePeriodSeconds", "int"},
        {"deletionTimestamp", "google.protobuf.Timestamp"},
        {"generation", "int"},
        {"resourceVersion", "string"},
        {"finalizers", "list(string)"}}},
      {"kubernetes.Namespace",
       {{"metadata", "kubernetes.NamespaceMetadata"},
        {"spec", "kubernetes.NamespaceSpec"},
        {"status", "kubernetes.NamespaceStatus"}}},
  };
  return kObjects;
}

// The type of a named expression for other expressions: upstream keeps what a schema can express.
std::string ShownType(const Type& type) {  // NOLINT(misc-no-recursion): types are as deep as text
  switch (type.kind) {
    case TypeKind::kAny:
    case TypeKind::kBool:
    case TypeKind::kBytes:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kNull:
    case TypeKind::kString:
    case TypeKind::kTimestamp:
    case TypeKind::kUint: return check::DeclaredName(type);
    case TypeKind::kList: return fmt::format("list({})", ShownType(*type.parameters[0]));
    case TypeKind::kMap:
      return fmt::format(
          "map({}, {})", ShownType(*type.parameters[0]), ShownType(*type.parameters[1]));
    case TypeKind::kError:
    case TypeKind::kDyn:
    case TypeKind::kType:
    case TypeKind::kOptional:
    case TypeKind::kWrapper:
    case TypeKind::kObject:
    case TypeKind::kOpaque:
    case TypeKind::kParameter: break;
  }
  return "dyn";
}

bool IsListOfPatches(const Type& type) {
  if (type.kind != TypeKind::kList) return false;
  const Type& element = *type.parameters[0];
  return element.kind == TypeKind::kObject && element.name == kJsonPatchType;
}

void DeclarePatches(check::Scope& scope) {
  scope.objects.push_back(
      {.name = std::string(kObjectType), .fields = {}, .literals = check::Literals::kOfAny});
  scope.objects.push_back(
      {.name = std::string(kJsonPatchType),
       .fields = {{"op", "string"}, {"path", "string"}, {"from", "string"}, {"value", "dyn"}},
       .literals = check::Literals::kOfFields});
  scope.functions.push_back(
      {.name = "jsonpatch.escapeKey",
       .overloads = {{.is_member = false, .parameters = {"string"}, .result = "string"}}});
}

void SetTypes(const TypedVariables& typed, check::Scope& scope) {
  scope.fields = typed.fields;
  for (check::VariableDeclaration& variable : scope.variables) {
    if (variable.name == "object" || variable.name == "oldObject") {
      variable.known_type = typed.object;
    } else if (variable.name == "params") {
      variable.known_type = typed.params;
    }
  }
}

std::optional<std::string> ResultProblem(const Type& type, ResultKind wanted) {
  const std::string got = check::DeclaredName(type);
  switch (wanted) {
    case ResultKind::kBool:
      if (type.kind == TypeKind::kBool) return std::nullopt;
      return fmt::format("must evaluate to bool but got {}", got);
    case ResultKind::kString:
      if (type.kind == TypeKind::kString) return std::nullopt;
      return fmt::format("must evaluate to string but got {}", got);
    case ResultKind::kStringOrNull:
      if (type.kind == TypeKind::kString || type.kind == TypeKind::kNull) return std::nullopt;
      return fmt::format("must evaluate to one of [string null_type] but got {}", got);
    case ResultKind::kObject:
      if (type.kind == TypeKind::kObject && type.name == kObjectType) return std::nullopt;
      return fmt::format("must evaluate to Object but got {}", got);
    case ResultKind::kJsonPatch:
      if (IsListOfPatches(type)) return std::nullopt;
      return fmt::format("must evaluate to list(JSONPatch) but got {}", got);
    case ResultKind::kAnything: break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<cel::Value> InOrder(const Variables& values, const Declared& declared) {
  std::vector<cel::Value> all = {
      values.object, values.old_object, values.namespace_object, values.request};
  if (declared.params) all.push_back(values.params);
  if (declared.authorizer) {
    all.push_back(values.authorizer);
    all.push_back(values.request_resource);
  }
  if (declared.variables) all.push_back(values.variables);
  return all;
}

cel::check::Scope Compiler::ScopeOf(const Declared& declared) const {
  check::Scope scope;
  scope.variables = {{"object", "dyn"},
                     {"oldObject", "dyn"},
                     {"namespaceObject", "kubernetes.Namespace"},
                     {"request", "kubernetes.AdmissionRequest"}};
  if (declared.params) scope.variables.push_back({"params", "dyn"});
  if (declared.authorizer) {
    scope.variables.push_back({"authorizer", "kubernetes.authorization.Authorizer"});
  }
  // Upstream forgets it where it knows the types.
  if (declared.authorizer && typed_ == nullptr) {
    scope.variables.push_back(
        {"authorizer.requestResource", "kubernetes.authorization.ResourceCheck"});
  }
  if (declared.variables) scope.variables.push_back({"variables", std::string(kVariables)});
  scope.objects = FixedObjects();
  scope.objects.push_back({.name = std::string(kVariables), .fields = named_});
  if (declared.patches) DeclarePatches(scope);
  if (typed_ != nullptr) SetTypes(*typed_, scope);
  return scope;
}

Compiled Compiler::Compile(std::string_view expression,
                           const Declared& declared,
                           ResultKind result,
                           cel::ExpressionUse use) const {
  const cel::Environment environment{
      .release = release_, .use = use, .purpose = cel::Purpose::kAdmission};
  auto program = cel::CompileProgram(expression, environment, ScopeOf(declared));
  if (!program.has_value()) {
    return std::unexpected(ExpressionProblem{.is_internal = program.error().is_internal(),
                                             .message = std::move(program.error().message)});
  }
  if (auto problem = ResultProblem((*program)->result_type(), result); problem.has_value()) {
    return std::unexpected(ExpressionProblem{.message = *std::move(problem)});
  }
  return *std::move(program);
}

std::string Compiler::TypeProblem(std::string_view expression, const Declared& declared) const {
  constexpr std::string_view kIntroduction = "compilation failed: ";
  const cel::Environment environment{
      .release = release_, .use = cel::ExpressionUse::kStored, .purpose = cel::Purpose::kAdmission};
  const auto program = cel::CompileProgram(expression, environment, ScopeOf(declared));
  if (program.has_value()) return {};
  const std::string& message = program.error().message;
  return message.starts_with(kIntroduction) ? message.substr(kIntroduction.size()) : std::string();
}

void Compiler::Name(std::string_view name, const Compiled& compiled) {
  named_.push_back({.name = std::string(name),
                    .type = compiled.has_value() ? ShownType((*compiled)->result_type()) : "dyn"});
}

}  // namespace dray::server::policies
