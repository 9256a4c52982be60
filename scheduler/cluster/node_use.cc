// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/node_use.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;

}  // namespace

void NodeUse::SetNode(const std::string& name, const api::Object* node) {
  const auto known = nodes_.find(name);
  if (node == nullptr) {
    if (known == nodes_.end()) return;
    CountSoftTaints(known->second, -1);
    free_slots_.push_back(known->second.version.slot);
    nodes_.erase(known);
    is_list_old_ = true;
    return;
  }
  const bool is_new = known == nodes_.end();
  NodeState& state = is_new ? nodes_[name] : known->second;
  if (!is_new) CountSoftTaints(state, -1);
  state.node = *node;
  state.allocatable = AllocatableOf(node->As<core_v1::Node>());
  CountSoftTaints(state, 1);
  if (!is_new) return NameContentOf(state);
  AddState(state);
  const auto pods = pods_by_node_.find(name);
  if (pods == pods_by_node_.end()) return;
  for (const std::string& uid : pods->second) Count(used_.find(uid)->second, 1);
}

void NodeUse::SetState(const NodeState& state) {
  const auto [entry, is_new] = nodes_.try_emplace(state.value().metadata.name);
  if (!is_new) {
    CountSoftTaints(entry->second, -1);
    free_slots_.push_back(entry->second.version.slot);
  }
  entry->second = state;
  CountSoftTaints(state, 1);
  AddState(entry->second);
}

void NodeUse::AddState(NodeState& state) {
  if (free_slots_.empty()) {
    state.version.slot = static_cast<uint32_t>(nodes_.size() - 1);
  } else {
    state.version.slot = free_slots_.back();
    free_slots_.pop_back();
  }
  NameContentOf(state);
  is_list_old_ = true;
}

void NodeUse::CountSoftTaints(const NodeState& state, int64_t sign) {
  for (const core_v1::Taint& taint : state.value().spec.taints) {
    if (taint.effect != "PreferNoSchedule") continue;
    const auto is_equal = [&](const core_v1::Taint& other) {
      return other.key == taint.key && other.value == taint.value;
    };
    const auto index = std::ranges::find_if(soft_taints_, is_equal) - soft_taints_.begin();
    if (std::cmp_equal(index, soft_taints_.size())) {
      soft_taints_.push_back(taint);
      soft_taint_nodes_.push_back(0);
    }
    soft_taint_nodes_[static_cast<size_t>(index)] += sign;
    if (soft_taint_nodes_[static_cast<size_t>(index)] > 0) continue;
    soft_taints_.erase(soft_taints_.begin() + index);
    soft_taint_nodes_.erase(soft_taint_nodes_.begin() + index);
  }
}

const std::vector<const NodeState*>& NodeUse::nodes() {
  if (std::exchange(is_list_old_, false)) {
    list_.clear();
    for (const auto& [name, state] : nodes_) list_.push_back(&state);
  }
  return list_;
}

void NodeUse::SetPod(const core_v1::Pod& pod,
                     const std::string& node,
                     TakenByDevices taken,
                     Frozen<AffinityRules> rules) {
  if (IsOn(pod.metadata.uid, node)) return;
  DropPod(pod.metadata.uid);
  Use use{.node = node,
          .requests = RequestsOf(pod, taken),
          .presumed = PresumedOf(pod),
          .ports = HostPortsOf(pod),
          .key = api::ObjectKey(pod.metadata),
          .priority = pod.spec.priority.value_or(0),
          .rules = std::move(rules)};
  if (use.rules == nullptr && HasPodAffinity(pod)) {
    use.rules = std::make_shared<const AffinityRules>(pod);
  }
  Count(use, 1);
  pods_by_node_[node].insert(pod.metadata.uid);
  ++priorities_[use.priority];
  if (use.rules != nullptr) rules_.Add(*use.rules);
  used_.emplace(pod.metadata.uid, std::move(use));
}

bool NodeUse::IsOn(std::string_view uid, std::string_view node) const {
  const auto known = used_.find(uid);
  return known != used_.end() && known->second.node == node;
}

bool NodeUse::DropPod(std::string_view uid) {
  const auto known = used_.find(uid);
  if (known == used_.end()) return false;
  const Use& use = known->second;
  Count(use, -1);
  const auto others = pods_by_node_.find(use.node);
  others->second.erase(known->first);
  if (others->second.empty()) pods_by_node_.erase(others);
  const auto equals = priorities_.find(use.priority);
  if (--equals->second == 0) priorities_.erase(equals);
  if (use.rules != nullptr) rules_.Remove(*use.rules);
  used_.erase(known);
  return true;
}

NodeUse NodeUse::Without(std::span<const Victim> victims) const {
  NodeUse rest = *this;
  rest.is_list_old_ = true;  // its list points to the nodes of this object
  for (const Victim& victim : victims) {
    for (const PodOnNode& pod : victim.pods) rest.DropPod(pod.uid);
  }
  return rest;
}

void NodeUse::SetNominee(const core_v1::Pod& pod) {
  const std::string& node = pod.status.nominated_node_name;
  if (node.empty()) return;
  nominees_.insert_or_assign(pod.metadata.uid,
                             Use{.node = node,
                                 .requests = RequestsOf(pod),
                                 .key = api::ObjectKey(pod.metadata),
                                 .priority = pod.spec.priority.value_or(0)});
}

void NodeUse::DropNominee(std::string_view uid) {
  const auto known = nominees_.find(uid);
  if (known != nominees_.end()) nominees_.erase(known);
}

NodesForPod NodeUse::NodesFor(
    const core_v1::Pod& pod,
    const std::function<bool(std::string_view uid, std::string_view key)>& is_counted) {
  NodesForPod result{.nodes = nodes()};
  std::map<std::string_view, NodeState*> changed;
  for (const auto& [uid, nominee] : nominees_) {
    const bool counts = uid != pod.metadata.uid && !is_counted(uid, nominee.key) &&
                        nominee.priority >= pod.spec.priority.value_or(0);
    const auto node = nodes_.find(nominee.node);
    if (!counts || node == nodes_.end()) continue;
    NodeState*& copy = changed[node->first];
    if (copy == nullptr) copy = &result.copies.emplace_back(node->second);
    for (const auto& [name, amount] : nominee.requests) copy->requested[name] += amount;
    ++copy->pods;
  }
  if (changed.empty()) return result;
  for (const NodeState*& node : result.Own()) {
    const auto found = changed.find(node->value().metadata.name);
    if (found != changed.end()) node = found->second;
  }
  return result;
}

std::optional<PodOnNode> NodeUse::Find(std::string_view uid,
                                       const api::claims::Lookup& find_pod) const {
  const auto known = used_.find(uid);
  if (known == used_.end()) return std::nullopt;
  const Use& use = known->second;
  PodOnNode one{.uid = known->first,
                .key = use.key,
                .priority = use.priority,
                .requests = use.requests,
                .ports = use.ports};
  const auto node = nodes_.find(use.node);
  if (node != nodes_.end()) one.node = &node->second.value();
  one.rules = use.rules.get();
  const api::Object* pod = find_pod(use.key);
  if (pod == nullptr || pod->metadata().uid != uid) return one;
  one.pod = &pod->As<core_v1::Pod>();
  one.started = one.pod->status.start_time.value_or(api::Time());
  one.is_going = pod->metadata().deletion_timestamp.has_value() && IsPreempted(one.pod->status);
  return one;
}

std::vector<PodOnNode> NodeUse::PodsOn(std::string_view node,
                                       const api::claims::Lookup& find_pod) const {
  std::vector<PodOnNode> pods;
  const auto on_node = pods_by_node_.find(node);
  if (on_node == pods_by_node_.end()) return pods;
  for (const std::string& uid : on_node->second) {
    if (std::optional<PodOnNode> one = Find(uid, find_pod)) pods.push_back(*std::move(one));
  }
  return pods;
}

void NodeUse::AddNeighbour(const std::string& uid,
                           const Use& use,
                           const api::claims::Lookup& find_pod,
                           std::vector<Neighbour>& neighbours) const {
  const auto node = nodes_.find(use.node);
  const api::Object* pod = find_pod(use.key);
  if (node == nodes_.end() || pod == nullptr || pod->metadata().uid != uid) return;
  neighbours.push_back(
      {.pod = &pod->As<core_v1::Pod>(), .node = &node->second.value(), .rules = use.rules.get()});
}

std::vector<Neighbour> NodeUse::Neighbours(const api::claims::Lookup& find_pod) const {
  std::vector<Neighbour> neighbours;
  for (const auto& [uid, use] : used_) AddNeighbour(uid, use, find_pod, neighbours);
  return neighbours;
}

std::vector<Neighbour> NodeUse::NeighboursWithRulesAbout(
    const core_v1::Pod& pod, const api::claims::Lookup& find_pod) const {
  std::vector<Neighbour> neighbours;
  for (const AffinityRules* rules : rules_.About(pod)) {
    const auto known = used_.find(rules->uid());
    AddNeighbour(known->first, known->second, find_pod, neighbours);
  }
  return neighbours;
}

void NodeUse::Count(const Use& use, int64_t sign) {
  const auto node = nodes_.find(use.node);
  if (node == nodes_.end()) return;
  NodeState& state = node->second;
  for (const auto& [name, amount] : use.requests) state.requested[name] += sign * amount;
  state.presumed.cpu += sign * use.presumed.cpu;
  state.presumed.memory += sign * use.presumed.memory;
  for (const HostPort& port : use.ports) {
    int64_t& pods = state.ports[port];
    pods += sign;
    if (pods == 0) state.ports.erase(port);
  }
  state.pods += sign;
  NameContentOf(state);
}

}  // namespace dray::scheduler::inline cluster
