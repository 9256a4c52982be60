// SPDX-License-Identifier: Apache-2.0
#include "cel/selector.h"

#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "cel/compile.h"
#include "cel/device_activation.h"
#include "cel/eval/conversion_problem.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"

namespace dray::cel {

cost::CostRange Selector::EstimatedCost() const {
  return cost::EstimateCost(program_->checked(), environment_);
}

Result<Selector> Selector::Compile(std::string_view expression, const Environment& environment) {
  DRAY_TRY(Frozen<eval::Program> program, cel::Compile(expression, environment));
  return Selector(std::move(program), environment);
}

Evaluation Selector::Evaluate(const DeviceActivation& device, Work& work) const {
  if (const std::string& error = device.error(environment_); !error.empty()) {
    return {.result = EvaluationError{error}};
  }
  return Evaluate(device.value(environment_), work);
}

Evaluation Selector::Evaluate(const Value& device, Work& work) const {
  return EvaluateOn({&device, 1}, work);
}

Evaluation Selector::Evaluate(const DeviceActivation& device) const {
  Work work(kWorkMax);
  return Evaluate(device, work);
}

Evaluation Selector::Evaluate(const Value& device) const {
  Work work(kWorkMax);
  return Evaluate(device, work);
}

Evaluation Selector::Evaluate(const NamedInstance& instance) const {
  if (!instance.error().empty()) return {.result = EvaluationError{instance.error()}};
  Work work(kWorkMax);
  return EvaluateOn(instance.variables(), work);
}

Evaluation Selector::EvaluateOn(std::span<const Value> variables, Work& work) const {
  Arena arena(work);
  eval::Meter meter(environment_.cost_max);
  const Value value = eval::Evaluate(*program_, variables, arena, meter);
  // An optional converts as what it holds.
  const Value* result = &value;
  while (result->is(ValueKind::kOptional) && result->optional() != nullptr) {
    result = result->optional();
  }
  Evaluation out{.result = result->is_true(), .cost = meter.spent()};
  if (value.is_error()) {
    out.result = EvaluationError{std::string(value.text())};
  } else if (!result->is(ValueKind::kBool)) {
    out.result =
        EvaluationError{fmt::format("CEL result of type {} could not be converted to bool: {}",
                                    TypeName(value),
                                    eval::ConversionProblem(*result, "bool"))};
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
