// SPDX-License-Identifier: Apache-2.0
// Counts requests under way and limits them: upstream's separate limits on reads and writes, and a
// share of each for every sender. Watches are not counted, because they last.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "base/frozen.h"
#include "base/share_budget.h"

namespace dray::server::http {

/// Upstream's defaults; 0 is no limit.
inline constexpr size_t kReadsInFlightMax = 400;
inline constexpr size_t kWritesInFlightMax = 200;

/// Safe from any thread.
class InFlight {
 public:
  /// One sender has at most a quarter of `max`.
  explicit InFlight(size_t max) : budget_(std::make_shared<ShareBudget>(LimitsOf(max))) {}

  /// A request under way, until it is destroyed.
  class Place {
   public:
    Place() = default;
    Place(std::shared_ptr<InFlight> of, ShareBudget::Claim claim)
        : of_(std::move(of)), claim_(std::move(claim)) {
      of_->count_.fetch_add(1, std::memory_order_relaxed);
    }
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(claim_, other.claim_);
      return *this;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
      if (of_ != nullptr) of_->count_.fetch_sub(1, std::memory_order_relaxed);
    }
    explicit operator bool() const { return of_ != nullptr; }

   private:
    std::shared_ptr<InFlight> of_;
    ShareBudget::Claim claim_;
  };

  /// A place of `in_flight`; none when all places are taken, or all that `owner` may have. An
  /// exempt owner (or null) always gets a place, and takes none from others.
  static Place Take(const std::shared_ptr<InFlight>& in_flight, const Frozen<ShareOwner>& owner) {
    const bool is_exempt = owner == nullptr || owner->rank == ShareRank::kExempt;
    ShareBudget::Claim claim(is_exempt ? nullptr : in_flight->budget_, owner);
    return claim.Resize(1) ? Place(in_flight, std::move(claim)) : Place();
  }

  size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static ShareLimits LimitsOf(size_t max) {
    constexpr size_t kMany = std::numeric_limits<size_t>::max();
    if (max == 0) return ShareLimits::WholeOf(kMany);
    return {.total = max, .share = std::max<size_t>(max / 4, 1), .reserve = max / 8};
  }

  const std::shared_ptr<ShareBudget> budget_;
  std::atomic<size_t> count_{0};
};

}  // namespace dray::server::http
