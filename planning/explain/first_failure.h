// SPDX-License-Identifier: Apache-2.0
// Which request stands in the way when claims do not fit on a node. Found by asking the allocator
// again with less: claims and requests are added in their order until it says no.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "base/result.h"
#include "dray/outcome.h"

namespace dray::planning::inline explain {

/// Finds devices for claims on one node.
using ClaimSearch = std::function<Result<allocator::Outcome>(
    std::span<const Frozen<api::resource_v1::ResourceClaim>>)>;

/// What is the matter with a request.
enum class Obstacle : uint8_t {
  kTooFewDevices,  // not even alone, whatever the claim's constraints
  kConstraints,    // alone it would fit, were it not for constraints between its own devices
  kTogether,       // it fits alone, but not beside what is asked for before it
  kUndecided,      // the search was given up
};

/// The first request without which everything before it would fit.
struct FirstFailure {
  std::string claim;    // namespace/name
  std::string request;  // as the claim names it
  Obstacle obstacle = Obstacle::kTooFewDevices;
  std::string error = {};  // the allocator's, when it refused the smaller question
  auto operator<=>(const FirstFailure&) const = default;
};

/// For claims that do not fit together; nothing when they do. At most one search per request, and
/// two more.
std::optional<FirstFailure> FindFirstFailure(
    std::span<const Frozen<api::resource_v1::ResourceClaim>> claims, const ClaimSearch& search);

/// "too few free devices match it"
std::string ToString(const FirstFailure& failure);

/// Nodes with the same failure.
struct FailureOnNodes {
  FirstFailure failure;
  std::vector<std::string> nodes;
};

/// Failures of nodes, equal ones together, in the order in which they were met first.
class FailureGroups {
 public:
  void Add(const FirstFailure& failure, const std::string& node);
  const std::vector<FailureOnNodes>& groups() const { return groups_; }

 private:
  std::vector<FailureOnNodes> groups_;
};

/// "claim default/a, request gpu: too few free devices match it (nodes a, b and 7 more)"
std::string ToString(const FailureOnNodes& group);

}  // namespace dray::planning::inline explain
