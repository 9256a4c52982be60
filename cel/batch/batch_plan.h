// SPDX-License-Identifier: Apache-2.0
// A program cut into parts that read few columns each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cel/batch/device_table.h"
#include "cel/eval/program.h"

namespace dray::cel::batch {

enum class BatchKind : uint8_t {
  kAnd,          // children
  kOr,           // children
  kNot,          // children[0]
  kConditional,  // children: condition, then, else
  kLeaf,         // evaluated by value
};

struct BatchNode {
  BatchKind kind = BatchKind::kLeaf;
  syntax::NodeId node = syntax::kNoNode;
  std::vector<uint32_t> children;  // numbers of BatchNodes, before this one
  /// kLeaf: the columns it reads, unless reads_all.
  std::vector<ColumnKey> columns;
  bool reads_all = false;
  /// kLeaf: its value is the result of the selector; an optional is then replaced by its content.
  bool is_result = false;
  /// kLeaf that only compares the value of its one column with this constant. Values of one kind on
  /// the same side of the constant then have the same outcome.
  std::optional<Value> compared_with;
};

/// The nodes, children first; the last is the root. Costs O(nodes of the program).
std::vector<BatchNode> MakeBatchPlan(const eval::Program& program);

/// What all its leaves read.
PartsRead PartsReadBy(std::span<const BatchNode> plan);

}  // namespace dray::cel::batch
