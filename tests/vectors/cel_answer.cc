// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/cel_answer.h"

#include <regex>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/slice.h"
#include "base/world.h"
#include "base/zoneinfo.h"
#include "cel/compile.h"
#include "cel/cost/estimate.h"
#include "cel/derived_attribute.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/language/time_zones.h"
#include "cel/selector.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/cel_values.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using cel::Environment;

// Prefix that the device layer of upstream adds to errors of the language; measured texts lack it.
constexpr std::string_view kPrefix = "compilation failed: ";

CelAnswer Refusal(std::string message, bool is_internal) {
  return {.outcome = "compile_error", .error = std::move(message), .is_internal = is_internal};
}

CelAnswer Refusal(const Error& error) {
  return Refusal(error.message, error.reason == StatusReason::kInternalError);
}

std::string AnyAsDyn(std::string_view text) {
  static const std::regex kAny(R"(google\.protobuf\.Any|\bany\b)");
  return std::regex_replace(std::string(text), kAny, "dyn");
}

bool SameText(std::string_view got, std::string_view want, TypeNames names) {
  return got == want || (names == TypeNames::kAnyIsDyn && AnyAsDyn(got) == AnyAsDyn(want));
}

// The measurements were made with the time zones of their machine.
Environment WithTimeZones(Environment environment) {
  static const cel::TimeZones kTimeZones(ZoneFilesOf(RealWorld().disk));
  environment.time_zones = &kTimeZones;
  return environment;
}

CelAnswer Answer(std::string_view expression,
                 const Environment& environment,
                 const cel::check::Scope& scope,
                 std::span<const cel::Value> variables) {
  const auto program = cel::CompileProgram(expression, WithTimeZones(environment), scope);
  if (!program.has_value()) return Refusal(program.error().message, program.error().is_internal());
  cel::Arena arena;
  cel::eval::Meter meter(environment.cost_max);
  const cel::Value value = cel::eval::Evaluate(**program, variables, arena, meter);
  CelAnswer answer = {.outcome = value.is_error() ? "runtime_error" : "value",
                      .type = cel::check::DeclaredName((*program)->result_type()),
                      .runtime_cost = meter.spent()};
  // The estimate needs the types of a checked expression.
  if (scope.checked) {
    answer.estimated_cost = cel::cost::EstimateCost((*program)->checked(), environment).max;
  }
  if (value.is_error()) {
    answer.error = value.text();
  } else {
    answer.value = Tagged(value);
  }
  return answer;
}

// Estimates are {min, max} or the maximum alone.
std::string_view MaximumOf(const json::object& want, std::string_view name) {
  const json::value* const cost = want.if_contains(name);
  return cost != nullptr && cost->is_object() ? TextOf(cost->as_object(), "max")
                                              : TextOf(want, name);
}

std::string DifferenceOfCost(std::string_view what,
                             const std::optional<uint64_t>& got,
                             std::string_view want) {
  if (want.empty() || (got && std::to_string(*got) == want)) return {};
  return fmt::format("{} {}, want {}", what, got ? std::to_string(*got) : "not given", want);
}

std::string DifferenceOfValue(const CelAnswer& got, const json::object& want) {
  const json::value* const value = want.if_contains("value");
  if (value != nullptr) {
    const bool same = want.contains("list_order_varies") ? SameElements(got.value, *value)
                                                         : SameTagged(got.value, *value);
    if (!same)
      return fmt::format("{}, want {}", json::serialize(got.value), json::serialize(*value));
  }
  const json::value* const attribute = want.if_contains("attribute");
  if (attribute != nullptr && got.value != *attribute) {
    return fmt::format("{}, want {}", json::serialize(got.value), json::serialize(*attribute));
  }
  return {};
}

std::string DifferenceOfError(const CelAnswer& got, const json::object& want, TypeNames names) {
  for (const char* const name : {"error", "message"}) {
    const std::string_view text = TextOf(want, name);
    if (!text.empty() && !SameErrorText(got.error, text, names)) {
      return fmt::format("error {}\n  want {}", got.error, text);
    }
  }
  const std::string_view kind = got.is_internal ? "InternalError" : "RuleInvalid";
  if (want.contains("error_type") && TextOf(want, "error_type") != kind) {
    return fmt::format("{}, want {}", kind, TextOf(want, "error_type"));
  }
  return {};
}

json::array TextsOf(const std::vector<std::string>& texts) {
  // NOLINTNEXTLINE(modernize-return-braced-init-list): in braces the iterators would be elements
  return json::array(texts.begin(), texts.end());
}

// Devices in the form of vectors.
json::object AttributeJson(const api::resource_v1::DeviceAttribute& attribute) {
  if (attribute.bool_.has_value()) return {{"bool", *attribute.bool_}};
  if (attribute.int_.has_value()) return {{"int", std::to_string(*attribute.int_)}};
  if (attribute.string.has_value()) return {{"string", *attribute.string}};
  if (attribute.version.has_value()) return {{"version", *attribute.version}};
  json::array items;
  for (const auto& flag : attribute.bools) items.emplace_back(flag.value);
  for (const int64_t number : attribute.ints) items.emplace_back(std::to_string(number));
  if (attribute.bools.present()) return {{"bools", std::move(items)}};
  if (attribute.ints.present()) return {{"ints", std::move(items)}};
  if (attribute.versions.present()) return {{"versions", TextsOf(attribute.versions)}};
  return {{"strings", TextsOf(attribute.strings)}};
}

}  // namespace

CelAnswer AnswerFreely(std::string_view expression,
                       const Environment& environment,
                       const cel::check::Scope& scope,
                       std::span<const cel::Value> variables) {
  CelAnswer answer = Answer(expression, environment, scope, variables);
  if (answer.error.starts_with(kPrefix)) answer.error.erase(0, kPrefix.size());
  return answer;
}

CelAnswer AnswerFreely(std::string_view expression,
                       const Environment& environment,
                       const CelDevice& device) {
  CelAnswer answer =
      AnswerFreely(expression, environment, {}, {&device.activation().value(environment), 1});
  const std::string& error = device.activation().error(environment);
  if (answer.outcome == "compile_error" || error.empty()) return answer;
  return {.outcome = "runtime_error",
          .error = error,
          .type = answer.type,
          .estimated_cost = answer.estimated_cost};
}

CelAnswer AnswerAsSelector(std::string_view expression,
                           const Environment& environment,
                           const CelDevice& device) {
  const auto selector = cel::Selector::Compile(expression, WithTimeZones(environment));
  if (!selector.has_value()) return Refusal(selector.error());
  const cel::Evaluation evaluation = selector->Evaluate(device.activation());
  CelAnswer answer = {.outcome = evaluation.matches() ? "match" : "no_match",
                      .estimated_cost = selector->EstimatedCost().max,
                      .runtime_cost = evaluation.cost};
  if (evaluation.error() != nullptr) {
    answer.outcome = "runtime_error";
    answer.error = evaluation.error()->message;
  }
  return answer;
}

CelAnswer AnswerAsAttribute(std::string_view expression,
                            const Environment& environment,
                            const CelDevice& device) {
  const auto derived = cel::DerivedAttribute::Compile(expression, WithTimeZones(environment));
  if (!derived.has_value()) return Refusal(derived.error());
  const cel::DerivedValue value = derived->Evaluate(device.activation());
  CelAnswer answer = {.outcome = "attribute",
                      .estimated_cost = derived->EstimatedCost().max,
                      .runtime_cost = value.cost};
  if (value.error() != nullptr) {
    answer.outcome = "runtime_error";
    answer.error = value.error()->message;
  } else {
    answer.value = AttributeJson(*value.attribute());
  }
  return answer;
}

bool SameErrorText(std::string_view got, std::string_view want, TypeNames names) {
  constexpr std::string_view kSyntax = "Syntax error: ";
  if (want.contains(kSyntax)) return got.contains(kSyntax);
  if (want.contains("interface conversion: ")) return true;
  return SameText(got, want, names);
}

std::string DifferenceOf(const CelAnswer& got, const json::object& want, TypeNames names) {
  const std::string_view outcome = TextOf(want, "outcome");
  if (got.outcome != outcome) {
    return fmt::format(
        "{} {}{}, want {} {}",
        got.outcome,
        got.error,
        got.value.is_null() ? "" : json::serialize(got.value),
        outcome,
        TextOf(want, outcome == "compile_error" && want.contains("message") ? "message" : "error"));
  }
  const std::string_view type = TextOf(want, "type");
  if (!type.empty() && !SameText(got.type, type, names)) {
    return fmt::format("type {}, want {}", got.type, type);
  }
  if (std::string error = DifferenceOfError(got, want, names); !error.empty()) return error;
  if (std::string value = DifferenceOfValue(got, want); !value.empty()) return value;
  std::string cost = DifferenceOfCost("cost", got.runtime_cost, TextOf(want, "runtime_cost"));
  if (!cost.empty()) return cost;
  return DifferenceOfCost("estimate", got.estimated_cost, MaximumOf(want, "estimated_cost"));
}

}  // namespace dray::vectors
