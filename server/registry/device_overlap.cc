// SPDX-License-Identifier: Apache-2.0
#include "server/registry/device_overlap.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/claims/pool_accounts.h"
#include "api/object.h"
#include "server/errors/errors.h"

namespace dray::server::registry {
namespace {

namespace claims = api::claims;
using api::Quantity;
using api::resource_v1::AllocationResult;
using api::resource_v1::Device;
using api::resource_v1::DeviceCapacity;
using api::resource_v1::DeviceRequestAllocationResult;
using api::resource_v1::ResourceClaim;

/// The device of the result in messages: "device driver/pool/name".
std::string NameOf(const DeviceRequestAllocationResult& result) {
  return fmt::format("device {}/{}/{}", result.driver, result.pool, result.device);
}

/// A result that would hold the device after the write.
struct Taker {
  std::string_view claim;  // empty: the claim that is written
  std::string share;       // empty: the whole device
  const api::Map<Quantity>* consumed;

  bool is_other() const { return !claim.empty(); }
};

Taker TakerOf(const DeviceRequestAllocationResult& result) {
  return {
      .claim = {}, .share = CanonicalShare(result.share_id), .consumed = &result.consumed_capacity};
}

bool IsShareable(const Device* device) {
  return device != nullptr && device->allow_multiple_allocations.value_or(false);
}

/// Why the first of the takers cannot have the device beside the others. A device that no slice has
/// cannot be shared.
std::string HolderOverlap(const DeviceRequestAllocationResult& result,
                          const Device* device,
                          std::span<const Taker> takers) {
  const Taker& asks = takers.front();
  for (const Taker& other : takers.subspan(1)) {
    const bool is_whole = asks.share.empty() || other.share.empty();
    const bool is_same_share = !is_whole && asks.share == other.share;
    if (IsShareable(device) && !is_whole && !is_same_share) continue;
    const std::string what =
        (is_same_share ? fmt::format("share {} of ", other.share) : "") + NameOf(result);
    if (!other.is_other()) return what + " is asked for more than once";
    return fmt::format("{} is already allocated to ResourceClaim {}", what, other.claim);
  }
  return "";
}

claims::Amounts AmountsOf(const Device& device, std::string_view driver, const Taker& taker) {
  static const api::Map<Quantity> kNamesNothing;
  return claims::AmountsOf(device, taker.share.empty() ? kNamesNothing : *taker.consumed, driver);
}

/// Why the shares of all takers exceed the capacity of the device; empty if they fit.
std::string CapacityOverlap(const DeviceRequestAllocationResult& result,
                            const Device& device,
                            std::span<const Taker> takers) {
  std::vector<claims::Amounts> amounts;
  amounts.reserve(takers.size());
  std::vector<const claims::Amounts*> all;
  std::vector<const claims::Amounts*> own;
  std::string_view other;
  for (const Taker& taker : takers) {
    amounts.push_back(AmountsOf(device, result.driver, taker));
    all.push_back(&amounts.back());
    if (!taker.is_other()) own.push_back(&amounts.back());
    if (taker.is_other()) other = taker.claim;
  }
  const auto exceeded = claims::FindExceeded(device, all);
  if (!exceeded.has_value()) return "";
  const Quantity wanted = claims::TotalOf(exceeded->name, own);
  Quantity taken = exceeded->taken;
  taken -= wanted;
  const std::string total = device.capacity.find(exceeded->name)->second.value.ToString();
  if (other.empty()) {
    return fmt::format("{} of capacity {} of {} are asked for, and it has {}",
                       wanted.ToString(),
                       exceeded->name,
                       NameOf(result),
                       total);
  }
  return fmt::format(
      "{} of capacity {} of {} are asked for and {} of {} are already allocated, among others to "
      "ResourceClaim {}",
      wanted.ToString(),
      exceeded->name,
      NameOf(result),
      taken.ToString(),
      total,
      other);
}

/// Whether a share takes nothing of the capacity because its request asks for nothing.
bool MayTakeNothing(const ResourceClaim& claim,
                    const DeviceRequestAllocationResult& result,
                    const Device& device,
                    const std::pair<std::string, DeviceCapacity>& capacity) {
  if (capacity.second.value.Sign() <= 0) return true;
  if (const auto* request = claims::CapacityRequestOf(claim, result.request)) {
    for (const auto& [name, amount] : request->requests) {
      if (claims::FindCapacity(device, name, result.driver) == &capacity) return amount.IsZero();
    }
  }
  const auto& policy = capacity.second.request_policy;
  return policy.has_value() && policy->default_.has_value() && policy->default_->IsZero();
}

/// The error for a counter that the device consumes and no slice has; empty if there is none.
std::string UnknownCounterOf(const claims::CounterAccount& account, const Device& device) {
  const auto unknown = account.FindUnknown(device);
  if (!unknown.has_value()) return "";
  return fmt::format("{} of counter set {}, which device {} draws from, is not published",
                     unknown->second.empty() ? "no counter" : unknown->second,
                     unknown->first,
                     device.name);
}

void SetIfEmpty(std::string& text, std::string value) {
  if (text.empty()) text = std::move(value);
}

}  // namespace

const AllocationResult& AllocationOf(const ResourceClaim* claim) {
  static const AllocationResult kNone;
  return claim != nullptr && claim->status.allocation ? *claim->status.allocation : kNone;
}

OverlapJudge::OverlapJudge(const ResourceClaim& before, const ResourceClaim& after)
    : after_(after),
      old_(AllocationOf(&before)),
      now_(AllocationOf(&after)),
      key_(api::ObjectKey(after.metadata)) {}

bool OverlapJudge::IsNewlyTaken(const Result& result) const {
  const auto& old = old_.devices.results;
  return !claims::AsksForAdminAccess(after_, result.request) &&
         std::ranges::find(old, result) == old.end();
}

bool OverlapJudge::ConcernsPool(const PoolHolders& pool, const Result& result) const {
  const Device* device = pool.Find(result.device);
  return device == nullptr || !device->consumes_counters.empty();
}

std::string OverlapJudge::FindOverlap(const PoolHolders& pool, const Result& result) {
  std::vector<Taker> takers = {TakerOf(result)};
  for (const Result& own : now_.devices.results) {
    const bool is_same_device =
        own.device == result.device && own.pool == result.pool && own.driver == result.driver;
    if (&own == &result || !is_same_device) continue;
    if (!claims::AsksForAdminAccess(after_, own.request)) takers.push_back(TakerOf(own));
  }
  const size_t own_takers = takers.size();
  if (const auto held = pool.held.find(result.device); held != pool.held.end()) {
    for (const Holding& holding : held->second) {
      if (holding.claim == key_) continue;
      takers.push_back(
          {.claim = holding.claim, .share = holding.share, .consumed = &holding.consumed});
    }
  }
  const Device* device = pool.Find(result.device);
  std::string overlap = HolderOverlap(result, device, takers);
  if (!overlap.empty()) return overlap;
  if (IsShareable(device)) overlap = CapacityOverlap(result, *device, takers);
  const std::string& gap = pool.Defined().gap;
  if (overlap.empty() && takers.size() > own_takers && !gap.empty()) {
    overlap =
        fmt::format("{} is allocated to ResourceClaim {} too, and what is left is unknown: {}",
                    NameOf(result),
                    takers.back().claim,
                    gap);
  }
  if (overlap.empty() && ConcernsPool(pool, result)) overlap = PoolOverlap(pool, result);
  return overlap;
}

std::string OverlapJudge::PoolOverlap(const PoolHolders& pool, const Result& result) {
  const PoolSum& sum = SumOf(pool, result);
  const PoolDefinition& defined = pool.Defined();
  const Device* device = pool.Find(result.device);
  std::string doubt = sum.doubt;
  if (device == nullptr) {
    // A device that is no longer published may have consumed counters if its pool has or had some,
    // or is incomplete. A pool that never had slices has no counters.
    const bool is_partly_known = !pool.slices.empty() && !defined.gap.empty();
    if (sum.other.empty() || (!is_partly_known && !defined.has_counters)) return "";
    doubt = defined.gap.empty() ? fmt::format("device {} is not published", result.device)
                                : defined.gap;
  } else if (doubt.empty() || sum.devices <= 1) {
    return sum.shortage;
  }
  const std::string other = sum.other.empty() ? "the claim itself" : "ResourceClaim " + sum.other;
  return fmt::format("{} may need what {} has of its pool: {}", NameOf(result), other, doubt);
}

const PoolSum& OverlapJudge::SumOf(const PoolHolders& pool, const Result& result) {
  const auto [known, is_new] = sums_.try_emplace(&pool);
  if (is_new) known->second = MakeSum(pool, result);
  return known->second;
}

/// A device counts once, however many claims share it.
PoolSum OverlapJudge::MakeSum(const PoolHolders& pool, const Result& result) const {
  PoolSum sum;
  claims::CounterAccount account = pool.Defined().counters;
  std::set<std::string_view> counted;
  for (const auto& [name, holdings] : pool.held) {
    const auto other = std::ranges::find_if(
        holdings, [&](const Holding& holding) { return holding.claim != key_; });
    if (other == holdings.end()) continue;
    counted.insert(name);
    sum.other = other->claim;
    if (const Device* device = pool.Find(name)) {
      account.Commit(*device);
      SetIfEmpty(sum.doubt, UnknownCounterOf(account, *device));
    } else {
      SetIfEmpty(sum.doubt,
                 fmt::format("device {} of ResourceClaim {} is not published", name, other->claim));
    }
  }
  for (const Result& own : now_.devices.results) {
    if (own.pool != result.pool || own.driver != result.driver) continue;
    if (claims::AsksForAdminAccess(after_, own.request)) continue;
    if (!counted.insert(own.device).second) continue;
    const Device* device = pool.Find(own.device);
    if (device == nullptr) {
      SetIfEmpty(sum.doubt, fmt::format("device {} is not published", own.device));
      continue;
    }
    SetIfEmpty(sum.doubt, UnknownCounterOf(account, *device));
    if (account.Draw(*device) || !sum.shortage.empty()) continue;
    const auto shortage = account.ShortageFor(*device);
    sum.shortage = fmt::format("{} needs {} of counter {} of {}, of which {} are left{}",
                               NameOf(own),
                               shortage->wanted.ToString(),
                               shortage->counter,
                               shortage->set,
                               shortage->left.ToString(),
                               sum.other.empty() ? "" : " beside ResourceClaim " + sum.other);
  }
  sum.devices = counted.size();
  if (!pool.Defined().gap.empty()) sum.doubt = pool.Defined().gap;
  return sum;
}

std::optional<ErrorCause> OverlapJudge::FindBadAmount(const PoolHolders& pool,
                                                      const Result& result) const {
  const Device* device = pool.Find(result.device);
  const auto bad = [&](std::string_view name, const Quantity& amount, std::string_view why) {
    const auto index = static_cast<size_t>(&result - now_.devices.results.data());
    return errors::InvalidValue(
        fmt::format("status.allocation.devices.results[{}].consumedCapacity[{}]", index, name),
        errors::Quoted(amount.ToString()),
        why);
  };
  for (const auto& [name, amount] : result.consumed_capacity) {
    if (amount.Sign() < 0) return bad(name, amount, "must not be negative");
    if (!IsShareable(device) || !result.share_id.has_value()) continue;
    const auto* capacity = claims::FindCapacity(*device, name, result.driver);
    if (capacity == nullptr || MayTakeNothing(after_, result, *device, *capacity)) continue;
    const claims::Amounts amounts =
        claims::AmountsOf(*device, result.consumed_capacity, result.driver);
    if (amounts.find(capacity->first)->second.Sign() > 0) continue;
    return bad(name, amount, "must be greater than zero: the request does not ask for nothing");
  }
  return std::nullopt;
}

}  // namespace dray::server::registry
