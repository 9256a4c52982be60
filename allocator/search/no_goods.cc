// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/no_goods.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/hash.h"

namespace dray::allocator::search {

namespace {

// In units of Work.
constexpr uint64_t kWorkPerWord = 8;

}  // namespace

NoGoods::NoGoods(const NodeProblem& problem,
                 const SymmetryClasses& classes,
                 std::span<const size_t> order)
    : problem_(problem), classes_(classes), relevant_(order.size()), constraints_(order.size()) {
  std::vector<bool> used(classes.size(), false);
  std::set<size_t> constraints;
  for (size_t at = order.size(); at-- > 0;) {
    const PreparedRequest& request = problem.prepared().requests()[order[at]];
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      problem.work().Charge(WorkOfItems(2 * classes.size()));
      for (uint32_t c = 0; c < classes.size(); ++c)
        if (classes.used_by[c][v]) used[c] = true;
      for (const auto& covering : problem.prepared().variants()[v].covering)
        constraints.insert(covering.constraint);
    }
    for (uint32_t c = 0; c < classes.size(); ++c)
      if (used[c]) relevant_[at].push_back(c);
    constraints_[at].assign(constraints.begin(), constraints.end());
  }
}

std::vector<uint64_t> NoGoods::KeyOf(const Place& place, const Assignment& assignment) const {
  const size_t claim = problem_.prepared().variants()[place.variant].claim;
  std::vector<uint64_t> key{
      place.at, place.variant, static_cast<uint64_t>(place.slot), assignment.ResultsOf(claim)};
  const size_t from_word = place.from / 64;
  for (const uint32_t c : relevant_[place.at]) {
    const Words& members = classes_.members[c];
    problem_.work().Charge(kWorkPerWord * (1 + members.size()));
    uint64_t before = 0;
    uint64_t after = 0;
    for (size_t w = 0; w < members.size(); ++w) {
      const uint64_t free = members[w] & ~assignment.held()[w];
      uint64_t later = w < from_word ? 0 : ~uint64_t{0};
      if (w == from_word) later <<= place.from % 64;
      after += static_cast<uint64_t>(std::popcount(free & later));
      before += static_cast<uint64_t>(std::popcount(free & ~later));
    }
    key.push_back(before << 32U | after);
  }
  AddConstraints(place, assignment, key);
  AddCounters(assignment, key);
  AddShares(assignment, key);
  problem_.work().Charge(kWorkPerWord * key.size());  // also of looking it up
  return key;
}

void NoGoods::AddConstraints(const Place& place,
                             const Assignment& assignment,
                             std::vector<uint64_t>& key) const {
  for (const size_t constraint : constraints_[place.at]) {
    const auto members = assignment.Members(constraint);
    const size_t count_at = key.size();
    key.push_back(0);
    if (problem_.prepared().constraints()[constraint].is_match) {
      for (const uint32_t value : assignment.CommonValues(constraint)) key.push_back(value);
    } else {
      // Every column numbers values alike, but not sets of them.
      std::vector<uint64_t> values;
      for (const Assignment::Member& member : members)
        values.insert(values.end(), member.values->begin(), member.values->end());
      std::ranges::sort(values);
      key.insert(key.end(), values.begin(), values.end());
    }
    key[count_at] = key.size() - count_at;
  }
}

void NoGoods::AddCounters(const Assignment& assignment, std::vector<uint64_t>& key) {
  for (size_t pool = 0; pool < assignment.pools(); ++pool) {
    key.push_back(assignment.Drawers(pool) == 0 ? 0 : 1);
    if (assignment.Drawers(pool) == 0) continue;
    for (const int64_t amount : assignment.Drawn(pool))
      key.push_back(static_cast<uint64_t>(amount));
    for (const Assignment::GroupState& state : assignment.Groups(pool))
      key.insert(key.end(), {state.members, state.named ? 1U : 0U, state.groups});
  }
}

void NoGoods::AddShares(const Assignment& assignment, std::vector<uint64_t>& key) {
  std::vector<std::pair<uint64_t, uint64_t>> shares;
  for (const Assignment::Share& share : assignment.shares())
    shares.emplace_back(share.bit, share.variant);
  std::ranges::sort(shares);
  for (const auto& [bit, variant] : shares) key.insert(key.end(), {bit, variant});
}

void NoGoods::Remember(std::vector<uint64_t> key) {
  if (words_ + key.size() > kWordsMax) return;
  words_ += key.size();
  known_.insert(std::move(key));
}

size_t NoGoods::Hash::operator()(const std::vector<uint64_t>& key) const {
  Hasher hash;
  for (const uint64_t word : key) hash.Add(word);
  return hash.value();
}

}  // namespace dray::allocator::search
