// SPDX-License-Identifier: Apache-2.0
#include "controllers/pod_group_protection.h"

#include <algorithm>
#include <utility>

#include "api/claims/pod_groups.h"
#include "api/core_v1/pod.h"
#include "api/pods/life.h"
#include "api/scheduling_v1beta1.h"
#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"
#include "controllers/key_loop.h"

namespace dray::controllers {
namespace {

using api::core_v1::Pod;
using api::scheduling_v1beta1::PodGroup;

// Keys handled before the informers are polled again.

bool IsHeld(const api::meta_v1::ObjectMeta& group) {
  return group.deletion_timestamp &&
         std::ranges::find(group.finalizers, api::claims::kPodGroupFinalizer) !=
             group.finalizers.end();
}

}  // namespace

PodGroupProtection::PodGroupProtection(client::Client& client,
                                       World& world,
                                       client::SharedInformers& informers,
                                       Log log)
    : client_(client),
      keys_({.clock = world.clock, .log = std::move(log), .failed = "a pod group stays for now"}),
      groups_(informers.Of(api::Reflected<PodGroup>::kKind)),
      pods_(informers.Of(api::Reflected<Pod>::kKind)) {
  active_by_group_ = pods_.AddIndex([](const api::Object& object, auto& values) {
    const auto& pod = object.As<Pod>();
    if (api::pods::HasEnded(pod)) return;
    if (std::string group = api::claims::PodGroupKeyOf(pod); !group.empty()) {
      values.push_back(std::move(group));
    }
  });
  pods_.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  groups_.OnChange([this](auto*, auto* after) {
    if (after != nullptr && IsHeld(after->metadata())) Enqueue(api::ObjectKey(after->metadata()));
  });
}

std::optional<MonotonicTime> PodGroupProtection::Step() {
  // Groups first: a group that is seen to go cannot be joined by pods that are made later.
  std::optional<MonotonicTime> next = groups_.Step();
  next = client::Earlier(next, pods_.Step());
  if (!groups_.synced() || !pods_.synced()) return next;
  if (keys_.MustStartOver()) EnqueueAll();
  keys_.Handle([this](const std::string& key) { return Sync(key); });
  return client::Earlier(next, keys_.Next());
}

void PodGroupProtection::Enqueue(const std::string& key) {
  keys_.Add(key);
}

void PodGroupProtection::EnqueueAll() {
  for (const auto& [key, group] : groups_.objects()) {
    if (IsHeld(group.metadata())) Enqueue(key);
  }
}

void PodGroupProtection::OnPod(const api::Object* before, const api::Object* after) {
  if (after != nullptr && !api::pods::HasEnded(after->As<Pod>())) return;
  const std::string group =
      api::claims::PodGroupKeyOf((after != nullptr ? after : before)->As<Pod>());
  if (!group.empty()) Enqueue(group);
}

Result<> PodGroupProtection::Sync(std::string_view key) {
  const api::Object* found = groups_.Find(key);
  if (found == nullptr || !IsHeld(found->metadata())) return {};
  if (!pods_.Indexed(active_by_group_, key).empty()) return {};  // their end brings us back
  const api::Object group = *found;
  DRAY_TRY_VOID(
      client::ReadModifyWrite(client_, group, {}, [&](api::Object& copy) -> Result<client::Change> {
        const bool is_same = copy.metadata().uid == group.metadata().uid;
        if (!is_same ||
            std::erase(copy.mutable_metadata().finalizers, api::claims::kPodGroupFinalizer) == 0) {
          return client::Change::kNothing;
        }
        return client::Change::kWrite;
      }));
  return {};
}

}  // namespace dray::controllers
