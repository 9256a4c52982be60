// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/consumable_capacity.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "allocator/rules/release_rules.h"
#include "api/claims/pool_accounts.h"
#include "base/try.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;
using api::Quantity;

constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr std::string_view kNotRepresentable =
    "capacity request cannot be represented in the device's range arithmetic";

Failure NotRepresentable(std::string_view why) {
  return Fail(StatusReason::kInvalid, fmt::format("{}: {}", kNotRepresentable, why));
}

/// The amount in thousandths, if it is a whole number of them.
std::optional<int64_t> ExactMilli(const Quantity& quantity) {
  const int64_t milli = quantity.MilliValue();
  if (Quantity::FromMilli(milli) != quantity) return std::nullopt;
  return milli;
}

/// A range with a step, in the unit that its arithmetic is done in.
struct Steps {
  bool in_milli;
  int64_t min, step;
};

bool CountsInMilli(const v1::CapacityRequestPolicyRange& range, const Features& features) {
  if (!features.fractional_capacity_range) return false;
  for (const auto* bound : {&range.min, &range.max, &range.step}) {
    if (bound->has_value() && !ExactMilli(**bound)) return false;
  }
  return range.step->MilliValue() >= 1;
}

Result<Steps> StepsOf(const v1::CapacityRequestPolicyRange& range, const Features& features) {
  if (!range.min.has_value()) {
    return Fail(StatusReason::kInvalid, "the valid range has a step, but no minimum");
  }
  const bool in_milli = CountsInMilli(range, features);
  const Steps steps{.in_milli = in_milli,
                    .min = in_milli ? range.min->MilliValue() : range.min->WrappedValue(),
                    .step = in_milli ? range.step->MilliValue() : range.step->WrappedValue()};
  if (steps.step == 0) return Fail(StatusReason::kInvalid, "the step of the valid range is zero");
  return steps;
}

/// As before 0.37: whole units in 64 bits, which wrap around.
Quantity RoundUpWrapping(const Quantity& requested, const Steps& steps) {
  const auto wrap = [](__int128 value) -> __int128 {
    return static_cast<int64_t>(static_cast<uint64_t>(value));
  };
  const __int128 added = wrap(static_cast<__int128>(requested.WrappedValue()) - steps.min);
  const __int128 count = wrap(added / steps.step + (added % steps.step != 0 ? 1 : 0));
  return Quantity::FromInt(static_cast<int64_t>(wrap(steps.min + steps.step * count)),
                           api::QuantityFormat::kBinarySi);
}

/// The next amount in the range that is reached from its minimum in whole steps.
Result<Quantity> RoundUpToStep(const Quantity& requested,
                               const v1::CapacityRequestPolicyRange& range,
                               const Features& features) {
  if (requested < *range.min) return *range.min;
  if (!range.step.has_value()) return requested;
  DRAY_TRY(const Steps steps, StepsOf(range, features));
  if (!RulesOf(features).bad_amounts_abort) return RoundUpWrapping(requested, steps);
  const std::string text = requested.ToString();
  if (steps.in_milli && !ExactMilli(requested))
    return NotRepresentable(fmt::format("request {} is not a representable milli value", text));
  if (!steps.in_milli && requested > Quantity::FromInt(kInt64Max))
    return NotRepresentable(fmt::format("request {} exceeds MaxInt64", text));
  const __int128 added =
      static_cast<__int128>(steps.in_milli ? requested.MilliValue() : requested.Value()) -
      steps.min;
  const __int128 count = added / steps.step + (added % steps.step != 0 ? 1 : 0);
  const __int128 count_max = (static_cast<__int128>(kInt64Max) - steps.min) / steps.step;
  if ((steps.in_milli || steps.min >= 0) && count > count_max) {
    return NotRepresentable(fmt::format("rounding request {} up to the next step passes {}",
                                        text,
                                        steps.in_milli ? "the milli-value range" : "MaxInt64"));
  }
  const auto rounded = static_cast<int64_t>(steps.min + steps.step * count);
  const api::QuantityFormat format = range.step->format();
  if (!steps.in_milli) return Quantity::FromInt(rounded, format);
  if (rounded % 1000 == 0) return Quantity::FromInt(rounded / 1000, format);
  return Quantity::FromMilli(rounded, format);
}

Result<Quantity> AmountTaken(const v1::DeviceCapacity& capacity,
                             const Quantity* requested,
                             const Features& features) {
  const api::Maybe<v1::CapacityRequestPolicy>& policy = capacity.request_policy;
  if (requested == nullptr) {
    const bool has_default = policy.has_value() && policy->default_.has_value();
    return has_default ? *policy->default_ : capacity.value;
  }
  if (!policy.has_value()) return *requested;
  if (policy->valid_range.has_value() && policy->valid_range->min.has_value())
    return RoundUpToStep(*requested, *policy->valid_range, features);
  const auto& values = policy->valid_values;
  const auto next =
      std::ranges::find_if(values, [&](const Quantity& value) { return *requested <= value; });
  return next == values.end() ? *requested : *next;
}

Result<bool> IsInRange(const Quantity& amount,
                       const v1::CapacityRequestPolicyRange& range,
                       const Features& features) {
  if (range.max.has_value() && amount > *range.max) return false;
  if (!range.step.has_value()) return true;
  DRAY_TRY(const Steps steps, StepsOf(range, features));
  if (steps.in_milli && !ExactMilli(amount)) return false;
  const int64_t value = steps.in_milli ? amount.MilliValue() : amount.WrappedValue();
  const auto above = static_cast<int64_t>(static_cast<uint64_t>(value) -
                                          static_cast<uint64_t>(steps.min));  // as upstream's wraps
  return static_cast<__int128>(above) % steps.step == 0;
}

/// Whether the policy lets `amount` be taken. Its own default always is, if written alike.
Result<bool> IsAllowed(const Quantity& amount,
                       const api::Maybe<v1::CapacityRequestPolicy>& policy,
                       const Features& features) {
  if (!policy.has_value()) return true;
  if (policy->default_.has_value() && SameRepresentation(amount, *policy->default_)) return true;
  if (policy->valid_range.has_value()) return IsInRange(amount, *policy->valid_range, features);
  const auto& values = policy->valid_values;
  return values.empty() || std::ranges::find(values, amount) != values.end();
}

const Quantity* Find(const ConsumedCapacity* amounts, std::string_view name) {
  if (amounts == nullptr) return nullptr;
  const auto found = amounts->find(name);
  return found == amounts->end() ? nullptr : &found->second;
}

Failure FailCapacity(std::string_view name, std::string_view why) {
  return Fail(StatusReason::kInvalid, fmt::format("capacity \"{}\": {}", name, why));
}

}  // namespace

bool IsShareable(const v1::Device& device, const Features& features) {
  return features.consumable_capacity && device.allow_multiple_allocations.value_or(false);
}

Result<ConsumedCapacity> AmountsTaken(const v1::Device& device,
                                      const v1::CapacityRequirements* request,
                                      const Features& features) {
  ConsumedCapacity amounts;
  for (const auto& [name, capacity] : device.capacity) {
    const Quantity* requested = nullptr;
    if (request != nullptr) {
      const auto found = request->requests.find(name);
      if (found != request->requests.end()) requested = &found->second;
    }
    const Result<Quantity> amount = AmountTaken(capacity, requested, features);
    if (!amount) return FailCapacity(name, amount.error().message);
    if (amount->Sign() < 0 && RulesOf(features).bad_amounts_abort)
      return FailCapacity(name, "capacity value is negative");
    amounts.emplace(name, *amount);
  }
  return amounts;
}

namespace {

bool HasAll(const v1::Device& device, const v1::CapacityRequirements* request) {
  return request == nullptr || std::ranges::all_of(request->requests, [&](const auto& wanted) {
           return device.capacity.contains(wanted.first);
         });
}

/// Capacity by capacity, policy before room: that decides which errors are seen.
Result<bool> FitAmounts(const v1::Device& device,
                        const ConsumedCapacity& amounts,
                        const Features& features,
                        const ConsumedCapacity* committed,
                        const ConsumedCapacity* given) {
  for (const auto& [name, capacity] : device.capacity) {
    const Quantity& amount = amounts.find(name)->second;
    DRAY_TRY(const bool allowed, IsAllowed(amount, capacity.request_policy, features));
    const ConsumedCapacity* const parts[] = {&amounts, committed, given};
    if (!allowed || api::claims::TotalOf(name, parts) > capacity.value) return false;
  }
  return true;
}

}  // namespace

Result<bool> FitsCapacity(const v1::Device& device,
                          const v1::CapacityRequirements* request,
                          const Features& features,
                          const ConsumedCapacity* committed,
                          const ConsumedCapacity* given) {
  if (!HasAll(device, request)) return false;
  DRAY_TRY(const ConsumedCapacity amounts, AmountsTaken(device, request, features));
  return FitAmounts(device, amounts, features, committed, given);
}

Result<std::optional<ConsumedCapacity>> AmountsThatFit(const v1::Device& device,
                                                       const v1::CapacityRequirements* request,
                                                       const Features& features) {
  if (!HasAll(device, request)) return std::nullopt;
  DRAY_TRY(ConsumedCapacity amounts, AmountsTaken(device, request, features));
  DRAY_TRY(const bool fit, FitAmounts(device, amounts, features, nullptr, nullptr));
  if (!fit) return std::nullopt;
  return amounts;
}

bool HasRoom(const v1::Device& device,
             const ConsumedCapacity& amounts,
             const ConsumedCapacity* committed,
             const ConsumedCapacity* given) {
  const ConsumedCapacity* const parts[] = {&amounts, committed, given};
  return !api::claims::FindExceeded(device, parts).has_value();
}

bool CapacityUsage::IsShared(const DeviceEntry& device) const {
  if (given_[device.index].count > 0) return true;
  const DeviceIdView id = device.id();
  return rules_.bare_share_pays_again ? state_.FindCapacity(id) != nullptr : state_.IsShared(id);
}

Result<bool> CapacityUsage::Fits(const DeviceEntry& device, const Request* request) {
  Result<bool> fits = FitsCapacity(*device.device,
                                   Grown(request),
                                   features_,
                                   state_.FindCapacity(device.id()),
                                   &given_[device.index].total);
  if (rules_.big_requests_grow && request != nullptr) Grow(device, *request);
  return fits;
}

Result<ConsumedCapacity> CapacityUsage::Amounts(const DeviceEntry& device,
                                                const Request* request) const {
  return AmountsTaken(*device.device, Grown(request), features_);
}

const v1::CapacityRequirements* CapacityUsage::Grown(const Request* request) const {
  const auto grown = grown_.find(request);
  return grown == grown_.end() ? request : &grown->second;
}

void CapacityUsage::Grow(const DeviceEntry& device, const Request& request) {
  const ConsumedCapacity* const committed = state_.FindCapacity(device.id());
  const Request before = *Grown(&request);
  const Result<ConsumedCapacity> amounts = AmountsTaken(*device.device, &before, features_);
  if (!amounts) return;
  for (const auto& [name, requested] : before.requests) {
    const auto capacity = device.device->capacity.find(name);
    if (capacity == device.device->capacity.end()) return;
    const Quantity* const given = Find(&given_[device.index].total, name);
    // Without a policy the number is copied first.
    const bool is_the_same_number = capacity->second.request_policy.has_value() &&
                                    SameRepresentation(requested, *Find(&*amounts, name));
    if (requested.is_big() && is_the_same_number && given != nullptr &&
        Find(committed, name) == nullptr) {
      grown_.try_emplace(&request, request).first->second.requests[name] += *given;
    }
  }
}

void CapacityUsage::Give(const DeviceEntry& device, const ConsumedCapacity& amounts) {
  Shares& shares = given_[device.index];
  ++shares.count;
  for (const auto& [name, amount] : amounts) shares.total[name] += amount;
}

void CapacityUsage::TakeBack(const DeviceEntry& device, const ConsumedCapacity& amounts) {
  Shares& shares = given_[device.index];
  --shares.count;
  for (const auto& [name, amount] : amounts) shares.total[name] -= amount;
}

}  // namespace dray::allocator::rules
