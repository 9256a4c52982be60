// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/first_failure.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "planning/explain/holders.h"

namespace dray::planning::inline explain {
namespace {

namespace v1 = api::resource_v1;

using Claim = Frozen<v1::ResourceClaim>;

constexpr size_t kNodesNamedMax = 5;

/// The claim with its first requests only. Constraints and configurations of other requests stay,
/// because they have no effect.
Claim WithFirstRequests(const v1::ResourceClaim& claim, size_t requests) {
  auto part = std::make_shared<v1::ResourceClaim>(claim);
  part->spec.devices.requests.resize(requests);
  return part;
}

enum class Constraints : uint8_t { kKept, kDropped };

Claim WithOneRequest(const v1::ResourceClaim& claim, size_t request, Constraints constraints) {
  auto part = std::make_shared<v1::ResourceClaim>(claim);
  part->spec.devices.requests = {claim.spec.devices.requests[request]};
  if (constraints == Constraints::kDropped) part->spec.devices.constraints.clear();
  return part;
}

bool Fits(const Result<allocator::Outcome>& outcome) {
  return outcome && std::holds_alternative<allocator::Allocation>(*outcome);
}

Obstacle ObstacleTo(const v1::ResourceClaim& claim, size_t request, const ClaimSearch& search) {
  const Claim alone = WithOneRequest(claim, request, Constraints::kKept);
  if (Fits(search({&alone, 1}))) return Obstacle::kTogether;
  const Claim free = WithOneRequest(claim, request, Constraints::kDropped);
  return Fits(search({&free, 1})) ? Obstacle::kConstraints : Obstacle::kTooFewDevices;
}

}  // namespace

std::optional<FirstFailure> FindFirstFailure(std::span<const Claim> claims,
                                             const ClaimSearch& search) {
  std::vector<Claim> asked;
  for (const Claim& claim : claims) {
    asked.emplace_back();
    for (size_t i = 0; i < claim->spec.devices.requests.size(); ++i) {
      asked.back() = WithFirstRequests(*claim, i + 1);
      const Result<allocator::Outcome> outcome = search(asked);
      if (Fits(outcome)) continue;
      FirstFailure failure{.claim = KeyOf(*claim), .request = claim->spec.devices.requests[i].name};
      if (!outcome) {
        failure.error = outcome.error().message;
      } else if (std::holds_alternative<allocator::Undecided>(*outcome)) {
        failure.obstacle = Obstacle::kUndecided;
      } else {
        failure.obstacle = ObstacleTo(*claim, i, search);
      }
      return failure;
    }
    asked.back() = claim;
  }
  return std::nullopt;
}

std::string ToString(const FirstFailure& failure) {
  if (!failure.error.empty()) return failure.error;
  switch (failure.obstacle) {
    case Obstacle::kTooFewDevices: return "too few free devices match it";
    case Obstacle::kConstraints:
      return "enough free devices match it, but no set of them meets the claim's constraints";
    case Obstacle::kTogether:
      return "it would fit alone, but not together with what is asked for before it";
    case Obstacle::kUndecided: return "the search was given up";
  }
  DRAY_CHECK(false);
}

void FailureGroups::Add(const FirstFailure& failure, const std::string& node) {
  const auto known = std::ranges::find(groups_, failure, &FailureOnNodes::failure);
  FailureOnNodes& group =
      known == groups_.end() ? groups_.emplace_back(FailureOnNodes{.failure = failure}) : *known;
  group.nodes.push_back(node);
}

std::string ToString(const FailureOnNodes& group) {
  const size_t named = std::min(group.nodes.size(), kNodesNamedMax);
  std::string nodes = fmt::format(
      "{} {}",
      group.nodes.size() == 1 ? "node" : "nodes",
      fmt::join(group.nodes.begin(), group.nodes.begin() + static_cast<ptrdiff_t>(named), ", "));
  if (named < group.nodes.size()) nodes += fmt::format(" and {} more", group.nodes.size() - named);
  return fmt::format("claim {}, request {}: {} ({})",
                     group.failure.claim,
                     group.failure.request,
                     ToString(group.failure),
                     nodes);
}

}  // namespace dray::planning::inline explain
