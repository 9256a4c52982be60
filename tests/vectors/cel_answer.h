// SPDX-License-Identifier: Apache-2.0
// Dray's result for one expression, and its comparison with upstream's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "cel/check/scope.h"
#include "cel/language/environment.h"
#include "cel/value/value.h"
#include "tests/vectors/cel_device.h"

namespace dray::vectors {

struct CelAnswer {
  std::string outcome = {};       // as vectors name it: value, match, runtime_error, …
  std::string error = {};         // of compile_error and runtime_error
  bool is_internal = false;       // of compile_error: upstream's InternalError, not RuleInvalid
  std::string type = {};          // of the whole expression, as declarations write it
  boost::json::value value = {};  // tagged; of a derived attribute as devices write it
  std::optional<uint64_t> estimated_cost = {};  // the maximum
  std::optional<uint64_t> runtime_cost = {};
};

/// Any result type is allowed. `variables` are those of the environment, then those of `scope`.
CelAnswer AnswerFreely(std::string_view expression,
                       const cel::Environment& environment,
                       const cel::check::Scope& scope,
                       std::span<const cel::Value> variables);

/// The same with the variable `device`.
CelAnswer AnswerFreely(std::string_view expression,
                       const cel::Environment& environment,
                       const CelDevice& device);

CelAnswer AnswerAsSelector(std::string_view expression,
                           const cel::Environment& environment,
                           const CelDevice& device);

CelAnswer AnswerAsAttribute(std::string_view expression,
                            const cel::Environment& environment,
                            const CelDevice& device);

/// How to compare type names. Measured releases without list attributes have any where the baseline
/// has dyn; vectors do not list that.
enum class TypeNames : uint8_t { kExact, kAnyIsDyn };

/// Whether an error text equals upstream's. For syntax errors only the class counts, because their
/// texts come from a parser generator. Crashes inside upstream do not count either.
bool SameErrorText(std::string_view got, std::string_view want, TypeNames names);

/// The difference between `got` and the members of `want` (expect, observed, versions, selector);
/// empty if there is none. Absent members are not compared.
std::string DifferenceOf(const CelAnswer& got, const boost::json::object& want, TypeNames names);

}  // namespace dray::vectors
