// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/node_problem.h"

#include <algorithm>

#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/work_units.h"
#include "api/claims/node_operations.h"
#include "api/resource_v1/slice.h"

namespace dray::allocator::search {
namespace {

// Cost of the draws from one set of counters, in units of Work.
constexpr uint64_t kWorkPerDraw = 64;

bool MaySkip(const api::core_v1::Node& node, const Features& features) {
  if (features.Picked() != Implementation::kExperimental) return true;
  return features.optional_node_operations && api::claims::MaySkipOperations(node);
}

}  // namespace

NodeProblem::NodeProblem(const PreparedClaims& prepared,
                         const snapshot::NodeView& view,
                         const api::core_v1::Node& node,
                         Work& work)
    : prepared_(prepared), view_(view), work_(work) {
  needs_literal_ = prepared.needs_literal() || view.needs_literal ||
                   (prepared.any_all() && (view.any_incomplete || view.any_invalid));
  if (needs_literal_) return;
  const size_t variants = prepared.variants().size();
  usable_.resize(variants * words());
  if (prepared.any_all()) listed_.resize(variants * words());
  const bool may_skip = MaySkip(node, prepared.cluster().features());
  for (const snapshot::NodeView::Segment& segment : view.segments) {
    AddSegment(segment, may_skip);
    if (needs_literal_) return;
  }
  CountNeeded();
}

void NodeProblem::AddSegment(const snapshot::NodeView::Segment& segment, bool may_skip) {
  const snapshot::SliceContent& content = *segment.facts->content;
  const ContentRows& rows = prepared_.RowsOf(content, work_);
  work_.Charge(WorkOfItems(content.shapes.size() + prepared_.variants().size() * rows.words));
  needs_literal_ = rows.needs_literal;
  if (needs_literal_) return;
  rows_.push_back(&rows);
  const bool skipped = !may_skip && !content.example->spec.skip_node_operations.empty();
  for (size_t v = 0; v < prepared_.variants().size(); ++v) {
    for (size_t w = 0; w < rows.words; ++w) {
      const size_t at = v * words() + segment.word + w;
      const uint64_t here = view_.on_node.empty() ? ~uint64_t{0} : view_.on_node[segment.word + w];
      if (!skipped) usable_[at] = rows.usable[v * rows.words + w] & here;
      if (prepared_.any_all()) listed_[at] = rows.listed[v * rows.words + w] & here;
    }
  }
  const auto copy = [&](const Words& from, Words& to) {
    to.resize(words());
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(segment.word));
  };
  if (rows.any_shareable) copy(rows.shareable, shareable_);
  if (rows.any_draws) copy(rows.draws, draws_);
  LeaveOutTaken(segment);
  if (rows.any_draws && prepared_.cluster().features().partitionable_devices)
    LeaveOutUncountable(segment);
  if (prepared_.cluster().features().consumable_capacity) LeaveOutFull(segment);
}

/// Devices that are taken as a whole, but for requests with admin access.
void NodeProblem::LeaveOutTaken(const snapshot::NodeView::Segment& segment) {
  const snapshot::PoolUse& use = UseOf(segment.pool);
  for (size_t w = 0; w < segment.words(); ++w) {
    const uint64_t taken = use.whole[segment.facts->first_word + w];
    if (taken == 0) continue;
    for (size_t v = 0; v < prepared_.variants().size(); ++v) {
      if (!prepared_.variants()[v].admin()) usable_[v * words() + segment.word + w] &= ~taken;
    }
  }
}

/// Devices whose counters are used up; one overdrawn counter blocks all of its pool. A device that
/// has shares has paid already.
void NodeProblem::LeaveOutUncountable(const snapshot::NodeView::Segment& segment) {
  const snapshot::PoolUse& use = UseOf(segment.pool);
  const snapshot::CounterTable& table = CountersOf(segment.pool);
  const snapshot::SliceContent& content = *segment.facts->content;
  for (size_t i = 0; i < content.shapes.size(); ++i) {
    const size_t bit = segment.word * 64 + i;
    if (!HasBit(draws_, bit)) continue;
    const size_t pool_bit = PoolBit(bit);
    if (IsShareable(bit) && !use.shared.empty() && HasBit(use.shared, pool_bit)) {
      DropBit(draws_, bit);
      continue;
    }
    work_.Charge(kWorkPerDraw * (1 + table.Of(content.id, i).size()));
    bool fits = !use.overdrawn;
    for (const snapshot::SetDraw& set : table.Of(content.id, i)) {
      groups_matter_ = groups_matter_ || prepared_.cluster().features().compatibility_groups;
      for (const snapshot::CounterDraw& draw : set.draws)
        fits = fits && draw.amount <= use.available[draw.counter];
    }
    if (fits) continue;
    for (size_t v = 0; v < prepared_.variants().size(); ++v)
      usable_[v * words() + bit / 64] &= ~BitMask(bit);
  }
}

/// Devices whose shares leave too little of a capacity.
void NodeProblem::LeaveOutFull(const snapshot::NodeView::Segment& segment) {
  const snapshot::PoolUse& use = UseOf(segment.pool);
  const size_t first = segment.facts->first_word * 64;
  const auto begin = std::ranges::lower_bound(
      use.capacity, first, {}, [](const auto& entry) { return entry.first; });
  for (auto at = begin; at != use.capacity.end() && at->first < first + segment.words() * 64;
       ++at) {
    const size_t bit = segment.word * 64 + (at->first - first);
    for (size_t v = 0; v < prepared_.variants().size(); ++v) {
      if (!HasBit(Usable(v), bit)) continue;
      if (Fits(v, bit, at->second)) continue;
      DropBit(Usable(v), bit);
      // Upstream asks the constraints first, and their no is an error.
      if (prepared_.variants()[v].MayAbort()) needs_literal_ = true;
    }
  }
}

/// Besides what shares have taken. A device that is no longer shared may still have old ones.
bool NodeProblem::Fits(size_t variant, size_t bit, const ConsumedCapacity& taken) const {
  work_.Charge(rules::kWorkPerAmount * (1 + taken.size()));
  const api::resource_v1::Device& device = view_.DeviceAt(bit);
  if (IsShareable(bit)) return rules::HasRoom(device, AmountsOf(variant, bit), &taken, nullptr);
  const Result<bool> fits = rules::FitsCapacity(
      device, prepared_.variants()[variant].plan->capacity, prepared_.cluster().features(), &taken);
  return fits && *fits;
}

const ConsumedCapacity& NodeProblem::AmountsOf(size_t variant, size_t bit) const {
  const uint32_t segment = view_.segment_of[bit / 64];
  const size_t device = bit - view_.segments[segment].word * 64;
  return *rows_[segment]->amounts[device * prepared_.variants().size() + variant];
}

void NodeProblem::CountNeeded() {
  for (size_t v = 0; v < prepared_.variants().size(); ++v) {
    const PreparedVariant& variant = prepared_.variants()[v];
    needed_.push_back(variant.wants_all() ? static_cast<int64_t>(CountBits(Listed(v)))
                                          : variant.plan->needed);
  }
  // Too many for one claim, whatever is free: an error, with a text that only the plan knows.
  std::vector<int64_t> least(prepared_.plans().size(), 0);
  for (const PreparedRequest& request : prepared_.requests()) {
    const auto of_request = std::span(needed_).subspan(
        request.first_variant, request.last_variant - request.first_variant);
    least[request.claim] += std::ranges::min(of_request);
    if (least[request.claim] > rules::kDevicesPerClaimMax) needs_literal_ = true;
  }
}

size_t NodeProblem::PoolBit(size_t bit) const {
  const snapshot::NodeView::Segment& segment = view_.segments[view_.segment_of[bit / 64]];
  return segment.facts->first_word * 64 + (bit - segment.word * 64);
}

const std::vector<snapshot::SetDraw>& NodeProblem::DrawsOf(size_t bit) const {
  const snapshot::NodeView::Segment& segment = view_.segments[view_.segment_of[bit / 64]];
  return CountersOf(segment.pool).Of(segment.facts->content->id, bit - segment.word * 64);
}

const ConsumedCapacity* NodeProblem::CapacityTaken(size_t bit) const {
  return UseOf(PoolOf(bit)).CapacityOf(PoolBit(bit));
}

}  // namespace dray::allocator::search
