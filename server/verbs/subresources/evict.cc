// SPDX-License-Identifier: Apache-2.0
// Eviction: a DELETE of a pod that its disruption budgets may refuse. This server does not count
// the pods of a budget. A budget that no controller has processed refuses, as upstream's does.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/meta_v1/condition.h"
#include "api/pods/life.h"
#include "api/policy_v1.h"
#include "api/selectors/selector_of.h"
#include "api/status.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/subresources/subresources.h"
#include "server/verbs/write/modify.h"
#include "server/verbs/write/write.h"

namespace dray::server::verbs::inline subresources {
namespace {

namespace core_v1 = api::core_v1;
namespace policy_v1 = api::policy_v1;

const api::KindInfo& Budgets() {
  return api::Reflected<policy_v1::PodDisruptionBudget>::kKind;
}

// Whether the eviction counts against a budget: a pod that has ended, is pending or is already
// being deleted does not.
bool IsCounted(const core_v1::Pod& pod) {
  return !api::pods::HasEnded(pod) && pod.status.phase != "Pending" &&
         !pod.metadata.deletion_timestamp.has_value();
}

bool IsReady(const core_v1::Pod& pod) {
  for (const core_v1::PodCondition& condition : pod.status.conditions) {
    if (condition.type == "Ready") return condition.status == "True";
  }
  return false;
}

bool IsAbout(const policy_v1::PodDisruptionBudget& budget, const core_v1::Pod& pod) {
  if (!budget.spec.selector.has_value()) return false;
  const Result<api::LabelSelector> selector = api::SelectorOf(*budget.spec.selector);
  return selector.has_value() && selector->Matches(pod.metadata.labels);
}

// The budgets of the pod's namespace that select it.
Result<std::vector<api::Object>> BudgetsOf(const Call& call,
                                           const store::Snapshot& snapshot,
                                           const core_v1::Pod& pod) {
  std::vector<api::Object> budgets;
  const std::string prefix = storage::CollectionPrefix(Budgets(), pod.metadata.namespace_);
  for (const store::Record& record : snapshot.Range({.prefix = prefix})) {
    DRAY_TRY(std::optional<storage::Item> item,
             ItemAskedFor(call, storage::View::OfStorage(Budgets()), record));
    if (!item.has_value()) continue;
    if (IsAbout(item->object.As<policy_v1::PodDisruptionBudget>(), pod)) {
      budgets.push_back(std::move(item->object));
    }
  }
  return budgets;
}

/// Why the budget allows no eviction now.
std::string WhyExhausted(const policy_v1::PodDisruptionBudget& budget) {
  const std::string& name = budget.metadata.name;
  const auto& status = budget.status;
  const auto found =
      std::ranges::find(status.conditions, "DisruptionAllowed", &api::meta_v1::Condition::type);
  const bool says_why =
      found != status.conditions.end() && found->status == "False" && !found->message.empty();
  if (says_why && found->reason == "SyncFailed") {
    return fmt::format(
        "The disruption budget {} does not allow evicting pods currently because it failed sync: "
        "{}",
        name,
        found->message);
  }
  if (status.current_healthy <= status.desired_healthy) {
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                       name,
                       status.desired_healthy,
                       status.current_healthy);
  }
  return fmt::format("The disruption budget {} does not allow evicting pods currently{}",
                     name,
                     says_why ? fmt::format(" ({}): {}", found->reason, found->message) : "");
}

Result<> CheckBudget(const policy_v1::PodDisruptionBudget& budget) {
  const std::string& name = budget.metadata.name;
  const auto& status = budget.status;
  if (status.observed_generation < budget.metadata.generation) {
    constexpr int32_t kRetrySeconds = 10;
    Error error = errors::DisruptionBudget(
        fmt::format("The disruption budget {} is still being processed by the server.", name));
    error.details =
        api::AsDetails(api::meta_v1::StatusDetails{.retry_after_seconds = kRetrySeconds});
    return Fail(std::move(error));
  }
  // Clients do not wait for this: the budget may stay exhausted.
  if (status.disruptions_allowed <= 0) {
    return Fail(errors::DisruptionBudget(WhyExhausted(budget)));
  }
  return {};
}

// Whether a pod that is not ready may be evicted without a charge: the budget always allows it, or
// is healthy without the pod.
bool MayGoUnready(const core_v1::Pod& pod, const policy_v1::PodDisruptionBudget& budget) {
  if (IsReady(pod)) return false;
  if (budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow") return true;
  return budget.status.current_healthy >= budget.status.desired_healthy &&
         budget.status.desired_healthy > 0;
}

// Subtracts one allowed disruption from the budget, so that the next eviction sees it.
Task<ObjectAnswer> Charge(Call call, const std::string* budget, const std::string* pod) {
  ResourceRequest request;
  request.verb = Verb::kUpdate;
  request.kind = &Budgets();
  request.namespace_ = call.request->namespace_;
  request.name = *budget;
  request.subresource = "status";
  request.write.dry_run = call.request->write.dry_run;
  request.write.field_manager = "kube-apiserver";
  const Call inner{.core = call.core,
                   .request = &request,
                   .session = call.session,
                   .warnings = call.warnings,
                   .is_admitted = true};
  Modification modification;
  modification.change = [&](const Current& current) -> Result<api::Object> {
    const auto& stored = current.stored.object.As<policy_v1::PodDisruptionBudget>();
    DRAY_TRY_VOID(CheckBudget(stored));
    api::Object next = current.stored.object.Clone();
    auto& status = next.Mutable<policy_v1::PodDisruptionBudget>().status;
    --status.disruptions_allowed;
    status.disrupted_pods[*pod] = api::Time::Of(call.now());
    return next;
  };
  co_return co_await Modify(inner, registry::Subresource::kStatus, &modification);
}

// Sets the condition DisruptionTarget with the reason, for the controller that replaces the pod. A
// write of the server itself.
Task<ObjectAnswer> MarkEvicted(Call call) {
  Modification modification;
  modification.change = [&](const Current& current) -> Result<api::Object> {
    api::Object next = current.seen.object.Clone();
    next.mutable_metadata().resource_version.clear();
    std::vector<core_v1::PodCondition>& conditions = next.Mutable<core_v1::Pod>().status.conditions;
    std::erase_if(conditions, [](const auto& one) { return one.type == "DisruptionTarget"; });
    core_v1::PodCondition& condition = conditions.emplace_back();
    condition.type = "DisruptionTarget";
    condition.status = "True";
    condition.last_transition_time = api::Time::Of(call.now());
    condition.reason = "EvictionByEvictionAPI";
    condition.message = "Eviction API: evicting";
    return next;
  };
  co_return co_await Modify(call, registry::Subresource::kBinding, &modification);
}

Task<Outcome> Allow(Call call, const core_v1::Pod* pod, const std::vector<api::Object>* budgets) {
  if (!IsCounted(*pod) || budgets->empty()) co_return StatusAnswer{};
  if (budgets->size() > 1) {
    co_return Fail(errors::Untyped(
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support."));
  }
  const auto& budget = budgets->front().As<policy_v1::PodDisruptionBudget>();
  if (MayGoUnready(*pod, budget)) co_return StatusAnswer{};
  DRAY_CO_TRY_VOID(CheckBudget(budget));
  DRAY_CO_TRY_VOID(co_await Charge(call, &budget.metadata.name, &pod->metadata.name));
  co_return StatusAnswer{};
}

}  // namespace

Task<Outcome> Evict(Call call) {
  DRAY_CO_TRY(api::Object decoded, DecodeBody(call, api::Reflected<policy_v1::Eviction>::kKind));
  if (decoded.metadata().namespace_.empty()) {
    decoded.mutable_metadata().namespace_ = call.request->namespace_;
  }
  ResourceRequest removal = *call.request;
  removal.verb = Verb::kDelete;
  removal.subresource.clear();
  removal.body = {};
  const Call inner{.core = call.core,
                   .request = &removal,
                   .session = call.session,
                   .warnings = call.warnings,
                   .is_admitted = true};
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
  const admission::Write write{
      .object = &decoded, .kind = &decoded.kind(), .subresource = "eviction", .part = &decoded};
  DRAY_CO_TRY_VOID(co_await admission::Admit(call, snapshot, write, nullptr));
  const auto& eviction = decoded.As<policy_v1::Eviction>();
  if (eviction.delete_options.has_value()) removal.delete_options = *eviction.delete_options;
  removal.write.dry_run = removal.write.dry_run || !removal.delete_options.dry_run.empty();
  if (eviction.metadata.name != call.request->name) {
    co_return Fail(errors::BadRequest("name in URL does not match name in Eviction object"));
  }
  const Frozen<store::Record> record = snapshot->Get(inner.key());
  if (record == nullptr) co_return Fail(errors::NotFound(call.kind(), call.request->name));
  DRAY_CO_TRY(const std::optional<storage::Item> item,
              ItemAskedFor(inner, inner.storage(), *record));
  if (!item.has_value()) co_return Fail(errors::NotFound(call.kind(), call.request->name));
  DRAY_CO_TRY_VOID(co_await admission::Validate(call, snapshot, write));
  const auto& pod = item->object.As<core_v1::Pod>();
  DRAY_CO_TRY(const std::vector<api::Object> budgets, BudgetsOf(inner, *snapshot, pod));
  DRAY_CO_TRY_VOID(co_await Allow(inner, &pod, &budgets));
  if (!removal.write.dry_run) DRAY_CO_TRY_VOID(co_await MarkEvicted(inner));
  DRAY_CO_TRY_VOID(co_await DeleteOne(inner));
  StatusAnswer answer{.code = 201};
  answer.status.status = "Success";
  answer.status.code = 201;
  co_return answer;
}

}  // namespace dray::server::verbs::inline subresources
