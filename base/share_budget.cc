// SPDX-License-Identifier: Apache-2.0
#include "base/share_budget.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace dray {

size_t ShareBudget::held() const {
  const MutexLock lock(mutex_);
  return held_;
}

size_t ShareBudget::HeldBy(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = accounts_.find(name);
  return found == accounts_.end() ? 0 : found->second.held;
}

bool ShareBudget::Fits(ShareRank rank, size_t owned, size_t more) const {
  size_t within = limits_.total;
  if (rank == ShareRank::kUsual) within -= limits_.reserve;
  if (rank == ShareRank::kSystem) within -= limits_.reserve / 2;
  if (held_ > within || more > within - held_) return false;
  if (rank == ShareRank::kExempt) return true;
  const size_t left = within - held_ - more;
  if (owned == 0) return more <= std::max<size_t>(left, 1);
  if (owned > limits_.share || more > limits_.share - owned) return false;
  return owned + more <= left;
}

bool ShareBudget::Grow(const ShareOwner& owner, Accounts::value_type*& account, size_t more) {
  const MutexLock lock(mutex_);
  const auto found = account != nullptr ? accounts_.end() : accounts_.find(owner.name);
  const size_t owned = account != nullptr         ? account->second.held
                       : found != accounts_.end() ? found->second.held
                                                  : 0;
  if (!Fits(owner.rank, owned, more)) return false;
  if (account == nullptr) {
    account = found != accounts_.end() ? &*found : &*accounts_.try_emplace(owner.name).first;
    ++account->second.claims;
  }
  account->second.held += more;
  held_ += more;
  return true;
}

void ShareBudget::Shrink(Accounts::value_type*& account, size_t less, bool is_last) {
  const MutexLock lock(mutex_);
  held_ -= less;
  account->second.held -= less;
  if (!is_last) return;
  Accounts::value_type* const left = std::exchange(account, nullptr);
  if (--left->second.claims == 0) accounts_.erase(left->first);
}

bool ShareBudget::Claim::Resize(size_t amount) {
  static const ShareOwner kNobody;
  if (budget_ != nullptr && amount > amount_) {
    const ShareOwner& owner = owner_ == nullptr ? kNobody : *owner_;
    if (!budget_->Grow(owner, account_, amount - amount_)) return false;
  } else if (account_ != nullptr && amount < amount_) {
    budget_->Shrink(account_, amount_ - amount, amount == 0);
  }
  amount_ = amount;
  return true;
}

void ShareBudget::Claim::Release() {
  if (account_ != nullptr) budget_->Shrink(account_, amount_, true);
  amount_ = 0;
}

}  // namespace dray
