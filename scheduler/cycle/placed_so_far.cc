// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cycle/placed_so_far.h"

#include <utility>

namespace dray::scheduler::inline cycle {
namespace {

namespace resource_v1 = api::resource_v1;
using resource_v1::ResourceClaim;

}  // namespace

std::string HoldOf(const api::core_v1::Pod& pod, const ResourceClaim& claim) {
  return claim.metadata.uid.empty() ? "extended/" + pod.metadata.uid : claim.metadata.uid;
}

std::vector<api::Object> PlacedSoFar::AsSeen(std::span<const api::Object> claims) const {
  std::vector<api::Object> seen(claims.begin(), claims.end());
  for (api::Object& claim : seen) {
    const auto known = allocated_.find(claim.metadata().uid);
    if (known != allocated_.end()) claim = known->second;
  }
  return seen;
}

void PlacedSoFar::PutOn(NodesForPod& nodes) const {
  if (loads_.empty()) return;
  for (const NodeState*& node : nodes.Own()) {
    const auto load = loads_.find(node->value().metadata.name);
    if (load == loads_.end()) continue;
    NodeState& copy = nodes.copies.emplace_back(*node);
    for (const Load& one : load->second) {
      for (const auto& [name, amount] : one.requests) copy.requested[name] += amount;
      copy.presumed.cpu += one.presumed.cpu;
      copy.presumed.memory += one.presumed.memory;
      for (const HostPort& port : one.ports) ++copy.ports[port];
      ++copy.pods;
    }
    node = &copy;
  }
}

void PlacedSoFar::AddTo(std::vector<Neighbour>& neighbours,
                        std::span<const NodeState* const> nodes) const {
  for (const NodeState* node : nodes) {
    const auto load = loads_.find(node->value().metadata.name);
    if (load == loads_.end()) continue;
    for (const Load& one : load->second) {
      neighbours.push_back({.pod = &one.pod.As<api::core_v1::Pod>(), .node = &node->value()});
    }
  }
}

void PlacedSoFar::Place(const GroupMember& member, const Placement& placement) {
  for (size_t i = 0; i < member.claims.size(); ++i) {
    if (!placement.allocations[i]) continue;
    api::Object claim = member.claims[i].Clone();
    resource_v1::ResourceClaimStatus& status = claim.Mutable<ResourceClaim>().status;
    status.allocation = placement.allocations[i];
    status.reserved_for.push_back(member.consumers[i]);
    const std::string& uid = claim.metadata().uid;
    if (taken_.Reserve(uid, *placement.allocations[i])) holds_.insert(uid);
    allocated_.insert_or_assign(uid, std::move(claim));
  }
  if (placement.extended.has_value()) {
    std::string hold = HoldOf(member.value(), placement.extended->claim);
    if (taken_.Reserve(hold, placement.extended->allocation)) holds_.insert(std::move(hold));
  }
  loads_[placement.node].push_back({.pod = member.pod,
                                    .requests = RequestsOf(member.value(), placement.taken),
                                    .presumed = PresumedOf(member.value()),
                                    .ports = HostPortsOf(member.value())});
  first_node_ = placement.next_first_node;
}

void PlacedSoFar::Remove(const GroupMember& member, const Placement& placement) {
  const auto forget = [this](const std::string& hold) {
    if (holds_.erase(hold) > 0) taken_.Unreserve(hold);
  };
  for (size_t i = 0; i < member.claims.size(); ++i) {
    if (!placement.allocations[i]) continue;
    const std::string& uid = member.claims[i].metadata().uid;
    forget(uid);
    allocated_.erase(uid);
  }
  if (placement.extended.has_value()) forget(HoldOf(member.value(), placement.extended->claim));
  std::erase_if(loads_[placement.node], [&](const Load& load) {
    return load.pod.metadata().uid == member.pod.metadata().uid;
  });
}

void PlacedSoFar::Choose(std::string_view claim_uid,
                         const resource_v1::AllocationResult& allocation) {
  const auto known = allocated_.find(claim_uid);
  if (known == allocated_.end()) return;
  api::Object claim = known->second.Clone();
  claim.Mutable<ResourceClaim>().status.allocation = allocation;
  known->second = std::move(claim);
}

void PlacedSoFar::TakeBack() {
  for (const std::string& hold : holds_) taken_.Unreserve(hold);
  holds_.clear();
  allocated_.clear();
  loads_.clear();
}

std::map<std::string, resource_v1::AllocationResult> PlacedSoFar::Chosen() const {
  std::map<std::string, resource_v1::AllocationResult> chosen;
  for (const auto& [uid, claim] : allocated_) {
    chosen.emplace(uid, *claim.As<ResourceClaim>().status.allocation);
  }
  return chosen;
}

}  // namespace dray::scheduler::inline cycle
