// SPDX-License-Identifier: Apache-2.0
// What a call may cost and how large its result can be, by function and overload (cel-go
// checker/cost.go and ext/lists.go, apiserver pkg/cel/library/cost.go).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "api/release.h"
#include "cel/check/declarations.h"
#include "cel/check/type.h"
#include "cel/cost/range.h"

namespace dray::cel::cost {

/// What is known about one argument.
struct Operand {
  const check::Type* type = nullptr;
  std::optional<SizeRange> size;
  std::optional<SizeRange> element_size;  // if it is a list, of each element
  std::optional<int64_t> integer;         // the literal, if it is one

  SizeRange size_or_unknown() const { return size.value_or(SizeRange::Unknown()); }
};

struct CallSite {
  const check::Function& function;
  const check::Overload& overload;     // one of those that fit
  const Operand* receiver;             // of a member call
  std::span<const Operand> arguments;  // without the receiver
  api::Release rules;
};

struct CallEstimate {
  CostRange cost = CostRange::Exactly(1);  // without the arguments
  std::optional<SizeRange> result_size;
};

CallEstimate EstimateCall(const CallSite& call);

}  // namespace dray::cel::cost
