// SPDX-License-Identifier: Apache-2.0
#include "cli/offline_cluster.h"

#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/core_v1.h"
#include "api/defaults/defaults.h"
#include "api/resource_v1.h"
#include "scheduler/pod_claims.h"

namespace dray::cli {
namespace {

namespace v1 = api::resource_v1;
namespace core = api::core_v1;

constexpr size_t kSelectorsKept = 10'000;
constexpr std::string_view kDefaultNamespace = "default";

/// A copy as the API server would have stored it: defaults, a namespace, a uid, the version of its
/// hub.
api::Object AsStored(World& world, const api::Object& object) {
  api::Object stored = object.Clone();
  api::meta_v1::ObjectMeta& metadata = stored.mutable_metadata();
  if (stored.kind().namespaced && metadata.namespace_.empty())
    metadata.namespace_ = kDefaultNamespace;
  if (metadata.uid.empty()) metadata.uid = NewUuid(world.random);
  if (metadata.name.empty()) metadata.name = metadata.generate_name + "0";
  api::defaults::SetDefaults(stored, api::Time::Of(world.clock.Now()));
  return api::conversion::ToHub(stored);
}

v1::ResourceClaim& ClaimOf(api::Object& object) {
  return object.Mutable<v1::ResourceClaim>();
}

}  // namespace

OfflineCluster::OfflineCluster(World& world, const Manifests& manifests)
    : world_(world),
      selectors_(std::make_shared<cel::SelectorCache>(cel::Environment(), kSelectorsKept)) {
  std::vector<allocator::Inventory::Slice> slices;
  std::vector<allocator::Inventory::Class> classes;
  std::set<std::string> slice_nodes;
  for (const ManifestObject& manifest : manifests.objects) {
    const api::Object object = AsStored(world, manifest.object);
    const std::string key = api::ObjectKey(object.metadata());
    if (const auto* slice = object.If<v1::ResourceSlice>()) {
      if (slice->spec.node_name.has_value()) slice_nodes.insert(*slice->spec.node_name);
      slices.push_back(api::FrozenOf<v1::ResourceSlice>(object));
    } else if (object.If<v1::DeviceClass>() != nullptr) {
      classes.push_back(api::FrozenOf<v1::DeviceClass>(object));
    } else if (object.If<v1::ResourceClaimTemplate>() != nullptr) {
      templates_.insert_or_assign(key, object);
    } else if (const auto* claim = object.If<v1::ResourceClaim>()) {
      taken_.SetClaim(claim->metadata.uid, claim);
      if (claims_.insert_or_assign(key, object).second) claim_order_.push_back(key);
    } else if (object.If<core::Pod>() != nullptr) {
      pods_.push_back(object);
    } else if (object.If<core::Node>() != nullptr) {
      AddNode(object);
    } else if (object.kind().group == "resource.k8s.io") {
      notes_.push_back(fmt::format("{}:{}: skipped {} {}: this allocator does not look at it",
                                   manifest.file,
                                   manifest.line,
                                   manifest.object.kind().api_version(),
                                   manifest.object.kind().kind));
    }
  }
  inventory_ = allocator::Inventory::Build(std::move(slices), classes);
  if (nodes_.empty() && slice_nodes.empty()) slice_nodes.insert("node");
  for (const std::string& name : slice_nodes) {
    core::Node node;
    node.metadata.name = name;
    if (!nodes_.contains(name)) AddNode(api::Object::Of(std::move(node)));
  }
}

void OfflineCluster::AddNode(api::Object node) {
  const std::string name = node.metadata().name;
  scheduler::NodeState state{.allocatable = scheduler::AllocatableOf(node.As<core::Node>())};
  state.node = std::move(node);
  nodes_.insert_or_assign(name, std::move(state));
}

std::vector<OfflineAnswer> OfflineCluster::AllocateAll(const std::string& only_node) {
  only_node_ = only_node;
  std::vector<OfflineAnswer> answers;
  for (const api::Object& pod : pods_) {
    api::Object prepared = pod.Clone();
    PrepareClaims(prepared.Mutable<core::Pod>());
    if (!prepared.As<core::Pod>().spec.resource_claims.empty())
      answers.push_back(AllocatePod(prepared));
  }
  for (const std::string& key : claim_order_) {
    if (!claims_.at(key).As<v1::ResourceClaim>().status.allocation.has_value()) {
      answers.push_back(AllocateClaim(key));
    }
  }
  return answers;
}

/// Makes the claims the pod's templates describe, as the claim controller would.
void OfflineCluster::PrepareClaims(core::Pod& pod) {
  for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
    if (!entry.resource_claim_template_name.has_value()) continue;
    const auto found =
        templates_.find(pod.metadata.namespace_ + "/" + *entry.resource_claim_template_name);
    if (found == templates_.end()) continue;  // the pod then waits for its claim, with that reason
    const auto& pattern = found->second.As<v1::ResourceClaimTemplate>().spec;
    v1::ResourceClaim claim{.metadata = pattern.metadata, .spec = pattern.spec};
    claim.metadata.name = pod.metadata.name + "-" + entry.name;
    claim.metadata.namespace_ = pod.metadata.namespace_;
    claim.metadata.owner_references.push_back({.api_version = "v1",
                                               .kind = "Pod",
                                               .name = pod.metadata.name,
                                               .uid = pod.metadata.uid,
                                               .controller = true,
                                               .block_owner_deletion = true});
    pod.status.resource_claim_statuses.push_back(
        {.name = entry.name, .resource_claim_name = claim.metadata.name});
    const std::string key = api::ObjectKey(claim.metadata);
    claims_.insert_or_assign(key, AsStored(world_, api::Object::Of(std::move(claim))));
  }
}

Result<allocator::Outcome> OfflineCluster::Search(
    const core::Node& node, std::span<const Frozen<v1::ResourceClaim>> claims) const {
  return allocator::Allocator(inventory_, taken_.state(), selectors_).Allocate(node, claims, {});
}

std::vector<const scheduler::NodeState*> OfflineCluster::NodesInOrder() const {
  std::vector<const scheduler::NodeState*> nodes;
  for (const auto& [name, state] : nodes_) {
    if (only_node_.empty() || name == only_node_) nodes.push_back(&state);
  }
  return nodes;
}

void OfflineCluster::Keep(const std::string& key,
                          const api::Object& pod,
                          const std::optional<v1::AllocationResult>& result) {
  api::Object changed = claims_.at(key).Clone();
  if (result) ClaimOf(changed).status.allocation = result;
  if (!pod.empty() && !scheduler::IsReservedFor(ClaimOf(changed), pod.metadata().uid)) {
    ClaimOf(changed).status.reserved_for.push_back(
        {.resource = "pods", .name = pod.metadata().name, .uid = pod.metadata().uid});
  }
  taken_.SetClaim(changed.metadata().uid, &changed.As<v1::ResourceClaim>());
  claims_.insert_or_assign(key, std::move(changed));
}

OfflineAnswer OfflineCluster::AllocatePod(const api::Object& pod) {
  OfflineAnswer answer{.what = "pod " + api::ObjectKey(pod.metadata())};
  const auto find = [this](std::string_view key) -> const api::Object* {
    const auto found = claims_.find(std::string(key));
    return found == claims_.end() ? nullptr : &found->second;
  };
  const auto resolved = scheduler::ResolveClaims(pod.As<core::Pod>(), find);
  if (const auto* gated = std::get_if<scheduler::Gated>(&resolved)) {
    answer.reason = gated->message;
    return answer;
  }
  const auto& claims = std::get<std::vector<api::Object>>(resolved);
  const std::vector<const scheduler::NodeState*> nodes = NodesInOrder();
  const scheduler::ClusterView view{
      .nodes = nodes,
      .first_node = 0,
      .in_flight = [](std::string_view) { return false; },
      .has_class = [this](std::string_view name) { return inventory_->FindClass(name) != nullptr; },
      .search = [this](const auto& node, auto wanted) { return Search(node, wanted); }};
  const scheduler::Decision decision = scheduler::Decide(pod.As<core::Pod>(), claims, view, {});
  if (const auto* failed = std::get_if<scheduler::AttemptFailed>(&decision)) {
    answer.reason = failed->message;
  } else if (const auto* nowhere = std::get_if<scheduler::Unschedulable>(&decision)) {
    answer.reason = scheduler::MessageOf(*nowhere, false);
  } else {
    const auto& placement = std::get<scheduler::Placement>(decision);
    answer.node = placement.node;
    for (size_t i = 0; i < claims.size(); ++i) {
      const std::string key = api::ObjectKey(claims[i].metadata());
      Keep(key, pod, placement.allocations[i]);
      answer.claims.push_back(claims_.at(key));
    }
    scheduler::NodeState& node = nodes_.at(placement.node);
    ++node.pods;
    for (const auto& [resource, amount] : scheduler::RequestsOf(pod.As<core::Pod>())) {
      node.requested[resource] += amount;
    }
  }
  return answer;
}

OfflineAnswer OfflineCluster::AllocateClaim(const std::string& key) {
  OfflineAnswer answer{.what = "claim " + key};
  const std::vector claims{api::FrozenOf<v1::ResourceClaim>(claims_.at(key))};
  for (const scheduler::NodeState* node : NodesInOrder()) {
    const Result<allocator::Outcome> outcome = Search(node->value(), claims);
    if (!outcome) {
      answer.reason = outcome.error().message;
      return answer;
    }
    if (const auto* found = std::get_if<allocator::Allocation>(&*outcome)) {
      Keep(key, {}, found->results[0]);
      answer.node = node->value().metadata.name;
      answer.reason.clear();
      answer.claims.push_back(claims_.at(key));
      return answer;
    }
    const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome);
    answer.reason = none == nullptr ? "the search was given up" : none->node_error;
  }
  if (answer.reason.empty()) answer.reason = "no node has the devices it asks for";
  return answer;
}

}  // namespace dray::cli
