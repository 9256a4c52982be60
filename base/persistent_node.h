// SPDX-License-Identifier: Apache-2.0
// How persistent containers change a node that copies of the container may share.
#pragma once

#include <memory>

namespace dray {

/// The node that `node` points to, for its owner to change: a new one if there was none, a copy if
/// others share it. No other owner can appear meanwhile, because sharing requires a copy of the
/// owner.
template <class Node>
Node& Own(std::shared_ptr<Node>& node) {
  if (node == nullptr) {
    node = std::make_shared<Node>();
  } else if (node.use_count() > 1) {
    node = std::make_shared<Node>(*node);
  } else {
    // use_count() does not synchronise: another thread may have read the node just before it
    // dropped the last copy. Decrementing one more reference acquires what that thread's decrement
    // released, so the caller's writes happen after those reads.
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy is the point
    const std::shared_ptr<Node> acquired = node;
  }
  return *node;
}

}  // namespace dray
