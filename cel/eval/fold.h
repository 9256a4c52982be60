// SPDX-License-Identifier: Apache-2.0
// The loops of the language: all, exists, exists_one, map, filter and the transforms.
#pragma once

#include "cel/eval/meter.h"
#include "cel/syntax/ast.h"
#include "cel/value/arena.h"

namespace dray::cel::eval {

/// What a fold needs from the evaluator that runs it.
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

/// Runs the fold `node` over `range`, which is not an error. Visits maps in the order of their
/// keys.
Value Fold(FoldHost& host, const syntax::Node& node, uint32_t slot, const Value& range);

/// `value` as a bind gives it to its variable. Upstream implements bind as a loop. It copies an
/// empty map into the accumulator, and the copy of device.attributes or device.capacity has no
/// default for missing keys.
inline Value AsAccumulator(const Value& value) {
  static constexpr Map kEmpty;
  const bool is_empty = value.is(ValueKind::kMap) && value.map().entries().empty();
  return is_empty ? Value::FromMap(&kEmpty) : value;
}

}  // namespace dray::cel::eval
