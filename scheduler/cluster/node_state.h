// SPDX-License-Identifier: Apache-2.0
// A node, its resources, and the requests of its pods.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/value/quantity.h"

namespace dray::scheduler::inline cluster {

/// Amounts by resource name; cpu in thousandths, all others in their unit.
using Amounts = std::map<std::string, int64_t, std::less<>>;

inline int64_t AmountIn(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

/// CPU (thousandths) and memory (bytes) as scores count them. Containers without requests count as
/// 100m and 200Mi, so that they are spread too.
struct Presumed {
  int64_t cpu = 0;
  int64_t memory = 0;
  bool operator==(const Presumed&) const = default;
};

/// A host port that a pod wants.
struct HostPort {
  std::string protocol;
  int32_t port;
  std::string ip;  // 0.0.0.0: all addresses of the node
  auto operator<=>(const HostPort&) const = default;
};

/// In thousandths for cpu, else in the unit of the resource.
int64_t AmountOf(std::string_view resource, const api::Quantity& quantity);

/// The largest sum of requests at any moment of the pod's life: init containers run one after the
/// other, sidecars (init containers that restart) stay; overhead counts. Limits stand in for
/// missing requests. Resources that devices take (`taken`) count all the time.
Amounts RequestsOf(const api::core_v1::Pod& pod,
                   std::span<const api::core_v1::NodeAllocatableResourceClaimStatus> taken = {});

/// The same for the containers alone, without overhead and without pod-level requests.
Amounts RequestsOfContainers(
    const api::core_v1::Pod& pod,
    std::span<const api::core_v1::NodeAllocatableResourceClaimStatus> taken);

Presumed PresumedOf(const api::core_v1::Pod& pod);
std::vector<HostPort> HostPortsOf(const api::core_v1::Pod& pod);

/// Names one content of the state of one node, for who keeps what follows from it. A copy of the
/// state is not named, because it may be changed.
struct StateVersion {
  uint64_t number = 0;  // of the content; 0: it is not named
  uint32_t slot = 0;    // of the node; small, and used again for another when the node is gone

  StateVersion() = default;
  StateVersion(const StateVersion& other) : slot(other.slot) {}
  StateVersion& operator=(const StateVersion& other) {
    number = 0;
    slot = other.slot;
    return *this;
  }
  // A move is a copy.
  StateVersion(StateVersion&& other) noexcept : slot(other.slot) {}
  StateVersion& operator=(StateVersion&& other) noexcept { return *this = std::as_const(other); }
  ~StateVersion() = default;
};

/// A node and the sum of the requests of its pods.
struct NodeState {
  api::Object node;
  Amounts allocatable;
  Amounts requested;
  int64_t pods = 0;
  Presumed presumed = {};
  std::map<HostPort, int64_t> ports = {};  // number of pods that have each
  StateVersion version = {};

  const api::core_v1::Node& value() const { return node.As<api::core_v1::Node>(); }
};

/// The amounts of a node's allocatable resources.
Amounts AllocatableOf(const api::core_v1::Node& node);

}  // namespace dray::scheduler::inline cluster
