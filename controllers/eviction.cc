// SPDX-License-Identifier: Apache-2.0
#include "controllers/eviction.h"

#include <algorithm>

#include <fmt/format.h>

#include "allocator/rules/taints.h"

namespace dray::controllers {
namespace {

namespace v1 = api::resource_v1;

/// `seconds` later, at most the last moment that a time can hold.
api::Time Later(api::Time time, int64_t seconds) {
  int64_t sum = 0;
  if (__builtin_add_overflow(time.unix_seconds(), std::max<int64_t>(seconds, 0), &sum)) {
    sum = api::kTimeMaxUnixSeconds;
  }
  return api::Time::FromUnixSeconds(std::min(sum, api::kTimeMaxUnixSeconds));
}

/// When the device has to be left because of `taint`; nothing: never.
std::optional<api::Time> Endures(const v1::DeviceRequestAllocationResult& device,
                                 const v1::DeviceTaint& taint) {
  const api::Time added = taint.time_added.value_or(api::Time());
  std::optional<int64_t> seconds;
  for (const v1::DeviceToleration& toleration : device.tolerations) {
    if (!allocator::rules::Tolerates(toleration, taint)) continue;
    if (!toleration.toleration_seconds.has_value()) return std::nullopt;
    seconds =
        std::min(seconds.value_or(*toleration.toleration_seconds), *toleration.toleration_seconds);
  }
  return seconds.has_value() ? Later(added, *seconds) : added;
}

/// "1 pod", "3 pods".
std::string Count(size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string Namespaces(size_t count) {
  return Count(count, "namespace", "different namespaces");
}

}  // namespace

void Eviction::Join(const Eviction& other) {
  at = std::min(at, other.at);
  rules.insert(other.rules.begin(), other.rules.end());
}

std::optional<Eviction> EvictionOf(const v1::AllocationResult& allocation,
                                   const TaintsOf& taints_of) {
  std::optional<Eviction> eviction;
  for (const v1::DeviceRequestAllocationResult& device : allocation.devices.results) {
    taints_of(device, [&](const v1::DeviceTaint& taint, std::string_view rule) {
      const std::optional<api::Time> at = Endures(device, taint);
      if (!at.has_value()) return;
      Eviction one{.at = *at};
      if (!rule.empty()) one.rules.emplace(rule);
      if (eviction.has_value()) return eviction->Join(one);
      eviction = std::move(one);
    });
  }
  return eviction;
}

api::meta_v1::Condition EvictionInProgress(std::string_view effect, const RuleProgress& progress) {
  api::meta_v1::Condition condition;
  condition.type = "EvictionInProgress";
  condition.status = "False";
  if (effect == "NoExecute" && progress.pending_pods > 0) {
    condition.status = "True";
    condition.reason = "PodsPendingEviction";
    condition.message = fmt::format("{} to be evicted in {}.",
                                    Count(progress.pending_pods, "pod needs", "pods need"),
                                    Namespaces(progress.pending_namespaces));
  } else if (effect == "NoExecute") {
    condition.reason = progress.evicted_pods > 0 ? "Completed" : "NotStarted";
  } else if (effect == "None") {
    condition.reason = "NoEffect";
    condition.message = fmt::format(
        "{} selected. {} selected. {} would be evicted in {} if the effect was NoExecute. This "
        "information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
        Count(progress.published_devices, "published device", "published devices"),
        Count(progress.allocated_devices, "allocated device", "allocated devices"),
        Count(progress.pending_pods, "pod", "pods"),
        Namespaces(progress.pending_namespaces));
  } else {
    condition.reason = "OtherEffect";
    condition.message = "Eviction only happens for the NoExecute effect.";
  }
  if (progress.evicted_pods > 0) {
    if (!condition.message.empty()) condition.message += ' ';
    condition.message +=
        Count(progress.evicted_pods, "pod", "pods") + " evicted since starting the controller.";
  }
  return condition;
}

}  // namespace dray::controllers
