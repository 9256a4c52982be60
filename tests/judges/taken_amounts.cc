// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/taken_amounts.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;
using api::Quantity;
using Wide = __int128;

constexpr Wide kMax = std::numeric_limits<int64_t>::max();

bool IsWholeMilli(const Quantity& amount) {
  return Quantity::FromMilli(amount.MilliValue()) == amount;
}

/// A range with a step, in whole numbers of its unit.
struct Ladder {
  Wide min, step;
  bool in_milli;

  /// Absent if the amount is not a whole number of units (milli-units are exact, whole units round
  /// up).
  std::optional<Wide> Units(const Quantity& amount) const {
    if (!in_milli) return amount.Value();
    if (!IsWholeMilli(amount)) return std::nullopt;
    return amount.MilliValue();
  }
};

/// Absent if the policy is invalid: a step of zero, or one without a minimum.
std::optional<Ladder> LadderOf(const v1::CapacityRequestPolicyRange& range, bool may_be_milli) {
  if (!range.min.has_value()) return std::nullopt;
  const bool in_milli = may_be_milli && IsWholeMilli(*range.min) && IsWholeMilli(*range.step) &&
                        (!range.max.has_value() || IsWholeMilli(*range.max)) &&
                        range.step->MilliValue() >= 1;
  const Ladder ladder{.min = in_milli ? range.min->MilliValue() : range.min->Value(),
                      .step = in_milli ? range.step->MilliValue() : range.step->Value(),
                      .in_milli = in_milli};
  if (ladder.step == 0) return std::nullopt;
  return ladder;
}

/// The smallest valid amount at or above the request; absent if it cannot be computed.
std::optional<Quantity> Climb(const Quantity& requested,
                              const v1::CapacityRequestPolicyRange& range,
                              bool may_be_milli) {
  if (requested < *range.min) return range.min;
  if (!range.step.has_value()) return requested;
  const std::optional<Ladder> ladder = LadderOf(range, may_be_milli);
  if (!ladder.has_value()) return std::nullopt;
  if (!ladder->in_milli && requested > Quantity::FromInt(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  const std::optional<Wide> units = ladder->Units(requested);
  if (!units.has_value()) return std::nullopt;
  Wide rung = ladder->min;
  const Wide missing = *units - rung;
  if (missing > 0) rung += (missing + ladder->step - 1) / ladder->step * ladder->step;
  if (rung > kMax) return std::nullopt;
  const auto count = static_cast<int64_t>(rung);
  return ladder->in_milli ? Quantity::FromMilli(count) : Quantity::FromInt(count);
}

std::optional<Quantity> AmountOf(const v1::DeviceCapacity& capacity,
                                 const Quantity* requested,
                                 bool may_be_milli) {
  const auto& policy = capacity.request_policy;
  if (requested == nullptr)
    return policy.has_value() && policy->default_.has_value() ? *policy->default_ : capacity.value;
  if (!policy.has_value()) return *requested;
  if (policy->valid_range.has_value() && policy->valid_range->min.has_value())
    return Climb(*requested, *policy->valid_range, may_be_milli);
  for (const Quantity& value : policy->valid_values) {
    if (value >= *requested) return value;
  }
  return *requested;
}

Answer IsAllowed(const Quantity& amount,
                 const api::Maybe<v1::CapacityRequestPolicy>& policy,
                 bool may_be_milli) {
  if (!policy.has_value()) return Answer::kYes;
  if (policy->default_.has_value() && SameRepresentation(amount, *policy->default_))
    return Answer::kYes;
  if (!policy->valid_range.has_value()) {
    const auto& values = policy->valid_values;
    const bool is_listed = values.empty() || std::ranges::find(values, amount) != values.end();
    return is_listed ? Answer::kYes : Answer::kNo;
  }
  const v1::CapacityRequestPolicyRange& range = *policy->valid_range;
  if (range.max.has_value() && amount > *range.max) return Answer::kNo;
  if (!range.step.has_value()) return Answer::kYes;
  const std::optional<Ladder> ladder = LadderOf(range, may_be_milli);
  if (!ladder.has_value()) return Answer::kError;
  const std::optional<Wide> units = ladder->Units(amount);
  const bool is_rung = units.has_value() && (*units - ladder->min) % ladder->step == 0;
  return is_rung ? Answer::kYes : Answer::kNo;
}

}  // namespace

TakenAmounts AmountsOf(const v1::Device& device,
                       const v1::CapacityRequirements* request,
                       bool in_milli) {
  TakenAmounts taken;
  if (request != nullptr) {
    for (const auto& [name, amount] : request->requests) {
      if (!device.capacity.contains(name)) return {.answer = Answer::kNo};
    }
  }
  for (const auto& [name, capacity] : device.capacity) {
    const bool is_requested = request != nullptr && request->requests.contains(name);
    const std::optional<Quantity> amount =
        AmountOf(capacity, is_requested ? &request->requests.at(name) : nullptr, in_milli);
    if (!amount.has_value() || amount->Sign() < 0) return {.answer = Answer::kError};
    taken.amounts.emplace(name, *amount);
  }
  for (const auto& [name, capacity] : device.capacity) {
    const Answer allowed = IsAllowed(taken.amounts.at(name), capacity.request_policy, in_milli);
    if (allowed == Answer::kError) return {.answer = Answer::kError};
    if (allowed == Answer::kNo) taken.answer = Answer::kNo;
  }
  return taken;
}

}  // namespace dray::judges
