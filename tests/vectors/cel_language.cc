// SPDX-License-Identifier: Apache-2.0
// The language's own conformance tests (cel-simple-test/1), with the results of Kubernetes'
// environment.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cel/value/arena.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/cel_answer.h"
#include "tests/vectors/cel_cases.h"
#include "tests/vectors/cel_values.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using api::Release;

bool IsSet(const json::object& test, std::string_view flag) {
  const json::value* const value = test.if_contains(flag);
  return value != nullptr && value->is_bool() && value->as_bool();
}

cel::check::FunctionDeclaration FunctionOf(const json::object& declaration) {
  cel::check::FunctionDeclaration function = {.name = std::string(TextOf(declaration, "name")),
                                              .overloads = {}};
  for (const json::value& one : ListOf(declaration, "overloads")) {
    const json::object& json = one.as_object();
    cel::check::OverloadDeclaration& overload = function.overloads.emplace_back();
    overload.is_member = IsSet(json, "member");
    for (const json::value& parameter : ListOf(json, "params")) {
      overload.parameters.emplace_back(parameter.as_string());
    }
    overload.result = TextOf(json, "result");
  }
  return function;
}

// The declarations of a case and the values of its variables, in order.
struct Surroundings {
  cel::check::Scope scope;
  std::vector<cel::Value> values;
};

// A variable without a value fails when it is used.
cel::Value ValueOf(const json::object& test, std::string_view name, cel::Arena& arena) {
  const json::value* const bindings = test.if_contains("bindings");
  const json::value* const bound =
      bindings == nullptr ? nullptr : bindings->as_object().if_contains(name);
  if (bound != nullptr) {
    if (const auto value = ReadTagged(bound->as_object(), arena)) return *value;
  }
  return cel::Value::Error(arena.Copy(fmt::format("no such attribute(s): {}", name)));
}

Surroundings SurroundingsOf(const json::object& test, cel::Arena& arena) {
  Surroundings out;
  out.scope.container = TextOf(test, "container");
  out.scope.checked = !IsSet(test, "disable_check");
  for (const json::value& one : ListOf(test, "type_env")) {
    const json::object& declaration = one.as_object();
    const std::string_view name = TextOf(declaration, "name");
    if (TextOf(declaration, "kind") == "function") {
      out.scope.functions.push_back(FunctionOf(declaration));
    } else {
      out.scope.variables.push_back(
          {.name = std::string(name), .type = std::string(TextOf(declaration, "type"))});
      out.values.push_back(ValueOf(test, name, arena));
    }
  }
  return out;
}

// With check_only nothing is evaluated, so only the type is compared.
std::string DifferenceOfChecked(const CelAnswer& got, const json::object& test) {
  const std::string_view type = TextOf(test.at("expect").as_object(), "deduced_type");
  if (got.outcome == "compile_error") return got.error;
  if (type.empty() || got.type == type) return {};
  return fmt::format("type {}, want {}", got.type, type);
}

std::string DifferenceOfError(const CelAnswer& got, const json::object& verdict) {
  const std::string_view want = TextOf(verdict, "error");
  const bool is_late = TextOf(verdict, "stage") == "eval";
  if (got.outcome != (is_late ? "runtime_error" : "compile_error")) {
    return fmt::format("{} {}{}, want an error of stage {} {}",
                       got.outcome,
                       got.error,
                       got.value.is_null() ? "" : json::serialize(got.value),
                       TextOf(verdict, "stage"),
                       want);
  }
  // Only the first line of the first error is given.
  if (got.error.contains(want) || SameErrorText(got.error, want, TypeNames::kExact)) return {};
  return fmt::format("error {}\n  want {}", got.error, want);
}

// `verdict` is the answer of upstream's environment: as the test expects, or different.
std::string DifferenceFromVerdict(const CelAnswer& got,
                                  const json::object& test,
                                  const json::object& verdict) {
  const json::object& expect = test.at("expect").as_object();
  const bool agrees = IsSet(verdict, "agrees");
  const json::value* const value =
      agrees ? expect.if_contains("value") : verdict.if_contains("value");
  const bool is_error = agrees ? TextOf(expect, "kind") == "error" : value == nullptr;
  if (is_error) return DifferenceOfError(got, verdict);
  if (IsSet(test, "check_only")) return DifferenceOfChecked(got, test);
  if (got.outcome != "value" || !SameTagged(got.value, *value)) {
    return fmt::format("{} {}{}, want {}",
                       got.outcome,
                       got.error,
                       got.value.is_null() ? "" : json::serialize(got.value),
                       json::serialize(*value));
  }
  return agrees && !IsSet(test, "disable_check") ? DifferenceOfChecked(got, test) : "";
}

}  // namespace

void RunLanguageCases(CelFile& file) {
  for (const json::value& one : ListOf(file.json(), "cases")) {
    const json::object& test = one.as_object();
    if (!test.contains("k8s_1_36")) {
      file.Skip("protobuf messages");
      continue;
    }
    if (IsSet(test, "disable_macros")) {
      file.Skip("macros switched off");
      continue;
    }
    for (const Release release : {Release::k1_36, Release::kNewest}) {
      if (!file.IsChosen(TextOf(test, "id"), release)) continue;
      cel::Arena arena;
      const Surroundings surroundings = SurroundingsOf(test, arena);
      const CelDevice device({});
      const cel::Environment environment = {.release = release,
                                            .purpose = cel::Purpose::kFree,
                                            .consumable_capacity = true,
                                            .list_type_attributes = true};
      std::vector<cel::Value> variables = {device.activation().value(environment)};
      variables.insert(variables.end(), surroundings.values.begin(), surroundings.values.end());
      const bool is_newest = release == Release::kNewest && test.contains("k8s_1_37");
      file.Record(
          TextOf(test, "id"),
          release,
          DifferenceFromVerdict(
              AnswerFreely(TextOf(test, "expr"), environment, surroundings.scope, variables),
              test,
              test.at(is_newest ? "k8s_1_37" : "k8s_1_36").as_object()));
    }
  }
}

}  // namespace dray::vectors
