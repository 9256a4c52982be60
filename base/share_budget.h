// SPDX-License-Identifier: Apache-2.0
// Divides a limited resource among its owners: bytes of requests and answers, connections, watches.
// Each owner has its own share, so an owner that takes all it can get takes nothing from others.
//
// A request for more must keep three rules:
//   1. One owner has at most `ShareLimits::share`. Only its first request may be larger, because it
//      could never be granted otherwise.
//   2. One owner has at most as much as is left for all others then. A single owner gets half, n
//      owners at the same time get a part of n + 1 each, and a part is always left for the next
//      (dynamic thresholds, as switches share their buffers: Choudhury and Hahne, 1998).
//   3. Usual owners cannot use `ShareLimits::reserve`; the cluster's own components and nodes can
//      use half of it, administrators and the server itself all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/frozen.h"
#include "base/mutex.h"

namespace dray {

/// How much an owner may come to have.
enum class ShareRank : uint8_t {
  kUsual,   // a share, and nothing of the reserve
  kSystem,  // a share, and half of the reserve
  kExempt,  // everything there is
};

/// An owner of shares. Owners of the same name have one share together.
struct ShareOwner {
  std::string name;
  ShareRank rank = ShareRank::kExempt;
};

/// The line of a FairQueue in which work of the owner waits; empty, which comes first, for exempt
/// owners. As long as the owner.
inline std::string_view LineOf(const Frozen<ShareOwner>& owner) {
  const bool is_exempt = owner == nullptr || owner->rank == ShareRank::kExempt;
  return is_exempt ? std::string_view() : std::string_view(owner->name);
}

struct ShareLimits {
  size_t total = 0;
  size_t share = 0;    // of one owner
  size_t reserve = 0;  // of the total

  /// An eighth for each owner, at least one, and an eighth in reserve.
  static constexpr ShareLimits EighthsOf(size_t total) {
    return {.total = total, .share = total < 8 ? 1 : total / 8, .reserve = total / 8};
  }
  /// No limit but the total.
  static constexpr ShareLimits WholeOf(size_t total) {
    return {.total = total, .share = total, .reserve = 0};
  }
};

/// Safe from any thread. Claims keep it alive.
class ShareBudget : public std::enable_shared_from_this<ShareBudget> {
 private:
  struct Account {
    size_t held = 0;
    size_t claims = 0;  // the account goes with the last of them
  };
  using Accounts = std::unordered_map<std::string, Account>;

 public:
  explicit ShareBudget(ShareLimits limits) : limits_(limits) {}

  const ShareLimits& limits() const { return limits_; }
  /// What all have together.
  size_t held() const;
  /// What the owner of that name has.
  size_t HeldBy(const std::string& name) const;

  /// What one holder has of a budget, in the name of an owner; given back at the end. Belongs to
  /// one thread at a time.
  class Claim {
   public:
    /// A claim without a budget, which takes everything.
    Claim() = default;
    /// On `budget`, without anything yet. Without an owner it is exempt. A null budget is none.
    Claim(std::shared_ptr<ShareBudget> budget, Frozen<ShareOwner> owner)
        : budget_(std::move(budget)), owner_(std::move(owner)) {}
    Claim(Claim&& other) noexcept
        : budget_(std::move(other.budget_)),
          owner_(std::move(other.owner_)),
          account_(std::exchange(other.account_, nullptr)),
          amount_(std::exchange(other.amount_, 0)) {}
    Claim& operator=(Claim&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(owner_, other.owner_);
      std::swap(account_, other.account_);
      std::swap(amount_, other.amount_);
      return *this;
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() { Release(); }

    /// Holds `amount` from now on. False, and nothing changes, when that is more than the owner may
    /// have now; less is always possible. O(1).
    bool Resize(size_t amount);
    /// Holds nothing more.
    void Release();
    size_t amount() const { return amount_; }

   private:
    std::shared_ptr<ShareBudget> budget_;
    Frozen<ShareOwner> owner_;
    Accounts::value_type* account_ = nullptr;  // null while it holds nothing
    size_t amount_ = 0;
  };

 private:
  bool Grow(const ShareOwner& owner, Accounts::value_type*& account, size_t more);
  void Shrink(Accounts::value_type*& account, size_t less, bool is_last);
  bool Fits(ShareRank rank, size_t owned, size_t more) const DRAY_REQUIRES(mutex_);

  const ShareLimits limits_;
  mutable Mutex mutex_;
  size_t held_ DRAY_GUARDED_BY(mutex_) = 0;
  Accounts accounts_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray
