// SPDX-License-Identifier: Apache-2.0
#include "scheduler/groups/pending_pods.h"

#include <fmt/format.h>

#include "api/claims/pod_groups.h"

namespace dray::scheduler::inline groups {
namespace {

namespace core_v1 = api::core_v1;

// Distinct from keys of pods, because names contain no colon.
constexpr std::string_view kGroupPrefix = "podgroup:";

std::string EntryOfGroup(std::string_view key) {
  return fmt::format("{}{}", kGroupPrefix, key);
}

/// The share of the queue that attempts for the pod are charged to: its namespace. Empty: the pod's
/// request is so small that attempts are not charged.
std::string ShareOf(const core_v1::Pod& pod) {
  const bool asks_much = !pod.spec.resource_claims.empty() || pod.spec.affinity.has_value() ||
                         !pod.spec.topology_spread_constraints.empty();
  return asks_much ? pod.metadata.namespace_ : std::string();
}

}  // namespace

bool IsGroupEntry(std::string_view entry) {
  return entry.starts_with(kGroupPrefix);
}

std::string_view GroupKeyOf(std::string_view entry) {
  return entry.substr(kGroupPrefix.size());
}

std::string PendingPods::EntryOf(const core_v1::Pod& pod) const {
  const std::string group =
      groups_ == Groups::kTogether ? api::claims::PodGroupKeyOf(pod) : std::string();
  return group.empty() ? api::ObjectKey(pod.metadata) : EntryOfGroup(group);
}

GroupState PendingPods::StateOf(std::string_view group_key) const {
  return GroupStateOf(uses_.cluster, group_key, [this](const core_v1::Pod& pod) {
    return ProfileOf(uses_.configuration, pod) != nullptr;
  });
}

void PendingPods::Add(const core_v1::Pod& pod) {
  const std::string entry = EntryOf(pod);
  const MonotonicTime now = uses_.clock.Monotonic();
  if (!IsGroupEntry(entry)) {
    return uses_.queue.Add(entry, pod.spec.priority.value_or(0), now, ShareOf(pod));
  }
  const api::Object* group = uses_.cluster.objects().groups.Find(GroupKeyOf(entry));
  if (group == nullptr) return;
  uses_.queue.Add(
      entry, group->As<PodGroup>().spec.priority.value_or(0), now, group->metadata().namespace_);
}

void PendingPods::Remove(const core_v1::Pod& pod) {
  const std::string entry = EntryOf(pod);
  if (!uses_.queue.Has(entry)) return;
  if (IsGroupEntry(entry) && !StateOf(GroupKeyOf(entry)).waiting.empty()) return;
  uses_.queue.Remove(entry);
}

void PendingPods::AddGroup(const api::Object& group) {
  const std::string key = api::ObjectKey(group.metadata());
  if (StateOf(key).waiting.empty()) return;
  uses_.queue.Add(EntryOfGroup(key),
                  group.As<PodGroup>().spec.priority.value_or(0),
                  uses_.clock.Monotonic(),
                  group.metadata().namespace_);
}

void PendingPods::GroupChanged(const api::Object* before, const api::Object* after) {
  if (after == nullptr) {
    return uses_.queue.Remove(EntryOfGroup(api::ObjectKey(before->metadata())));
  }
  if (before != nullptr && before->As<PodGroup>().spec == after->As<PodGroup>().spec) return;
  AddGroup(*after);
}

}  // namespace dray::scheduler::inline groups
