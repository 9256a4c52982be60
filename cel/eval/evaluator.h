// SPDX-License-Identifier: Apache-2.0
// The scalar evaluator: walks the tree for one device. Complete, and exact in values, errors and
// cost; batches are tested against it.
#pragma once

#include <span>

#include "cel/eval/meter.h"
#include "cel/eval/program.h"
#include "cel/value/arena.h"

namespace dray::cel::eval {

/// Evaluates `program`. `variables` are the environment's own (the device) and those of the Scope,
/// in order; a variable that is not given fails when it is used. The result may point into `arena`,
/// `variables` and `program`. If a limit stopped the evaluation, the result is the error that says
/// so: "operation cancelled: …". Recursion is bounded by the limits of the parser.
Value Evaluate(const Program& program,
               std::span<const Value> variables,
               Arena& arena,
               Meter& meter);

/// Evaluates the part `node` of a program alone; `node` is not inside a fold or a bind.
Value EvaluatePart(const Program& program,
                   syntax::NodeId node,
                   std::span<const Value> variables,
                   Arena& arena,
                   Meter& meter);

}  // namespace dray::cel::eval
