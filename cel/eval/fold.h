// SPDX-License-Identifier: Apache-2.0
// The loops of the language: all, exists, exists_one, map, filter and the transforms.
#pragma once

#include "cel/eval/meter.h"
#include "cel/syntax/ast.h"
#include "cel/value/arena.h"

namespace dray::cel::eval {

/// What a fold needs of the evaluator it runs in.
class FoldHost {
 public:
  virtual Value Eval(syntax::NodeId id) = 0;
  virtual bool Stopped() const = 0;
  virtual void SetVariable(uint32_t slot, const Value& value) = 0;
  virtual bool IsConstant(syntax::NodeId id) const = 0;
  virtual Meter& meter() = 0;
  virtual Arena& arena() = 0;

 protected:
  ~FoldHost() = default;
};

/// Runs the fold `node` over `range`, which is no error. Maps are walked in the order of their
/// keys.
Value Fold(FoldHost& host, const syntax::Node& node, uint32_t slot, const Value& range);

}  // namespace dray::cel::eval
