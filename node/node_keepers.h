// SPDX-License-Identifier: Apache-2.0
// Which node has an agent that runs its pods: an agent shows itself by the node's Lease, or by
// heartbeats in the node's condition Ready.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/coordination_v1.h"
#include "api/core_v1/node.h"
#include "api/value/time.h"

namespace dray::node {

enum class Keeper : uint8_t {
  kNoNode,       // there is no such node
  kMayCome,      // the node is new: an agent may yet show itself
  kAgent,        // is alive
  kSilentAgent,  // was alive, and has sent nothing for a while
  kNobody,
};

/// Pure: time is an argument. Holds a few bytes for each node and lease.
class NodeKeepers {
 public:
  /// An agent is silent after that time, or its lease's own if that is longer.
  static constexpr std::chrono::seconds kSilence{40};
  /// So long an agent may take to show itself after it has made its node.
  static constexpr std::chrono::seconds kPatience{2};

  void SeeNode(const api::core_v1::Node& node, api::Time now);
  void DropNode(std::string_view name);
  /// A lease of the namespace kube-node-lease, which has the node's name.
  void SeeLease(const api::coordination_v1::Lease& lease, api::Time now);
  void DropLease(std::string_view name);

  struct Answer {
    Keeper keeper = Keeper::kNoNode;
    std::optional<api::Time> ask_again = {};  // then it may be another
  };
  Answer Of(std::string_view name, api::Time now) const;
  /// Nodes without an agent, and one of their names.
  struct Abandoned {
    size_t count = 0;
    std::string example;
  };
  /// Among those that `is_ours` does not name. O(nodes).
  Abandoned AbandonedOf(const std::function<bool(std::string_view)>& is_ours, api::Time now) const;

 private:
  struct Known {
    bool is_there = false;
    api::Time created;
    std::optional<api::Time> heartbeat, renewal;  // the last that was seen
    std::chrono::seconds silence = kSilence;
  };
  static Answer Judge(const Known& known, api::Time now);

  std::map<std::string, Known, std::less<>> nodes_;
};

}  // namespace dray::node
