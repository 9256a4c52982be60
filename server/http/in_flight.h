// SPDX-License-Identifier: Apache-2.0
// How many requests are being carried out, and how many may be: upstream's limits on reads and
// writes, beside each other. Watches are not counted: they last.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace dray::server::http {

/// Upstream's defaults; 0 is no limit.
inline constexpr size_t kReadsInFlightMax = 400;
inline constexpr size_t kWritesInFlightMax = 200;

/// Safe from any thread.
class InFlight {
 public:
  explicit InFlight(size_t max) : max_(max) {}

  /// A request under way; over when it is destroyed.
  class Place {
   public:
    Place() = default;
    explicit Place(std::shared_ptr<InFlight> of) : of_(std::move(of)) {}
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&& other) noexcept {
      std::swap(of_, other.of_);
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
  };

  enum class Rank : unsigned char { kUsual, kAlways };

  /// A place among those of `in_flight`; none when all are taken, unless `rank` is kAlways.
  static Place Take(const std::shared_ptr<InFlight>& in_flight, Rank rank) {
    const size_t before = in_flight->count_.fetch_add(1, std::memory_order_relaxed);
    Place place(in_flight);
    const bool fits = in_flight->max_ == 0 || before < in_flight->max_ || rank == Rank::kAlways;
    return fits ? std::move(place) : Place();
  }

  size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  const size_t max_;
  std::atomic<size_t> count_{0};
};

}  // namespace dray::server::http
