// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/variation.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "base/result.h"

namespace dray::planning::inline explain {

Fit FitOn(const allocator::Attempt& attempt,
          const api::core_v1::Node& node,
          const allocator::Budget& budget) {
  const Result<allocator::Outcome> outcome = attempt.Allocate(node, budget);
  if (!outcome) return Fit::kNo;
  if (std::holds_alternative<allocator::Undecided>(*outcome)) return Fit::kUnknown;
  return std::holds_alternative<allocator::Allocation>(*outcome) ? Fit::kYes : Fit::kNo;
}

scheduler::TakenDevices& FreedClaims::Taken() {
  if (taken_ != nullptr) return *taken_;
  taken_ = std::make_unique<scheduler::TakenDevices>(snapshot_.features());
  for (size_t i = 0; i < holders_.size(); ++i)
    taken_->SetClaim(holders_.ClaimAt(i).metadata.uid, &holders_.ClaimAt(i));
  allocator::Snapshot same = snapshot_;
  taken_->BringUpToDate(same);  // later calls apply only changes
  return *taken_;
}

allocator::Snapshot FreedClaims::Without(std::span<const size_t> places) {
  scheduler::TakenDevices& taken = Taken();
  for (const size_t place : places) taken.SetClaim(holders_.ClaimAt(place).metadata.uid, nullptr);
  allocator::Snapshot without = snapshot_;
  taken.BringUpToDate(without);
  for (const size_t place : places) {
    const auto& claim = holders_.ClaimAt(place);
    taken.SetClaim(claim.metadata.uid, &claim);
  }
  return without;
}

allocator::Snapshot FreedClaims::WithTaken(
    std::span<const api::resource_v1::AllocationResult> allocations) {
  scheduler::TakenDevices& taken = Taken();
  const auto uid_of = [](size_t i) { return fmt::format("taken too: {}", i); };
  for (size_t i = 0; i < allocations.size(); ++i) {
    api::resource_v1::ResourceClaim claim;
    claim.status.allocation = allocations[i];
    taken.SetClaim(uid_of(i), &claim);
  }
  allocator::Snapshot with = snapshot_;
  taken.BringUpToDate(with);
  for (size_t i = 0; i < allocations.size(); ++i) taken.SetClaim(uid_of(i), nullptr);
  return with;
}

std::vector<size_t> Minimal(size_t count,
                            const std::function<bool(std::span<const size_t>)>& still_holds) {
  std::vector<size_t> kept(count);
  for (size_t i = 0; i < count; ++i) kept[i] = i;
  size_t chunk = std::max<size_t>(count / 2, 1);
  for (bool removed_any = true; removed_any || chunk > 1;) {
    if (!removed_any) chunk /= 2;
    removed_any = false;
    for (size_t from = 0; from < kept.size();) {
      const size_t to = std::min(from + chunk, kept.size());
      std::vector<size_t> fewer(kept.begin(), kept.begin() + static_cast<ptrdiff_t>(from));
      fewer.insert(fewer.end(), kept.begin() + static_cast<ptrdiff_t>(to), kept.end());
      if (still_holds(fewer)) {
        kept = std::move(fewer);
        removed_any = true;
      } else {
        from = to;
      }
    }
  }
  return kept;
}

}  // namespace dray::planning::inline explain
