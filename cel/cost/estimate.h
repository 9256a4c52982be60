// SPDX-License-Identifier: Apache-2.0
// What evaluating an expression may cost, before it is evaluated (cel-go checker/cost.go and the
// Kubernetes estimators): the number that admission compares with its limit.
#pragma once

#include <cstdint>

#include "cel/check/checker.h"
#include "cel/environment.h"

namespace dray::cel {

/// Both ends included; sums and products stop at the largest number. Not a true bound: upstream's
/// is none either, so the limit at run time remains necessary.
struct CostRange {
  uint64_t min = 0;
  uint64_t max = 0;
  bool operator==(const CostRange&) const = default;
};

/// The estimate of upstream's release. Costs O(nodes).
CostRange EstimateCost(const CheckedAst& checked, const Environment& environment);

}  // namespace dray::cel
