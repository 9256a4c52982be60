// SPDX-License-Identifier: Apache-2.0
// When pods have to leave because of taints on their devices, and what a DeviceTaintRule says about
// that (KEP-5055).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/meta_v1/condition.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint.h"
#include "api/value/time.h"

namespace dray::controllers {

/// A pod, or each consumer of a claim, has to go.
struct Eviction {
  api::Time at;  // perhaps long ago
  /// Names of the rules that want it; empty when only drivers do.
  std::set<std::string, std::less<>> rules = {};

  /// The earlier time and the reasons of both.
  void Join(const Eviction& other);
  bool operator==(const Eviction&) const = default;
};

/// Called with a taint of effect NoExecute and the rule that gives it, empty if the driver does.
using VisitTaint =
    std::function<void(const api::resource_v1::DeviceTaint& taint, std::string_view rule)>;
/// Calls `visit` for each such taint of the allocated device.
using TaintsOf = std::function<void(const api::resource_v1::DeviceRequestAllocationResult& device,
                                    const VisitTaint& visit)>;

/// The earliest moment at which a device of the allocation has a taint that its tolerations do not
/// endure any longer, with all rules that have such taints. Tolerations are those in the
/// allocation; one without an effect accepts every effect, as the API says. One without seconds
/// endures for ever; of several the shortest counts.
std::optional<Eviction> EvictionOf(const api::resource_v1::AllocationResult& allocation,
                                   const TaintsOf& taints_of);

/// What is known about a rule.
struct RuleProgress {
  size_t pending_pods = 0, pending_namespaces = 0;      // to be evicted, with None: that would be
  size_t published_devices = 0, allocated_devices = 0;  // that it selects; only with None
  size_t evicted_pods = 0;                              // since this controller began
};

/// The condition EvictionInProgress of a rule with that effect, without time and generation.
api::meta_v1::Condition EvictionInProgress(std::string_view effect, const RuleProgress& progress);

}  // namespace dray::controllers
