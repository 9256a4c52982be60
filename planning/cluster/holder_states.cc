// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/holder_states.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"

namespace dray::planning::inline cluster {

HolderStates::HolderStates(const OfflineObjects& objects) : knows_pods_(!objects.pods.empty()) {
  for (const PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<api::core_v1::Pod>();
    const std::string& phase = pod.status.phase;
    const User user{.pod = pod.metadata.name,
                    .has_ended = phase == "Succeeded" || phase == "Failed",
                    .is_going = pod.metadata.deletion_timestamp.has_value(),
                    .priority = pod.spec.priority.value_or(0)};
    pods_.emplace(api::ObjectKey(pod.metadata), user);
    for (std::string& key : api::claims::KeysOf(pod)) users_[std::move(key)].push_back(user);
  }
}

void HolderStates::Mark(const std::string& what, Explanation& explanation) const {
  constexpr std::string_view kPod = "pod ";
  const User* asking = nullptr;
  if (what.starts_with(kPod)) {
    const auto found = pods_.find(std::string_view(what).substr(kPod.size()));
    if (found != pods_.end()) asking = &found->second;
  }
  for (InTheWay& one : explanation.in_the_way) one.state = StateOf(one.holder, asking);
}

HolderState HolderStates::StateOf(const Holder& holder, const User* asking) const {
  if (!knows_pods_) return HolderState::kUnknown;
  const auto users = users_.find(holder.claim);
  // The claim may be reserved for pods that are not in the input.
  if (users == users_.end())
    return holder.pods.empty() ? HolderState::kUnused : HolderState::kUnknown;
  const auto all = [&](auto is) { return std::ranges::all_of(users->second, is); };
  if (all([](const User& user) { return user.has_ended; })) return HolderState::kFinished;
  if (all([](const User& user) { return user.has_ended || user.is_going; }))
    return HolderState::kTerminating;
  const bool is_lower =
      asking != nullptr && all([&](const User& user) {
        return user.has_ended || user.is_going || user.priority < asking->priority;
      });
  return is_lower ? HolderState::kPreemptible : HolderState::kInUse;
}

}  // namespace dray::planning::inline cluster
