// SPDX-License-Identifier: Apache-2.0
// The loops of the language: all, exists, exists_one, map, filter and the transforms.
#pragma once

#include "cel/eval/arena.h"
#include "cel/eval/cost.h"
#include "cel/syntax/ast.h"

namespace dray::cel {

/// What a fold needs of the evaluator it runs in.
class FoldHost {
 public:
  virtual Value Eval(NodeId id) = 0;
  virtual bool Stopped() const = 0;
  virtual void SetVariable(uint32_t slot, const Value& value) = 0;
  virtual bool IsConstant(NodeId id) const = 0;
  virtual Meter& meter() = 0;
  virtual Arena& arena() = 0;

 protected:
  ~FoldHost() = default;
};

/// Runs the fold `node` over `range`, which is no error. Maps are walked in the order of their
/// keys.
Value Fold(FoldHost& host, const Node& node, uint32_t slot, const Value& range);

}  // namespace dray::cel
