// SPDX-License-Identifier: Apache-2.0
// The scalar evaluator: walks the tree, complete and exact in values, errors and cost. It is the
// reference that faster forms are compared with.
#pragma once

#include "cel/eval/arena.h"
#include "cel/eval/cost.h"
#include "cel/eval/program.h"

namespace dray::cel {

/// Evaluates `program` with `device` as the variable of that name. The result may point into
/// `arena`, `device` and `program`. If a limit stopped the evaluation, the result is the error that
/// says so: "operation cancelled: …". Recursion is bounded by the limits of the parser.
Value Evaluate(const Program& program, const Value& device, Arena& arena, Meter& meter);

}  // namespace dray::cel
