// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_parts.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/text/names.h"
#include "api/validation/value_rules.h"
#include "base/text/ascii.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
namespace validation = api::validation;
using validation::FieldErrors;
using validation::Path;
using validation::Shown;

constexpr std::array<std::string_view, 2> kNotFoundActions = {"Deny", "Allow"};

bool IsCelName(std::string_view name) {
  constexpr auto kReserved = std::to_array<std::string_view>(
      {"true",     "false",   "null",      "in",       "as",  "break",  "const",
       "continue", "else",    "for",       "function", "if",  "import", "let",
       "loop",     "package", "namespace", "return",   "var", "void",   "while"});
  return api::CheckCIdentifier(name).empty() && !IsOneOf(kReserved, name);
}

std::string Joined(const api::NameErrors& problems) {
  return fmt::format("{}", fmt::join(problems, ","));
}

void CheckGroupVersion(const std::string& text, const Path& path, FieldErrors& errors) {
  if (text.empty()) return errors.Required(path);
  if (std::ranges::count(text, '/') > 1) {
    return errors.Invalid(path, Shown(text), "unexpected GroupVersion string: " + text);
  }
  const size_t slash = text.find('/');
  const std::string group = slash == std::string::npos ? "" : text.substr(0, slash);
  const std::string version = slash == std::string::npos ? text : text.substr(slash + 1);
  if (!group.empty()) {
    const auto problems = api::CheckDnsSubdomain(group);
    if (!problems.empty()) errors.Invalid(path, Shown(group), Joined(problems));
  }
  if (version.empty()) return errors.Invalid(path, Shown(text), "version must be specified");
  const auto problems = api::CheckDns1035Label(version);
  if (!problems.empty()) errors.Invalid(path, Shown(version), Joined(problems));
}

}  // namespace

void CheckParamKind(const v1::ParamKind& param, const Path& path, FieldErrors& errors) {
  CheckGroupVersion(param.api_version, path.Child("apiVersion"), errors);
  const Path kind = path.Child("kind");
  if (param.kind.empty()) return errors.Required(kind);
  const auto problems = api::CheckDns1035Label(LowerAscii(param.kind));
  if (problems.empty()) return;
  errors.Invalid(kind,
                 Shown(param.kind),
                 "may have mixed case, but should otherwise match: " + Joined(problems));
}

void CheckParamRef(const v1::ParamRef& ref, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kOneOnly = "name and selector are mutually exclusive";
  const Path name = path.Child("name");
  const Path selector = path.Child("selector");
  if (!ref.name.empty()) {
    errors.Names(name, ref.name, api::CheckPathSegmentName(ref.name));
    if (ref.selector.has_value()) errors.Forbidden(name, kOneOnly);
  }
  if (ref.selector.has_value()) {
    validation::CheckLabelSelector(ref.selector, selector, errors);
    if (!ref.name.empty()) errors.Forbidden(selector, kOneOnly);
  }
  if (ref.name.empty() && !ref.selector.has_value()) {
    errors.Required(path, "one of name or selector must be specified");
  }
  const auto& action = ref.parameter_not_found_action;
  const bool is_there = action.has_value() && !action->empty();
  CheckWord(is_there ? action : std::nullopt,
            kNotFoundActions,
            path.Child("parameterNotFoundAction"),
            errors);
}

void CheckVariables(std::span<const v1::Variable> variables,
                    const KnownExpressions& known,
                    const Declared& declared,
                    Compiler& compiler,
                    At at) {
  for (size_t i = 0; i < variables.size() && !at.errors.is_full(); ++i) {
    const Path path = at.path.Index(i);
    const v1::Variable& variable = variables[i];
    const Path name = path.Child("name");
    const Path expression = path.Child("expression");
    if (TrimSpace(variable.name).empty()) {
      at.errors.Required(name, "name is not specified");
    } else if (!IsCelName(variable.name)) {
      at.errors.Invalid(name, Shown(variable.name), "must be a valid CEL identifier");
    }
    if (TrimSpace(variable.expression).empty()) {
      at.errors.Required(expression, "expression is not specified");
      continue;
    }
    const Compiled compiled = compiler.Compile(
        variable.expression, declared, ResultKind::kAnything, UseOf(known, variable.expression));
    compiler.Name(variable.name, compiled);
    ReportProblem(compiled, variable.expression, {expression, at.errors});
  }
}

}  // namespace dray::server::policies
