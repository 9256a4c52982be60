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
  } else {
    // use_count() orders nothing: another thread may have read the node just before it dropped the
    // last copy. The decrement of one more reference acquires what that thread's decrement
    // released, so the caller's writes come after those reads.
    const std::shared_ptr<Node> acquired = node;
  }
  return *node;
}

}  // namespace dray
