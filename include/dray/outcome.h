// SPDX-License-Identifier: Apache-2.0
// The outcomes of a call of the allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/resource_v1/allocation.h"
#include "base/result.h"

namespace dray::allocator::inline v0 {

/// One AllocationResult per claim, in the order of the claims.
struct Allocation {
  std::vector<api::resource_v1::AllocationResult> results;
};
/// Why a request gets no devices.
enum class Lack : uint8_t {
  kNoneMatches,  // class and selectors match no device that the node has
  kTooFewMatch,  // they match fewer than it needs, even if all were free
  kTaken,        // enough match, but too few are left: taken, tainted, without enough capacity
  kTogether,     // enough are left for it alone: other requests or a constraint stand in the way
};

/// What a node has for one request, whatever the other requests get. If it has
/// alternatives (firstAvailable): about the one that lacks least.
struct RequestShortage {
  size_t claim = 0;      // by number
  size_t request = 0;    // in the claim
  int64_t missing = 0;   // how many devices there are too few of
  int64_t matching = 0;  // that the request could have if nothing were taken
  int64_t usable = 0;    // of those, the ones that it could have as things are

  Lack lack() const {
    if (missing == 0) return Lack::kTogether;
    if (matching == 0) return Lack::kNoneMatches;
    return matching < usable + missing ? Lack::kTooFewMatch : Lack::kTaken;
  }
};

/// No devices fit.
struct Unsatisfiable {
  /// Upstream's error for this node alone ("invalid resource pools were encountered"); empty if the
  /// only reason is that devices are missing.
  std::string node_error;
  /// The node has a pool that contradicts itself, or one of which slices are missing. Devices of
  /// such pools are not used (but v0.31.8 uses those of the latter).
  bool has_invalid_pool = false;
  bool has_incomplete_pool = false;
  /// All requests, in order. Empty if the claims or the node need upstream's search step by step
  /// (a selector fails on a device, say), or if the budget is spent.
  std::vector<RequestShortage> requests = {};
};
/// The budget ran out first. The search had found devices for all requests before the one named;
/// whether that one can be satisfied too is unknown.
struct Undecided {
  int64_t steps = 0;
  size_t claim = 0;    // by number
  size_t request = 0;  // in the claim
};

/// Error::details of an Attempt whose claims no node can satisfy because of one request: which one,
/// and what of it.
class RequestError final : public ErrorDetails {
 public:
  enum class Problem : uint8_t {
    kMissingClass,  // there is no class of that name
    kOther,         // what the message says
  };

  RequestError(std::string of_claim, std::string of_request, Problem what)
      : claim(std::move(of_claim)), request(std::move(of_request)), problem(what) {}

  const std::string claim;    // "namespace/name"
  const std::string request;  // by name; of an alternative its own
  const Problem problem;
};

using Outcome = std::variant<Allocation, Unsatisfiable, Undecided>;

}  // namespace dray::allocator::inline v0
