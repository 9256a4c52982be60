// SPDX-License-Identifier: Apache-2.0
// Requests that must stay together form a unit. A split is a list of shares, one per unit: all to
// the first pod, all to the second, or half to each.
#include "planning/explain/pod_split.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/resource_v1/claim.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

struct Unit {
  size_t claim = 0;
  std::vector<size_t> requests = {};  // in order
  int64_t halves = 0;                 // devices that may be divided; 0: none
};

enum class Share : uint8_t { kFirst, kSecond, kHalf };
using Shares = std::vector<Share>;  // by unit

/// Strips the alternative from "request/alternative".
std::string_view BaseOf(std::string_view name) {
  return name.substr(0, name.find('/'));
}

bool Names(const api::List<std::string>& names, std::string_view request) {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return BaseOf(name) == request;
         });
}

int64_t DevicesThatMayBeDivided(const v1::DeviceRequest& request) {
  const bool is_counted = request.exactly.has_value() && request.exactly->allocation_mode != "All";
  return is_counted && request.exactly->count > 1 ? request.exactly->count : 0;
}

void AddUnits(const v1::DeviceClaim& devices, size_t claim, std::vector<Unit>& units) {
  const size_t first = units.size();
  for (size_t i = 0; i < devices.requests.size(); ++i) {
    units.push_back(
        {.claim = claim, .requests = {i}, .halves = DevicesThatMayBeDivided(devices.requests[i])});
  }
  for (const v1::DeviceConstraint& constraint : devices.constraints) {
    const auto is_bound = [&](const Unit& unit) {
      return std::ranges::any_of(unit.requests, [&](size_t request) {
        return Names(constraint.requests, devices.requests[request].name);
      });
    };
    Unit together{.claim = claim};
    for (size_t i = first; i < units.size(); ++i) {
      if (is_bound(units[i])) {
        together.requests.insert(
            together.requests.end(), units[i].requests.begin(), units[i].requests.end());
      }
    }
    if (together.requests.empty()) continue;
    std::ranges::sort(together.requests);
    std::erase_if(units, [&](const Unit& unit) { return unit.claim == claim && is_bound(unit); });
    units.push_back(std::move(together));
  }
  std::ranges::sort(units.begin() + static_cast<ptrdiff_t>(first), units.end(), {}, [](auto& unit) {
    return unit.requests.front();
  });
}

/// The part of the claims that `pod` requests.
WantedClaims PartOf(const WantedClaims& claims,
                    const std::vector<Unit>& units,
                    const Shares& shares,
                    Share pod) {
  WantedClaims part;
  for (size_t i = 0; i < claims.size(); ++i) {
    auto claim = std::make_shared<v1::ResourceClaim>(*claims[i]);
    v1::DeviceClaim& devices = claim->spec.devices;
    std::set<std::string_view> left;
    devices.requests.clear();
    for (size_t unit = 0; unit < units.size(); ++unit) {
      if (units[unit].claim != i || (shares[unit] != pod && shares[unit] != Share::kHalf)) continue;
      for (const size_t request : units[unit].requests) {
        const v1::DeviceRequest& asked = claims[i]->spec.devices.requests[request];
        devices.requests.push_back(asked);
        left.insert(asked.name);
        if (shares[unit] != Share::kHalf) continue;
        const int64_t smaller = units[unit].halves / 2;
        devices.requests.back().exactly->count =
            pod == Share::kFirst ? units[unit].halves - smaller : smaller;
      }
    }
    if (devices.requests.empty()) continue;
    // A unit has all requests that a constraint binds, or none of them.
    const auto is_gone = [&](const auto& rule) {
      return !rule.requests.empty() && std::ranges::none_of(rule.requests, [&](const auto& name) {
        return left.contains(BaseOf(name));
      });
    };
    std::erase_if(devices.constraints, is_gone);
    std::erase_if(devices.config, is_gone);
    for (v1::DeviceClaimConfiguration& config : devices.config) {
      std::erase_if(config.requests,
                    [&](const std::string& name) { return !left.contains(BaseOf(name)); });
    }
    part.push_back(std::move(claim));
  }
  return part;
}

/// "claim a/gpus, request nic of claim a/b and 4 of the 8 devices of request gpu of claim a/b".
std::string TextOf(const WantedClaims& part, const WantedClaims& claims) {
  std::vector<std::string> texts;
  for (const auto& claim : part) {
    const auto whole = *std::ranges::find_if(claims, [&](const auto& one) {
      return one->metadata.name == claim->metadata.name &&
             one->metadata.namespace_ == claim->metadata.namespace_;
    });
    const std::string key =
        fmt::format("claim {}/{}", claim->metadata.namespace_, claim->metadata.name);
    if (whole->spec.devices.requests == claim->spec.devices.requests) {
      texts.push_back(key);
      continue;
    }
    for (const v1::DeviceRequest& request : claim->spec.devices.requests) {
      const auto& asked =
          *std::ranges::find(whole->spec.devices.requests, request.name, &v1::DeviceRequest::name);
      std::string of = fmt::format("request {} of {}", request.name, key);
      if (!(asked == request))
        of =
            fmt::format("{} of {} devices of {}", request.exactly->count, asked.exactly->count, of);
      texts.push_back(std::move(of));
    }
  }
  std::string last = std::move(texts.back());
  texts.pop_back();
  if (texts.empty()) return last;
  return fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

/// Units before `place` go to the first pod, a share of that unit too, and the rest to the second.
Shares CutAt(const std::vector<Unit>& units, size_t place, Share there) {
  Shares shares(units.size(), Share::kFirst);
  if (place == units.size()) return shares;
  shares[place] = there;
  std::fill(shares.begin() + static_cast<ptrdiff_t>(place) + 1, shares.end(), Share::kSecond);
  return shares;
}

/// Normalises a split, because the order of the pods does not matter.
Shares WithFirstUnitFirst(Shares shares) {
  if (shares.empty() || shares.front() != Share::kSecond) return shares;
  for (Share& share : shares) {
    if (share != Share::kHalf) share = share == Share::kFirst ? Share::kSecond : Share::kFirst;
  }
  return shares;
}

/// All splits to try, in order; some occur twice.
std::vector<Shares> AllShares(const std::vector<Unit>& units) {
  std::vector<Shares> between_claims;
  std::vector<Shares> between_requests;
  std::vector<Shares> halves;
  const auto alone = [&](size_t first, size_t last) {  // the others go to the first pod
    Shares shares(units.size(), Share::kFirst);
    std::fill(shares.begin() + static_cast<ptrdiff_t>(first),
              shares.begin() + static_cast<ptrdiff_t>(last),
              Share::kSecond);
    return shares;
  };
  const auto begins = [&](size_t i) { return i == 0 || units[i - 1].claim != units[i].claim; };
  for (size_t i = 1; i < units.size(); ++i)
    (begins(i) ? between_claims : between_requests).push_back(CutAt(units, i, Share::kSecond));
  for (size_t i = 0; i < units.size(); ++i) {
    size_t end = i;  // the end of its claim's units
    while (end < units.size() && units[end].claim == units[i].claim) ++end;
    if (begins(i)) between_claims.push_back(alone(i, end));
    between_requests.push_back(alone(i, i + 1));
  }
  Shares every(units.size(), Share::kFirst);
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].halves > 0) every[i] = Share::kHalf;
  }
  halves.push_back(every);
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].halves > 0) halves.push_back(CutAt(units, i, Share::kHalf));
  }
  std::vector<Shares> all;
  for (const auto& some : {between_claims, between_requests, halves}) {
    const size_t count = std::min(some.size(), kPodSplitsMax / 3);
    all.insert(all.end(), some.begin(), some.begin() + static_cast<ptrdiff_t>(count));
  }
  return all;
}

}  // namespace

std::vector<PodSplit> SplitsOf(const WantedClaims& claims) {
  std::vector<Unit> units;
  for (size_t i = 0; i < claims.size(); ++i) AddUnits(claims[i]->spec.devices, i, units);
  std::vector<PodSplit> splits;
  std::set<Shares> seen;
  for (const Shares& tried : AllShares(units)) {
    const Shares shares = WithFirstUnitFirst(tried);
    if (!seen.insert(shares).second) continue;
    PodSplit split{.first = PartOf(claims, units, shares, Share::kFirst),
                   .second = PartOf(claims, units, shares, Share::kSecond),
                   .text = {}};
    if (split.first.empty() || split.second.empty()) continue;
    split.text = fmt::format(
        "{} in one, {} in the other", TextOf(split.first, claims), TextOf(split.second, claims));
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace dray::planning::inline explain
