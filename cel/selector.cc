// SPDX-License-Identifier: Apache-2.0
#include "cel/selector.h"

#include <utility>

#include <fmt/format.h>

#include "cel/compile.h"
#include "cel/eval/evaluator.h"

namespace dray::cel {
namespace {

// Why a value is no bool, in the words of upstream's converters.
std::string ConversionProblem(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
      return fmt::format("unsupported type conversion from '{}' to bool", TypeName(value));
    case ValueKind::kString: return "unsupported native conversion from string to 'bool'";
    case ValueKind::kBytes: return "type conversion error from Bytes to 'bool'";
    case ValueKind::kList: return "type conversion error from list to 'bool'";
    case ValueKind::kMap: return "type conversion error from map to 'bool'";
    case ValueKind::kQuantity: return "type conversion error from 'Quantity' to 'bool'";
    case ValueKind::kSemver: return "type conversion error from 'Semver' to 'bool'";
    case ValueKind::kOptional:
      return value.optional() == nullptr ? "optional.none() dereference"
                                         : ConversionProblem(*value.optional());
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kType: break;
  }
  return fmt::format("type conversion error from '{}' to 'bool'", TypeName(value));
}

}  // namespace

CostRange Selector::EstimatedCost() const {
  return EstimateCost(program_->checked(), environment_);
}

Result<Selector> Selector::Compile(std::string_view expression, const Environment& environment) {
  DRAY_TRY(Frozen<Program> program, cel::Compile(expression, environment));
  return Selector(std::move(program), environment);
}

Evaluation Selector::Evaluate(const DeviceActivation& device) const {
  if (!device.error().empty()) return {.result = EvaluationError{device.error()}};
  return Evaluate(device.value());
}

Evaluation Selector::Evaluate(const Value& device) const {
  Arena arena;
  Meter meter(environment_.cost_max);
  const Value value = cel::Evaluate(*program_, {&device, 1}, arena, meter);
  Evaluation out{.result = value.is_true(), .cost = meter.spent()};
  if (value.is_error()) {
    out.result = EvaluationError{std::string(value.text())};
  } else if (!value.is(ValueKind::kBool)) {
    out.result =
        EvaluationError{fmt::format("CEL result of type {} could not be converted to bool: {}",
                                    TypeName(value),
                                    ConversionProblem(value))};
  }
  return out;
}

std::string WithHint(std::string message) {
  if (!message.contains("no such key")) return message;
  return std::move(message) +
         ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check "
         "with has() for optional fields";
}

}  // namespace dray::cel
