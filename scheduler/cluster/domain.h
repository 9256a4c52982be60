// SPDX-License-Identifier: Apache-2.0
// A part of the cluster's nodes, which share the value of a label.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline cluster {

/// Nodes among which all pods of a group go.
struct Domain {
  std::string value;                    // of the label
  std::vector<const NodeState*> nodes;  // in name order
};

/// Those of `nodes` (any list in name order) that are in the domain.
std::vector<const NodeState*> Among(std::span<const NodeState* const> nodes, const Domain& domain);

}  // namespace dray::scheduler::inline cluster
