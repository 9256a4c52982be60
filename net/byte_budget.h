// SPDX-License-Identifier: Apache-2.0
// Bytes that many holders may hold together: bodies of requests, what strangers have sent. Safe
// from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace dray::net {

class ByteBudget {
 public:
  explicit ByteBudget(size_t max) : max_(max) {}

  size_t held() const { return held_.load(std::memory_order_relaxed); }
  size_t max() const { return max_; }

  /// What one holder has of a budget, which lives as long as its shares; given back at the end.
  class Share {
   public:
    /// Of no budget: takes everything.
    Share() = default;
    explicit Share(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
    Share(Share&& other) noexcept
        : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { Resize(0); }

    /// Holds `bytes` from now on. False, and nothing changes, when the budget has not that many;
    /// less is always possible.
    bool Resize(size_t bytes) {
      if (budget_ != nullptr && !budget_->Change(bytes_, bytes)) return false;
      bytes_ = bytes;
      return true;
    }
    size_t bytes() const { return bytes_; }

   private:
    std::shared_ptr<ByteBudget> budget_;
    size_t bytes_ = 0;
  };

 private:
  bool Change(size_t before, size_t after) {
    if (after <= before) {
      held_.fetch_sub(before - after, std::memory_order_relaxed);
      return true;
    }
    const size_t more = after - before;
    if (more > max_) return false;
    const size_t held = held_.fetch_add(more, std::memory_order_relaxed);
    if (held <= max_ - more) return true;
    held_.fetch_sub(more, std::memory_order_relaxed);
    return false;
  }

  const size_t max_;
  std::atomic<size_t> held_{0};
};

}  // namespace dray::net
