// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/group_writes.h"

#include <algorithm>
#include <vector>

#include "api/resource_v1/claim.h"
#include "client/read_modify_write.h"
#include "scheduler/cluster/pod_groups.h"

namespace dray::scheduler::inline reports {
namespace {

namespace resource_v1 = api::resource_v1;

constexpr const char* kInitiallyScheduled = "PodGroupInitiallyScheduled";

}  // namespace

Result<api::Object> ReportGroup(client::Client& client,
                                const api::Object& group,
                                const GroupCondition& condition,
                                api::Time now) {
  const std::string& uid = group.metadata().uid;
  const std::string_view status = condition.is_scheduled ? "True" : "False";
  return client::ReadModifyWrite(
      client, group, "status", [&](api::Object& copy) -> Result<client::Change> {
        if (copy.metadata().uid != uid) return client::Change::kNothing;
        auto& conditions = copy.Mutable<PodGroup>().status.conditions;
        auto known =
            std::ranges::find(conditions, kInitiallyScheduled, &api::meta_v1::Condition::type);
        if (known == conditions.end()) {
          known = conditions.insert(conditions.end(), {.type = kInitiallyScheduled});
        }
        // Once True, the condition stays True, even if later pods of the group do not fit.
        if (known->status == "True" && !condition.is_scheduled) return client::Change::kNothing;
        if (known->status == status && known->reason == condition.reason &&
            known->message == condition.message) {
          return client::Change::kNothing;
        }
        if (known->status != status) known->last_transition_time = now;
        known->status = status;
        known->reason = condition.reason;
        known->message = condition.message;
        known->observed_generation = copy.metadata().generation;
        return client::Change::kWrite;
      });
}

Result<api::Object> UnreserveForGroup(client::Client& client,
                                      const api::Object& claim,
                                      std::string_view group_uid) {
  const std::string& uid = claim.metadata().uid;
  return client::ReadModifyWrite(
      client, claim, "status", [&](api::Object& copy) -> Result<client::Change> {
        auto& users = copy.Mutable<resource_v1::ResourceClaim>().status.reserved_for;
        const bool is_same = copy.metadata().uid == uid;
        const auto is_it = [&](const auto& user) { return user.uid == group_uid; };
        return is_same && std::erase_if(users, is_it) > 0 ? client::Change::kWrite
                                                          : client::Change::kNothing;
      });
}

}  // namespace dray::scheduler::inline reports
