// SPDX-License-Identifier: Apache-2.0
// Nodes that persistent containers share.
#pragma once

#include <memory>

namespace dray {

/// What `node` points to as its owner's own, to be changed: made if there is none, copied if others
/// share it. Nobody else can come to share it meanwhile, because that takes a copy of the owner.
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
