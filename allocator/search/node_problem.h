// SPDX-License-Identifier: Apache-2.0
// What one node offers to prepared claims at this moment: the input of the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "allocator/search/bits.h"
#include "allocator/search/prepared_claims.h"
#include "allocator/snapshot/node_view.h"
#include "api/core_v1/node.h"
#include "base/work.h"

namespace dray::allocator::search {

/// Devices are bits, in the order in which they are tried.
class NodeProblem {
 public:
  /// All outlives this. O(devices) words per request. `work`: what searching may take; whatever
  /// loops charges it, and the search stops when it is spent.
  NodeProblem(const PreparedClaims& prepared,
              const snapshot::NodeView& view,
              const api::core_v1::Node& node,
              Work& work);

  /// Something here is such that only the literal search knows; nothing else of this is set then.
  bool needs_literal() const { return needs_literal_; }

  const PreparedClaims& prepared() const { return prepared_; }
  Work& work() const { return work_; }
  const snapshot::NodeView& view() const { return view_; }
  size_t words() const { return view_.words; }

  /// The devices a variant may be given as long as no other request has any: not taken by others,
  /// tolerated, with enough of its capacity and counters left.
  WordSpan Usable(size_t variant) const { return Row(usable_, variant); }
  std::span<uint64_t> Usable(size_t variant) {
    return std::span(usable_).subspan(variant * words(), words());
  }
  /// All devices of a variant that wants all, usable or not.
  WordSpan Listed(size_t variant) const { return Row(listed_, variant); }
  /// How many devices it takes to satisfy the variant.
  int64_t Needed(size_t variant) const { return needed_[variant]; }

  /// Whether a constraint that refuses a device of the variant ends the call with an error.
  bool MayAbort(size_t variant) const {
    return prepared_.variants()[variant].MayAbort() && Needed(variant) > 0;
  }

  bool any_shareable() const { return !shareable_.empty(); }
  bool IsShareable(size_t bit) const { return any_shareable() && HasBit(shareable_, bit); }
  bool any_draws() const { return !draws_.empty(); }
  /// Whether it takes something from counters when it is given for the first time.
  bool Draws(size_t bit) const { return any_draws() && HasBit(draws_, bit); }

  size_t PoolOf(size_t bit) const { return view_.segments[view_.segment_of[bit / 64]].pool; }
  const std::vector<snapshot::SetDraw>& DrawsOf(size_t bit) const;
  const snapshot::CounterTable& CountersOf(size_t pool) const {
    return *view_.pools[pool].facts->counters;
  }
  /// By counter: what is left of it.
  const std::vector<int64_t>& Available(size_t pool) const { return UseOf(pool).available; }
  const snapshot::PoolUse& UseOf(size_t pool) const {
    return prepared_.cluster().UseOfPool(view_.pools[pool].id);
  }
  /// What the variant takes of a usable device that can be shared.
  const ConsumedCapacity& AmountsOf(size_t variant, size_t bit) const;
  /// What shares have taken of a device; null: nothing.
  const ConsumedCapacity* CapacityTaken(size_t bit) const;
  /// Whether devices have to go together on their counter sets.
  bool groups_matter() const { return groups_matter_; }

 private:
  WordSpan Row(const Words& words_of_all, size_t variant) const {
    return WordSpan(words_of_all).subspan(variant * words(), words());
  }
  size_t PoolBit(size_t bit) const;
  void AddSegment(const snapshot::NodeView::Segment& segment, bool may_skip);
  void LeaveOutTaken(const snapshot::NodeView::Segment& segment);
  void LeaveOutUncountable(const snapshot::NodeView::Segment& segment);
  void LeaveOutFull(const snapshot::NodeView::Segment& segment);
  bool Fits(size_t variant, size_t bit, const ConsumedCapacity& taken) const;
  void CountNeeded();

  const PreparedClaims& prepared_;
  const snapshot::NodeView& view_;
  Work& work_;
  bool needs_literal_ = false;
  bool groups_matter_ = false;
  Words usable_, listed_;  // variant × words
  Words shareable_, draws_;
  std::vector<int64_t> needed_;
  std::vector<const ContentRows*> rows_;  // by segment
};

}  // namespace dray::allocator::search
