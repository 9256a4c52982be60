// SPDX-License-Identifier: Apache-2.0
#include "scheduler/groups/group_trial.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/pods/life.h"
#include "api/resource_v1/slice.h"
#include "scheduler/groups/gang_search.h"
#include "scheduler/groups/group_topology.h"

namespace dray::scheduler::inline groups {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

class GroupTrial {
 public:
  GroupTrial(ClusterCache& cluster,
             const PodGroup& group,
             std::span<const GroupMember> members,
             size_t scheduled,
             const GroupTrialOptions& options)
      : cluster_(cluster),
        group_(group),
        members_(members),
        scheduled_(scheduled),
        options_(options) {}

  GroupOutcome Run() {
    if (!options_.has_topology) return TryAmong(nullptr, kGangQuestionsMax);
    const std::string_view key = TopologyKeyOf(group_);
    std::vector<Domain> domains = {{.value = {}, .nodes = cluster_.use().nodes()}};
    if (!key.empty()) {
      auto found = DomainsOf(key, cluster_.use().nodes(), ScheduledMembers());
      if (!found) {
        GroupOutcome failed{.kind = GroupOutcome::Kind::kFailed};
        failed.decisions.resize(members_.size());
        failed.message = failed.of_unasked = found.error().message;
        return failed;
      }
      domains = *std::move(found);
    }
    return PlaceInOneDomain(
        domains, members_, scheduled_, [&](const Domain& domain, size_t questions_max) {
          return TryAmong(&domain, questions_max);
        });
  }

 private:
  /// The members that are scheduled already, with their nodes.
  std::vector<ScheduledMember> ScheduledMembers() const {
    const auto find_pod = [this](std::string_view key) { return cluster_.FindPod(key); };
    const std::string key = api::ObjectKey(group_.metadata);
    const GroupState state = GroupStateOf(cluster_, key, [](const auto&) { return false; });
    std::vector<ScheduledMember> members;
    for (const api::Object* object : state.scheduled) {
      const auto& pod = object->As<core_v1::Pod>();
      const std::optional<PodOnNode> found = cluster_.use().Find(pod.metadata.uid, find_pod);
      members.push_back({.key = api::ObjectKey(pod.metadata),
                         .node_name = pod.spec.node_name,
                         .node = found ? found->node : nullptr});
    }
    return members;
  }

  GroupOutcome TryAmong(const Domain* domain, size_t questions_max) {
    PlacedSoFar placed(cluster_.taken(), options_.first_node);
    GangBoard board = BoardFor(domain);
    board.questions_max = questions_max;
    GroupOutcome outcome = PlaceGang(
        members_,
        {.min_count = MinCountOf(group_),
         .scheduled = static_cast<int64_t>(scheduled_),
         .remaining = static_cast<int64_t>(members_.size())},
        [&](const auto& pod, auto claims, const auto& before) {
          return options_.decide(pod, claims, {.placed = &before, .domain = domain});
        },
        board,
        placed);
    outcome.chosen = placed.Chosen();
    return outcome;
  }

  GangBoard BoardFor(const Domain* domain) {
    return {.nodes = domain == nullptr ? cluster_.use().nodes() : domain->nodes,
            .decide_on =
                [this, domain](const auto& pod,
                               auto claims,
                               const auto& placed,
                               const NodeState& node,
                               const DeviceSearch& search) {
                  return options_.decide(
                      pod,
                      claims,
                      {.placed = &placed, .only_node = &node, .domain = domain, .search = search});
                },
            .allocate =
                [this](auto claims, const core_v1::Node& node, const Banned& banned) {
                  const SlicesOf slices_of = [this](const std::string& pool) {
                    const auto& names = cluster_.indexes().SlicesOfPool(pool);
                    return std::vector<std::string>(names.begin(), names.end());
                  };
                  return allocator::Attempt(WithoutBanned(cluster_.Devices(), banned, slices_of),
                                            claims)
                      .Allocate(node, options_.budget);
                },
            .is_shared = [this](const auto& result) { return IsShared(result); }};
  }

  bool IsShared(const resource_v1::DeviceRequestAllocationResult& result) const {
    const std::string pool = fmt::format("{}/{}", result.driver, result.pool);
    for (const std::string& name : cluster_.indexes().SlicesOfPool(pool)) {
      const auto& spec =
          cluster_.objects().slices.Find(name)->As<resource_v1::ResourceSlice>().spec;
      const auto device =
          std::ranges::find(spec.devices, result.device, &resource_v1::Device::name);
      if (device == spec.devices.end()) continue;
      return !spec.node_name && !device->node_name;
    }
    return true;
  }

  ClusterCache& cluster_;
  const PodGroup& group_;
  const std::span<const GroupMember> members_;
  const size_t scheduled_;
  const GroupTrialOptions& options_;
};

}  // namespace

GroupState GroupStateOf(const ClusterCache& cluster,
                        std::string_view group_key,
                        const std::function<bool(const core_v1::Pod& pod)>& is_ours) {
  GroupState state;
  for (const std::string& key : cluster.indexes().PodsOfGroup(group_key)) {
    const api::Object* object = cluster.FindPod(key);
    const auto& pod = object->As<core_v1::Pod>();
    if (api::pods::HasEnded(pod)) continue;
    if (!pod.spec.node_name.empty() || cluster.IsAssumed(pod.metadata.uid)) {
      state.scheduled.push_back(object);
    } else if (!pod.metadata.deletion_timestamp && is_ours(pod)) {
      state.is_gated = state.is_gated || !pod.spec.scheduling_gates.empty();
      state.waiting.push_back(object);
    }
  }
  std::ranges::sort(state.waiting, [](const api::Object* one, const api::Object* other) {
    return GoesBefore(one->metadata(), other->metadata());
  });
  return state;
}

std::variant<std::vector<GroupMember>, Gated> MembersOf(const ClusterCache& cluster,
                                                        const GroupState& state,
                                                        const PodGroup& group,
                                                        bool can_share) {
  std::vector<GroupMember> members;
  for (const api::Object* object : state.waiting) {
    const auto& pod = object->As<core_v1::Pod>();
    auto resolved =
        ResolveClaims(pod, [&](std::string_view claim) { return cluster.FindClaim(claim); });
    if (auto* gated = std::get_if<Gated>(&resolved)) return std::move(*gated);
    GroupMember member{.pod = *object,
                       .claims = std::get<std::vector<api::Object>>(std::move(resolved)),
                       .consumers = {}};
    if (can_share) {
      member.consumers = ConsumersOf(pod, member.claims, group);
    } else {
      member.consumers.assign(member.claims.size(), api::claims::ConsumerOf(pod));
    }
    members.push_back(std::move(member));
  }
  return members;
}

GroupOutcome TryGroup(ClusterCache& cluster,
                      const PodGroup& group,
                      std::span<const GroupMember> members,
                      size_t scheduled,
                      const GroupTrialOptions& options) {
  return GroupTrial(cluster, group, members, scheduled, options).Run();
}

std::optional<std::string> WhyNotPlaced(const GroupOutcome& outcome, size_t member) {
  using Kind = GroupOutcome::Kind;
  const std::optional<Decision>& decision = outcome.decisions[member];
  if (!decision.has_value()) return outcome.of_unasked;
  if (const auto* failed = std::get_if<AttemptFailed>(&*decision)) return failed->message;
  if (outcome.kind == Kind::kFailed) return outcome.message;
  if (const auto* nowhere = std::get_if<Unschedulable>(&*decision)) return ReasonsOf(*nowhere);
  if (outcome.kind == Kind::kScheduled) return std::nullopt;
  return "pod group is unschedulable, " + outcome.message;
}

}  // namespace dray::scheduler::inline groups
