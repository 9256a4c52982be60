// SPDX-License-Identifier: Apache-2.0
// How persistent containers change a node that copies of the container may share.
#pragma once

#include <memory>

namespace dray {

/// The node that `node` points to, for its owner to change: a new one if there was none, a copy if
/// others share it. Nobody can begin to share it meanwhile, as that takes a copy of the owner.
template <class Node>
Node& Own(std::shared_ptr<Node>& node) {
  if (node == nullptr) {
    node = std::make_shared<Node>();
  } else if (node.use_count() > 1) {
    node = std::make_shared<Node>(*node);
  }
  return *node;
}

}  // namespace dray
