// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/pod_writes.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/meta_v1/options.h"
#include "client/read_modify_write.h"
#include "scheduler/cluster/pod_on_node.h"

namespace dray::scheduler::inline reports {
namespace {

namespace core_v1 = api::core_v1;

/// Sets the condition PodScheduled, and the nomination with it. `why` outlives the edit.
client::Edit ConditionEdit(std::string_view uid, const WhyNotScheduled& why, api::Time now) {
  return [uid = std::string(uid), &why, now](api::Object& copy) -> Result<client::Change> {
    auto& edited = copy.Mutable<core_v1::Pod>();
    // Leave another pod of this name, and a pod that another scheduler has bound, alone.
    if (edited.metadata.uid != uid || !edited.spec.node_name.empty()) {
      return client::Change::kNothing;
    }
    const std::string node = why.nomination.value_or(edited.status.nominated_node_name);
    auto& conditions = edited.status.conditions;
    auto condition = std::ranges::find(conditions, "PodScheduled", &core_v1::PodCondition::type);
    if (condition == conditions.end()) {
      condition = conditions.insert(conditions.end(), {.type = "PodScheduled"});
    }
    if (condition->status == "False" && condition->reason == why.reason &&
        condition->message == why.message && edited.status.nominated_node_name == node) {
      return client::Change::kNothing;
    }
    edited.status.nominated_node_name = node;
    if (condition->status != "False") condition->last_transition_time = now;
    condition->status = "False";
    condition->reason = why.reason;
    condition->message = why.message;
    condition->observed_generation = edited.metadata.generation;
    return client::Change::kWrite;
  };
}

}  // namespace

Result<api::Object> ReportNotScheduled(client::Client& client,
                                       const api::Object& known,
                                       std::string_view uid,
                                       const WhyNotScheduled& why,
                                       api::Time now) {
  return client::ReadModifyWrite(client, known, "status", ConditionEdit(uid, why, now));
}

Task<api::Object> ReportNotScheduled(client::WriteRounds* rounds,
                                     api::Object known,
                                     WhyNotScheduled why,
                                     api::Time now) {
  const client::Edit edit = ConditionEdit(known.metadata().uid, why, now);
  std::string status = "status";
  co_return co_await client::ReadModifyWrite(rounds, known, std::move(status), &edit);
}

Result<> EvictPod(client::Client& client,
                  const api::Object& pod,
                  const Preemptor& preemptor,
                  api::Time now) {
  const std::string& uid = pod.metadata().uid;
  const auto reported = client::ReadModifyWrite(
      client, pod, "status", [&](api::Object& copy) -> Result<client::Change> {
        auto& edited = copy.Mutable<core_v1::Pod>();
        if (edited.metadata.uid != uid || IsPreempted(edited.status)) {
          return client::Change::kNothing;
        }
        auto& conditions = edited.status.conditions;
        std::erase_if(conditions, [](const auto& one) { return one.type == kDisruptionTarget; });
        conditions.push_back(
            {.type = std::string(kDisruptionTarget),
             .observed_generation = edited.metadata.generation,
             .status = "True",
             .last_transition_time = now,
             .reason = std::string(kPreempted),
             .message = fmt::format("{}: preempting to accommodate a higher priority {}",
                                    preemptor.scheduler,
                                    preemptor.type)});
        return client::Change::kWrite;
      });
  const auto is_gone = [](const Error& error) { return error.reason == StatusReason::kNotFound; };
  if (!reported) return is_gone(reported.error()) ? Result<>() : Fail(reported.error());
  if (reported->metadata().uid != uid || reported->metadata().deletion_timestamp) return {};
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{.uid = uid};
  const Result<> deleted = client.Delete(client::RefOf(pod), options);
  return deleted || is_gone(deleted.error()) ? Result<>() : Fail(deleted.error());
}

}  // namespace dray::scheduler::inline reports
