// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/flow.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace dray::allocator::search {
namespace {

/// Elements that serve the same demands are one kind. The flow goes demand → kind; a demand without
/// enough takes from a kind what another demand can get elsewhere (Ford and Fulkerson).
class Distribution {
 public:
  Distribution(std::span<const Demand> demands, WordSpan shared, Work& work) : work_(work) {
    std::unordered_map<uint64_t, int64_t> supply;
    std::vector<int64_t> need;
    for (const Demand& demand : demands) need.push_back(demand.need);
    for (size_t w = 0; w < demands.front().from.size(); ++w) {
      uint64_t any = 0;
      for (const Demand& demand : demands) any |= demand.from[w];
      work_.Charge(demands.size());
      for (; any != 0; any &= any - 1) {
        work_.Charge(kWorkPerElement + demands.size());
        const uint64_t bit = any & -any;
        uint64_t serves = 0;
        for (size_t d = 0; d < demands.size(); ++d) {
          if ((demands[d].from[w] & bit) == 0) continue;
          serves |= BitMask(d);
          if (!shared.empty() && (shared[w] & bit) != 0) --need[d];
        }
        if (shared.empty() || (shared[w] & bit) == 0) ++supply[serves];
      }
    }
    need_ = std::move(need);
    for (const auto& [serves, count] : supply) kinds_.push_back({.serves = serves, .left = count});
    for (Kind& kind : kinds_) kind.given.resize(need_.size());
  }

  bool MeetsAll() {
    for (size_t d = 0; d < need_.size(); ++d) {
      while (need_[d] > 0) {
        if (work_.is_spent()) return true;
        work_.Charge(kinds_.size());
        seen_.assign(kinds_.size(), false);
        const int64_t got = Get(d, need_[d]);
        if (got == 0) return false;
        need_[d] -= got;
      }
    }
    return true;
  }

 private:
  struct Kind {
    uint64_t serves = 0;  // demands, by bit
    int64_t left = 0;
    std::vector<int64_t> given;  // by demand
  };

  /// Up to `want` more for the demand; 0 if there is no way.
  int64_t Get(size_t demand, int64_t want) {
    for (size_t k = 0; k < kinds_.size(); ++k) {
      Kind& kind = kinds_[k];
      work_.Charge(1);
      if (seen_[k] || (kind.serves & BitMask(demand)) == 0) continue;
      seen_[k] = true;
      int64_t got = std::min(want, kind.left);
      if (got > 0) {
        kind.left -= got;
      } else {
        got = Displace(kind, demand, want);
      }
      if (got > 0) {
        kind.given[demand] += got;
        return got;
      }
    }
    return 0;
  }

  /// Makes room in the kind by letting another demand get its share elsewhere.
  int64_t Displace(Kind& kind, size_t demand, int64_t want) {
    work_.Charge(kind.given.size());
    for (size_t other = 0; other < kind.given.size(); ++other) {
      if (other == demand || kind.given[other] == 0) continue;
      const int64_t got = Get(other, std::min(want, kind.given[other]));
      if (got == 0) continue;
      kind.given[other] -= got;
      return got;
    }
    return 0;
  }

  static constexpr uint64_t kWorkPerElement = 32;

  Work& work_;
  std::vector<int64_t> need_;
  std::vector<Kind> kinds_;
  std::vector<bool> seen_;
};

}  // namespace

bool EnoughForAll(std::span<const Demand> demands, WordSpan shared, Work& work) {
  if (demands.empty() || demands.size() > kDemandsMax) return true;
  return Distribution(demands, shared, work).MeetsAll();
}

}  // namespace dray::allocator::search
