// SPDX-License-Identifier: Apache-2.0
#include "scheduler/queue/fair_order.h"

#include <algorithm>
#include <utility>

namespace dray::scheduler::inline queue {

FairOrder::Place FairOrder::PlaceOf(const Owners::value_type& owner) {
  const Rank& first = owner.second.pods.begin()->first;
  return {first.first, owner.second.used / kTurnWork, first.second, owner.first};
}

template <class Edit>
void FairOrder::Change(Owners::value_type& owner, const Edit& edit) {
  if (!owner.second.pods.empty()) order_.erase(PlaceOf(owner));
  edit(owner.second);
  if (!owner.second.pods.empty()) order_.insert(PlaceOf(owner));
}

void FairOrder::Add(int32_t priority,
                    uint64_t ticket,
                    std::string_view owner,
                    const std::string& pod) {
  auto known = owners_.find(owner);
  if (known == owners_.end()) {
    ForgetIdle();
    known = owners_.emplace(std::string(owner), Owner{}).first;
  }
  Change(*known, [&](Owner& entry) {
    if (entry.pods.empty()) entry.used = std::max(entry.used, floor_);
    entry.pods.emplace(Rank{-int64_t{priority}, ticket}, pod);
  });
  ++size_;
}

void FairOrder::Remove(int32_t priority, uint64_t ticket, std::string_view owner) {
  const auto known = owners_.find(owner);
  Change(*known, [&](Owner& entry) { entry.pods.erase(Rank{-int64_t{priority}, ticket}); });
  --size_;
}

std::string FairOrder::Pop() {
  const auto owner = owners_.find(std::get<std::string_view>(*order_.begin()));
  floor_ = std::max(floor_, owner->second.used);
  std::string pod;
  Change(*owner, [&](Owner& entry) {
    pod = std::move(entry.pods.begin()->second);
    entry.pods.erase(entry.pods.begin());
  });
  --size_;
  return pod;
}

void FairOrder::Charge(std::string_view owner, uint64_t work) {
  auto known = owners_.find(owner);
  if (known == owners_.end()) {
    known = owners_.emplace(std::string(owner), Owner{.used = floor_, .pods = {}}).first;
  }
  Change(*known, [&](Owner& entry) { entry.used += work; });
}

/// Forgets owners without pods that used no more than the floor; a new owner would start the same.
void FairOrder::ForgetIdle() {
  constexpr size_t kSizeMin = 64;
  if (owners_.size() < std::max(kSizeMin, 2 * swept_size_)) return;
  std::erase_if(owners_, [this](const Owners::value_type& owner) {
    return owner.second.pods.empty() && owner.second.used <= floor_;
  });
  swept_size_ = owners_.size();
}

}  // namespace dray::scheduler::inline queue
