// SPDX-License-Identifier: Apache-2.0
// What evaluating an expression may cost, before it is evaluated: the number that admission
// compares with its limit.
#pragma once

#include "cel/check/checked_ast.h"
#include "cel/cost/paths.h"
#include "cel/cost/range.h"
#include "cel/language/environment.h"

namespace dray::cel::cost {

/// The estimate of upstream's release; admission looks at its maximum. Like upstream's, it is not a
/// true upper bound, so the limit at run time remains necessary. A size that is not known makes the
/// maximum unbounded, which is above every limit.
///
/// Before 1.32 there was no estimate; the rules of 1.32 answer for those releases. Costs O(nodes).
CostRange EstimateCost(const check::CheckedAst& checked, const Environment& environment);
/// The same for variables whose sizes `sizes` declares, instead of the device's.
CostRange EstimateCost(const check::CheckedAst& checked,
                       const Environment& environment,
                       const SizeSource& sizes);

}  // namespace dray::cel::cost
