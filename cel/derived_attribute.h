// SPDX-License-Identifier: Apache-2.0
// Derived attributes: CEL expressions of a request whose values count as attributes of a device in
// the constraints of the claim (KEP-6080, 1.37).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/work.h"
#include "cel/cost/estimate.h"
#include "cel/device_activation.h"
#include "cel/eval/program.h"
#include "cel/language/environment.h"
#include "cel/selector.h"

namespace dray::cel {

/// What a derived attribute may hold, each value counted with 16 bytes: published ones have 48
/// values of 64 bytes at most. Upstream has no limit, but many devices have one each.
inline constexpr size_t kDerivedBytesMax = 16'384;

struct DerivedValue {
  /// A scalar, or a list of the kind of its first element; an empty list is one of strings.
  std::variant<api::resource_v1::DeviceAttribute, EvaluationError> result;
  uint64_t cost = 0;  // also of failed evaluations

  /// nullptr if there was an error.
  const api::resource_v1::DeviceAttribute* attribute() const {
    return std::get_if<api::resource_v1::DeviceAttribute>(&result);
  }
  const EvaluationError* error() const { return std::get_if<EvaluationError>(&result); }
};

/// A compiled expression. Immutable, cheap to copy, for use by any number of threads at once.
class DerivedAttribute {
 public:
  /// Compiles `expression` with the variables of a selector; the purpose of `environment` is
  /// Purpose::kDerivedAttribute. Costs O(length).
  ///
  /// Errors: as Selector::Compile, but for the result: "must evaluate to a primitive scalar …"
  static Result<DerivedAttribute> Compile(std::string_view expression,
                                          const Environment& environment);

  /// What admission compares with the limit, alone and added to those of the whole claim.
  cost::CostRange EstimatedCost() const;

  /// The value for `device`, which passed all selectors before. Deterministic. Ends with an error
  /// at the latest when the cost limit of the environment is passed, or `work` is spent.
  ///
  /// Errors of the value, in upstream's words: "unsupported CEL return type: T", "unsupported list
  /// element type: T", "expected list element at index 1 to be K, got T", where T is a type of Go.
  DerivedValue Evaluate(const DeviceActivation& device, Work& work) const;
  /// The same where kWorkMax is for each evaluation.
  DerivedValue Evaluate(const DeviceActivation& device) const;

 private:
  DerivedAttribute(Frozen<eval::Program> program, const Environment& environment)
      : program_(std::move(program)), environment_(environment) {}

  Frozen<eval::Program> program_;
  Environment environment_;
};

}  // namespace dray::cel
