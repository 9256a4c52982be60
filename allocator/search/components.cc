// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/components.h"

#include <algorithm>
#include <map>
#include <utility>

namespace dray::allocator::search {
namespace {

// In units of Work.
constexpr uint64_t kWorkPerEntry = 32;

class Partition {
 public:
  explicit Partition(size_t size) : parent_(size) {
    for (size_t i = 0; i < size; ++i) parent_[i] = i;
  }
  size_t Find(size_t element) {
    while (parent_[element] != element) element = parent_[element] = parent_[parent_[element]];
    return element;
  }
  void Join(size_t a, size_t b) {
    a = Find(a);
    b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

/// Joins all requests that have the same key.
class ByKey {
 public:
  explicit ByKey(Partition& partition) : partition_(partition) {}
  void Add(size_t key, size_t request) {
    const auto [known, is_new] = first_.try_emplace(key, request);
    if (!is_new) partition_.Join(known->second, request);
  }

 private:
  Partition& partition_;
  std::map<size_t, size_t> first_;
};

std::vector<std::vector<size_t>> Groups(Partition& partition, std::span<const size_t> requests) {
  std::map<size_t, std::vector<size_t>> groups;
  for (const size_t request : requests) groups[partition.Find(request)].push_back(request);
  std::vector<std::vector<size_t>> ordered;
  ordered.reserve(groups.size());
  for (auto& [first, members] : groups) ordered.push_back(std::move(members));
  return ordered;
}

/// Claims that could pass the limit: their requests must count together.
std::vector<bool> TightClaims(const NodeProblem& problem) {
  std::vector<int64_t> most(problem.prepared().plans().size(), 0);
  for (const PreparedRequest& request : problem.prepared().requests()) {
    int64_t needed = 0;
    for (size_t v = request.first_variant; v < request.last_variant; ++v)
      needed = std::max(needed, std::min(problem.Needed(v), rules::kDevicesPerClaimMax + 1));
    most[request.claim] += needed;
  }
  std::vector<bool> tight;
  tight.reserve(most.size());
  for (const int64_t devices : most) tight.push_back(devices > rules::kDevicesPerClaimMax);
  return tight;
}

}  // namespace

std::vector<size_t> AllRequests(const PreparedClaims& prepared) {
  std::vector<size_t> all(prepared.requests().size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

std::vector<std::vector<size_t>> ComponentsOf(const NodeProblem& problem,
                                              const SymmetryClasses& classes,
                                              const SearchOptions& options) {
  const PreparedClaims& prepared = problem.prepared();
  Partition partition(prepared.requests().size());
  ByKey by_class(partition);
  ByKey by_constraint(partition);
  ByKey by_pool(partition);
  ByKey by_claim(partition);
  const std::vector<bool> tight = TightClaims(problem);
  for (size_t r = 0; r < prepared.requests().size(); ++r) {
    const PreparedRequest& request = prepared.requests()[r];
    if (tight[request.claim]) by_claim.Add(request.claim, r);
    if (!options.decomposition) partition.Join(0, r);
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      problem.work().Charge(kWorkPerEntry *
                            (classes.size() + prepared.variants()[v].covering.size()));
      for (const auto& covering : prepared.variants()[v].covering)
        by_constraint.Add(covering.constraint, r);
      for (size_t c = 0; c < classes.size(); ++c) {
        if (!classes.used_by[c][v]) continue;
        by_class.Add(c, r);
        if (problem.Draws(classes.example[c])) by_pool.Add(problem.PoolOf(classes.example[c]), r);
      }
    }
  }
  return Groups(partition, AllRequests(prepared));
}

std::vector<std::vector<size_t>> RuleGroupsOf(const NodeProblem& problem,
                                              const SymmetryClasses& classes,
                                              std::span<const size_t> order) {
  const PreparedClaims& prepared = problem.prepared();
  Partition partition(prepared.requests().size());
  ByKey by_constraint(partition);
  ByKey by_pool(partition);
  for (const size_t r : order) {
    const PreparedRequest& request = prepared.requests()[r];
    for (size_t v = request.first_variant; v < request.last_variant; ++v) {
      problem.work().Charge(kWorkPerEntry *
                            (classes.size() + prepared.variants()[v].covering.size()));
      for (const auto& covering : prepared.variants()[v].covering)
        by_constraint.Add(covering.constraint, r);
      for (size_t c = 0; c < classes.size(); ++c) {
        if (classes.used_by[c][v] && problem.Draws(classes.example[c]))
          by_pool.Add(problem.PoolOf(classes.example[c]), r);
      }
    }
  }
  return Groups(partition, order);
}

}  // namespace dray::allocator::search
