// SPDX-License-Identifier: Apache-2.0
// An immutable ordered map from key to record, whose versions share structure.
//
// A B+tree without back pointers. A change copies the pages from the root to one leaf and shares
// all others with the version it came from, so both stay valid and are independent of each other. A
// page is a fixed array of at most kFanOut slots. An inner slot repeats its child's first key as a
// view into the record that the child holds, so copying a page copies no text, and the child's
// number of records, so that counting a range costs two descents.
//
// Fan-out 16: a copied page touches the reference count of each of its slots. For 100,000 keys that
// is about 5 pages of 12 slots; fan-out 64 would be 3 pages of 48. Scans are hardly affected.
//
// Occupancy: a page that shrinks below a quarter is joined with a neighbour, or takes from it. A
// page that overflows at its end starts a new page instead of splitting in half, so keys inserted
// in order leave full pages.
//
// Thread safety: a Tree is a value. All functions are const and may run on any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "base/frozen.h"
#include "store/record.h"

namespace dray::store {

class Tree {
 public:
  struct Node;  // a page, in tree.cc
  /// One of the owners of a page, which is immutable. The count lies in the page, because a
  /// std::shared_ptr would take 32 bytes more for each.
  using PageRef = boost::intrusive_ptr<const Node>;

  /// Limit of the slots of a page.
  static constexpr size_t kFanOut = 16;
  /// Limit of the pages on a path. Two neighbours together have more than kFanOut / 4 slots, so a
  /// tree of this depth has more than 2^24 pages even at its sparsest; memory runs out before.
  static constexpr size_t kDepthMax = 24;

  Tree() = default;

  /// The tree of `records`, whose keys strictly ascend. O(n).
  static Tree FromSorted(std::span<const Frozen<Record>> records);

  /// This tree with `record` added, or replaced if its key exists. O(log n).
  Tree Put(const Frozen<Record>& record) const;
  /// This tree without `key`; the same tree if it does not have the key. O(log n).
  Tree Erase(std::string_view key) const;

  size_t size() const { return size_; }
  /// The record, or null. Valid while the tree, or a later version that still has it, is held.
  const Frozen<Record>* Find(std::string_view key) const;
  /// Number of keys that are less than `key`. O(log n).
  size_t Rank(std::string_view key) const;

  /// A place between records, or at one, in key order. Valid while the tree is held.
  class Cursor {
   public:
    bool at_end() const { return depth_ == 0; }
    /// Precondition: !at_end().
    const Frozen<Record>& record() const;
    /// Moves to the next record. Amortised O(1).
    void Next();

   private:
    friend class Tree;
    struct Step {
      const Node* page = nullptr;
      size_t slot = 0;
    };
    void Descend(const Node* page, std::string_view key);
    void Settle();
    void Push(Step step);

    std::array<Step, kDepthMax> path_{};
    size_t depth_ = 0;
  };

  /// The position of the first key that is not less than `key`. O(log n).
  Cursor LowerBound(std::string_view key) const;

  /// Consecutive records.
  struct Group {
    /// A page with exactly these records; null if there is none. Two groups with the same page have
    /// the same records, also in different versions of the tree.
    PageRef page;
    Cursor first;
    size_t records = 0;
  };
  /// The records of the ranks from `begin` to `end`, as few groups as pages allow, each of at most
  /// `records_max` records, which is at least kFanOut. O(groups + log n); reads no record.
  std::vector<Group> Groups(size_t begin, size_t end, size_t records_max) const;

 private:
  friend void intrusive_ptr_add_ref(const Node* page) noexcept;
  friend void intrusive_ptr_release(const Node* page) noexcept;

  Tree(PageRef root, size_t size);
  struct GroupRequest;
  static void AddGroups(const PageRef& page, size_t rank, size_t records, GroupRequest& request);

  PageRef root_;  // null when empty
  size_t size_ = 0;
};

}  // namespace dray::store
