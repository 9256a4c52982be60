// SPDX-License-Identifier: Apache-2.0
// Device selectors: the CEL expressions of DeviceClasses and ResourceClaims (KEP-4381). Start here
// to ask whether a device matches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/frozen.h"
#include "base/result.h"
#include "base/work.h"
#include "cel/cost/estimate.h"
#include "cel/device_activation.h"
#include "cel/eval/program.h"
#include "cel/language/environment.h"
#include "cel/named_instance.h"

namespace dray::cel {

/// An evaluation that gave no answer. It aborts the allocation; it is not the same as false.
struct EvaluationError {
  std::string message;
};

struct Evaluation {
  std::variant<bool, EvaluationError> result;
  uint64_t cost = 0;  // also of failed evaluations

  bool matches() const {
    const bool* const value = std::get_if<bool>(&result);
    return value != nullptr && *value;
  }
  /// nullptr if there was an answer.
  const EvaluationError* error() const { return std::get_if<EvaluationError>(&result); }
};

/// A compiled selector. Immutable, cheap to copy, for use by any number of threads at once.
class Selector {
 public:
  /// Compiles `expression`. Costs O(length); never evaluates on a device.
  ///
  /// Errors, in upstream's words:
  ///   kInvalid        longer than kExpressionBytesMax; "compilation failed: ERROR: <input>:1:…"
  ///                   with the caret form; "must evaluate to bool or the unknown type, not T"
  ///   kInternalError  "program instantiation failed: …": a constant part fails
  static Result<Selector> Compile(std::string_view expression, const Environment& environment);

  /// What admission compares with the limit.
  cost::CostRange EstimatedCost() const;

  /// Whether `device` matches. Deterministic. Ends with an error at the latest when the cost limit
  /// of the environment is passed, or `work` is spent, which all evaluations of an attempt share.
  Evaluation Evaluate(const DeviceActivation& device, Work& work) const;
  /// The same for the value of the variable `device`.
  Evaluation Evaluate(const Value& device, Work& work) const;
  /// The same where kWorkMax is for each evaluation.
  Evaluation Evaluate(const DeviceActivation& device) const;
  Evaluation Evaluate(const Value& device) const;
  /// The same for a named instance, where the environment's purpose is those.
  Evaluation Evaluate(const NamedInstance& instance) const;

  const eval::Program& program() const { return *program_; }

 private:
  Selector(Frozen<eval::Program> program, const Environment& environment)
      : program_(std::move(program)), environment_(environment) {}

  Evaluation EvaluateOn(std::span<const Value> variables, Work& work) const;

  Frozen<eval::Program> program_;
  Environment environment_;
};

/// `message` with upstream's advice after "no such key" (1.37), as allocation errors show it.
std::string WithHint(std::string message);

}  // namespace dray::cel
