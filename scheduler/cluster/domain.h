// SPDX-License-Identifier: Apache-2.0
// A topology domain: the nodes that share the value of a label.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline cluster {

/// The nodes that may take the pods of a group; all its pods go to one domain.
struct Domain {
  std::string value;                    // of the label
  std::vector<const NodeState*> nodes;  // in name order
};

/// The elements of `nodes` (any list in name order) that are in the domain.
std::vector<const NodeState*> Among(std::span<const NodeState* const> nodes, const Domain& domain);

}  // namespace dray::scheduler::inline cluster
