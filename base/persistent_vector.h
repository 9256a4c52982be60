// SPDX-License-Identifier: Apache-2.0
// PersistentVector: a vector whose copies are cheap, because they share their equal parts.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/persistent_node.h"

namespace dray {

/// Copying is O(1); reading is three loads; changing one element of a vector that was copied copies
/// about 50 elements and one pointer for every 512. Elements past the end may be set: the vector
/// grows, with default values between.
///
/// Thread-safe like a value: one thread may change a copy while others read theirs.
template <class T>
class PersistentVector {
 public:
  size_t size() const { return size_; }

  const T& operator[](size_t at) const {
    return root_->blocks[at / kBlock]->leaves[at % kBlock / kLeaf]->elements[at % kLeaf];
  }

  void Set(size_t at, T element) {
    if (at >= size_) Grow(at + 1);
    Root& root = Own(root_);
    Block& block = Own(root.blocks[at / kBlock]);
    Own(block.leaves[at % kBlock / kLeaf]).elements[at % kLeaf] = std::move(element);
  }

  void Grow(size_t size) {
    if (size <= size_) return;
    Root& root = Own(root_);
    root.blocks.resize((size + kBlock - 1) / kBlock);
    for (size_t leaf = size_ / kLeaf; leaf * kLeaf < size; ++leaf) {
      std::shared_ptr<Leaf>& made =
          Own(root.blocks[leaf / kLeavesPerBlock]).leaves[leaf % kLeavesPerBlock];
      if (made == nullptr) made = std::make_shared<Leaf>();
    }
    size_ = size;
  }

 private:
  static constexpr size_t kLeaf = 16;
  static constexpr size_t kLeavesPerBlock = 32;
  static constexpr size_t kBlock = kLeaf * kLeavesPerBlock;

  struct Leaf {
    std::array<T, kLeaf> elements{};
  };
  struct Block {
    std::array<std::shared_ptr<Leaf>, kLeavesPerBlock> leaves;
  };
  struct Root {
    std::vector<std::shared_ptr<Block>> blocks;
  };

  std::shared_ptr<Root> root_;
  size_t size_ = 0;
};

}  // namespace dray
