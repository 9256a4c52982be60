// SPDX-License-Identifier: Apache-2.0
// The scalar evaluator: walks the tree, complete and exact in values, errors and cost. It is the
// reference that faster forms are compared with.
#pragma once

#include <span>

#include "cel/eval/meter.h"
#include "cel/eval/program.h"
#include "cel/value/arena.h"

namespace dray::cel::eval {

/// Evaluates `program`. `variables` are the environment's own (the device) and those of the Scope,
/// in order; one that is not given fails when it is used. The result may point into `arena`,
/// `variables` and `program`. If a limit stopped the evaluation, the result is the error that
/// says so: "operation cancelled: …". Recursion is bounded by the limits of the parser.
Value Evaluate(const Program& program,
               std::span<const Value> variables,
               Arena& arena,
               Meter& meter);

/// The part `node` of a program alone: it stands outside of all folds and binds.
Value EvaluatePart(const Program& program,
                   syntax::NodeId node,
                   std::span<const Value> variables,
                   Arena& arena,
                   Meter& meter);

}  // namespace dray::cel::eval
