// SPDX-License-Identifier: Apache-2.0
// Finds the request that makes claims fail on a node, with further searches of the allocator:
// claims and requests are added in their order until one fails.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/result.h"
#include "dray/outcome.h"

namespace dray::planning::inline explain {

/// Finds devices for claims on one node.
using ClaimSearch = std::function<Result<allocator::Outcome>(
    std::span<const Frozen<api::resource_v1::ResourceClaim>>)>;

/// The problem of a request.
enum class Obstacle : uint8_t {
  kTooFewDevices,  // fails even alone and without the claim's constraints
  kConstraints,    // fits alone without the constraints between its own devices
  kTogether,       // fits alone, but not together with the requests before it
  kUndecided,      // the search was given up
};

/// The first request that fails; everything before it fits.
struct FirstFailure {
  std::string claim;    // namespace/name
  std::string request;  // as the claim names it
  Obstacle obstacle = Obstacle::kTooFewDevices;
  std::string error = {};  // the allocator's, if it rejected the smaller question
  auto operator<=>(const FirstFailure&) const = default;
};

/// For claims that do not fit together; absent if they do. At most one search per request, and two
/// more.
std::optional<FirstFailure> FindFirstFailure(
    std::span<const Frozen<api::resource_v1::ResourceClaim>> claims, const ClaimSearch& search);

/// "too few free devices match it"
std::string ToString(const FirstFailure& failure);

/// Nodes with the same failure.
struct FailureOnNodes {
  FirstFailure failure;
  std::vector<std::string> nodes;
};

/// Failures of nodes; equal ones are merged, in the order of their first occurrence.
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
