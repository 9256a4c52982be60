// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/assignment.h"

#include <algorithm>
#include <utility>

#include "allocator/rules/consumable_capacity.h"
#include "allocator/rules/work_units.h"
#include "allocator/search/values.h"

namespace dray::allocator::search {
namespace {

void AddAmounts(const ConsumedCapacity& amounts, ConsumedCapacity& total) {
  for (const auto& [name, amount] : amounts) total[name] += amount;
}

}  // namespace

Assignment::Assignment(const NodeProblem& problem)
    : problem_(problem),
      words_(problem.words()),
      held_(problem.words()),
      results_(problem.prepared().plans().size()),
      members_(problem.prepared().constraints().size()),
      pools_(problem.any_draws() ? problem.view().pools.size() : 0) {
  if (problem.prepared().any_admin()) by_claim_.resize(words_ * results_.size());
}

bool Assignment::IsHeld(size_t variant, size_t bit) const {
  return (HeldWord(variant, bit / 64) & BitMask(bit)) != 0;
}

std::span<const uint32_t> Assignment::CommonValues(size_t constraint) const {
  const std::vector<Member>& members = members_[constraint];
  if (members.empty()) return {};
  const Member& last = members.back();
  return last.common.empty() ? std::span<const uint32_t>(*last.values) : last.common;
}

bool Assignment::HasShare(size_t bit) const {
  return std::ranges::any_of(shares_, [&](const Share& share) { return share.bit == bit; });
}

bool Assignment::Give(const Pick& pick, ConflictSet& why) {
  Entry entry;
  if (!Enter(pick, entry, why)) {
    Undo(pick, entry);
    return false;
  }
  picks_.push_back(pick);
  entries_.push_back(std::move(entry));
  ++results_[ClaimOf(pick.variant)];
  return true;
}

void Assignment::TakeBackLast() {
  const Pick pick = picks_.back();
  --results_[ClaimOf(pick.variant)];
  Undo(pick, entries_.back());
  picks_.pop_back();
  entries_.pop_back();
}

bool Assignment::Enter(const Pick& pick, Entry& entry, ConflictSet& why) {
  // In upstream's order: which of them refuses decides what becomes of "all devices".
  refusal_ = Refusal::kCounters;
  if (!EnterCounters(pick, entry, why)) return false;
  refusal_ = Refusal::kConstraint;
  if (!EnterConstraints(pick, entry, why)) return false;
  refusal_ = Refusal::kCapacity;
  if (problem_.IsShareable(pick.bit)) return EnterShare(pick, entry, why);
  entry.holds = true;
  AddBit(held_, pick.bit);
  if (!by_claim_.empty())
    AddBit(std::span(by_claim_).subspan(ClaimOf(pick.variant) * words_, words_), pick.bit);
  return true;
}

bool Assignment::EnterConstraints(const Pick& pick, Entry& entry, ConflictSet& why) {
  const PreparedVariant& variant = problem_.prepared().variants()[pick.variant];
  const snapshot::ShapeId shape = variant.covering.empty() ? 0 : problem_.view().ShapeOf(pick.bit);
  for (const PreparedVariant::Covering& covering : variant.covering) {
    problem_.work().Charge(rules::kWorkPerConstraint);
    const uint32_t set = covering.column->set_of[shape];
    const Member member{.level = pick.level, .values = &covering.column->values[set]};
    if (!EnterConstraint(covering.constraint, member, why)) return false;
    ++entry.constraints;
  }
  return true;
}

bool Assignment::EnterConstraint(size_t constraint, Member member, ConflictSet& why) {
  if (member.values->empty()) return false;  // the device lacks the attribute
  std::vector<Member>& members = members_[constraint];
  const PreparedConstraint& rules = problem_.prepared().constraints()[constraint];
  if (!rules.is_match) {
    problem_.work().Charge(WorkOfItems(2 * members.size() * member.values->size()));
    for (const Member& other : members) {
      if (!Meet(*other.values, *member.values)) continue;
      why.Add(other.level);
      return false;
    }
  } else if (!members.empty()) {
    problem_.work().Charge(
        WorkOfItems(CommonValues(constraint).size() + member.values->size() + members.size()));
    member.common = Intersection(CommonValues(constraint), *member.values);
    if (member.common.empty()) {
      // One value: the first device has chosen it. Sets: every device may have narrowed them.
      for (const Member& other : members) {
        why.Add(other.level);
        if (rules.form == snapshot::AttributeForm::kSingle) break;
      }
      return false;
    }
  }
  members.push_back(std::move(member));
  return true;
}

bool Assignment::EnterCounters(const Pick& pick, Entry& entry, ConflictSet& why) {
  if (!problem_.Draws(pick.bit)) return true;
  if (problem_.IsShareable(pick.bit) && HasShare(pick.bit)) return true;
  PoolUsage& usage = Open(problem_.PoolOf(pick.bit));
  const std::vector<int64_t>& available = problem_.Available(problem_.PoolOf(pick.bit));
  bool fits = true;
  problem_.work().Charge(WorkOfItems(usage.levels.size() + usage.groups.size()));
  for (const snapshot::SetDraw& set : problem_.DrawsOf(pick.bit)) {
    problem_.work().Charge(WorkOfItems(2 * set.draws.size()));
    for (const snapshot::CounterDraw& draw : set.draws) {
      usage.drawn[draw.counter] += draw.amount;
      fits = fits && usage.drawn[draw.counter] <= available[draw.counter];
    }
  }
  entry.paid = true;
  usage.levels.push_back(pick.level);
  if (fits && problem_.groups_matter()) {
    entry.groups_before = usage.groups;
    fits = JoinGroups(usage, pick.bit);
  }
  if (fits) return true;
  for (const size_t level : usage.levels) why.Add(level);
  why.Remove(pick.level);
  return false;
}

/// Devices without groups go together; others need one that all of them name.
bool Assignment::GroupState::Join(uint64_t groups_of_device) {
  const bool names = groups_of_device != 0;
  if (members == 0) {
    named = names;
    groups = groups_of_device;
  } else if (named != names) {
    return false;
  } else if (named) {
    groups &= groups_of_device;
    if (groups == 0) return false;
  }
  ++members;
  return true;
}

/// The same for a device that is there already: slices change, so it may contradict the others.
void Assignment::GroupState::Commit(uint64_t groups_of_device) {
  if (members == 0) {
    named = groups_of_device != 0;
    groups = groups_of_device;
  } else if (named && groups_of_device != 0) {
    groups &= groups_of_device;
  }
  ++members;
}

bool Assignment::JoinGroups(PoolUsage& usage, size_t bit) const {
  return std::ranges::all_of(problem_.DrawsOf(bit), [&](const snapshot::SetDraw& set) {
    return usage.groups[set.set].Join(set.groups);
  });
}

bool Assignment::EnterShare(const Pick& pick, Entry& entry, ConflictSet& why) {
  problem_.work().Charge(WorkOfItems(shares_.size()));
  if (HasShare(pick.bit)) {
    ConsumedCapacity given;
    for (const Share& share : shares_) {
      if (share.bit != pick.bit) continue;
      problem_.work().Charge(rules::kWorkPerAmount *
                             (1 + problem_.AmountsOf(share.variant, share.bit).size()));
      AddAmounts(problem_.AmountsOf(share.variant, share.bit), given);
    }
    if (!rules::HasRoom(problem_.view().DeviceAt(pick.bit),
                        problem_.AmountsOf(pick.variant, pick.bit),
                        problem_.CapacityTaken(pick.bit),
                        &given)) {
      for (const Share& share : shares_) {
        if (share.bit == pick.bit) why.Add(share.level);
      }
      return false;
    }
  }
  shares_.push_back({.bit = pick.bit, .variant = pick.variant, .level = pick.level});
  entry.share = true;
  return true;
}

Assignment::PoolUsage& Assignment::Open(size_t pool) {
  PoolUsage& usage = pools_[pool];
  if (usage.open) return usage;
  usage.open = true;
  usage.drawn.resize(problem_.CountersOf(pool).limits.size());
  if (problem_.groups_matter()) OpenGroups(pool, usage);
  return usage;
}

/// Committed devices are members already: those the node sees, then those elsewhere in the pool.
void Assignment::OpenGroups(size_t pool, PoolUsage& usage) const {
  const snapshot::PoolUse& use = problem_.UseOf(pool);
  const snapshot::PoolFacts& facts = *problem_.view().pools[pool].facts;
  usage.groups.resize(facts.counters->sets);
  std::vector<const snapshot::SliceFacts*> order;
  for (const snapshot::NodeView::Segment& segment : problem_.view().segments) {
    if (segment.pool == pool) order.push_back(segment.facts);
  }
  for (const snapshot::SliceFacts& slice : facts.slices) {
    if (std::ranges::find(order, &slice) == order.end()) order.push_back(&slice);
  }
  for (const snapshot::SliceFacts* slice : order) {
    problem_.work().Charge(WorkOfItems(4 * slice->content->shapes.size()));
    for (size_t i = 0; i < slice->content->shapes.size(); ++i) {
      const size_t bit = slice->first_word * 64 + i;
      if (!HasBit(use.whole, bit) && (use.shared.empty() || !HasBit(use.shared, bit))) continue;
      for (const snapshot::SetDraw& set : facts.counters->Of(slice->content->id, i))
        usage.groups[set.set].Commit(set.groups);
    }
  }
}

void Assignment::Undo(const Pick& pick, const Entry& entry) {
  if (entry.share) shares_.pop_back();
  if (entry.holds) {
    DropBit(held_, pick.bit);
    if (!by_claim_.empty()) {
      DropBit(std::span(by_claim_).subspan(ClaimOf(pick.variant) * words_, words_), pick.bit);
      for (size_t claim = 0; claim < results_.size(); ++claim) {
        if (HasBit(WordSpan(by_claim_).subspan(claim * words_, words_), pick.bit))
          AddBit(held_, pick.bit);
      }
    }
  }
  const auto& covering = problem_.prepared().variants()[pick.variant].covering;
  for (size_t i = entry.constraints; i-- > 0;) members_[covering[i].constraint].pop_back();
  if (entry.paid) {
    PoolUsage& usage = pools_[problem_.PoolOf(pick.bit)];
    for (const snapshot::SetDraw& set : problem_.DrawsOf(pick.bit)) {
      for (const snapshot::CounterDraw& draw : set.draws) usage.drawn[draw.counter] -= draw.amount;
    }
    usage.levels.pop_back();
    if (!entry.groups_before.empty()) usage.groups = entry.groups_before;
  }
}

}  // namespace dray::allocator::search
