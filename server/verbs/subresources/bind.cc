// SPDX-License-Identifier: Apache-2.0
// Binding: the scheduler assigns a pod to a node, by POST on pods/binding or on bindings.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/binding.h"
#include "api/core_v1/pod.h"
#include "api/managed_fields/update.h"
#include "api/meta_v1/object_meta.h"
#include "api/release.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/admission/topology_labels.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/subresources/subresources.h"
#include "server/verbs/write/modify.h"

namespace dray::server::verbs::inline subresources {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kBindingWord = "pods/binding";

const api::KindInfo& Pods() {
  return api::Reflected<core_v1::Pod>::kKind;
}

Result<> CheckTarget(const core_v1::Binding& binding) {
  const std::string& kind = binding.target.kind;
  if (!kind.empty() && kind != "Node") {
    return Fail(
        errors::Untyped(fmt::format("target.kind: Unsupported value: {}: supported values: "
                                    "\"Node\", \"<empty>\"",
                                    errors::Quoted(kind))));
  }
  if (binding.target.name.empty()) return Fail(errors::Untyped("target.name: Required value"));
  return {};
}

Result<> CheckPod(const core_v1::Binding& binding, const core_v1::Pod& pod) {
  const std::string& name = pod.metadata.name;
  const auto refuse = [&](std::string_view why) {
    return Fail(errors::ConflictOn(Pods(), kBindingWord, name, why));
  };
  if (pod.metadata.deletion_timestamp.has_value()) {
    return refuse(fmt::format("pod {} is being deleted, cannot be assigned to a host", name));
  }
  if (!pod.spec.node_name.empty()) {
    return refuse(
        fmt::format("pod {} is already assigned to node \"{}\"", name, pod.spec.node_name));
  }
  if (!pod.spec.scheduling_gates.empty()) {
    return refuse(fmt::format("pod {} has non-empty .spec.schedulingGates", name));
  }
  if (!binding.metadata.resource_version.empty() &&
      binding.metadata.resource_version != pod.metadata.resource_version) {
    return Fail(errors::Modified(Pods(), name));
  }
  return {};
}

void SetScheduled(core_v1::Pod& pod, api::Time now) {
  std::vector<core_v1::PodCondition>& conditions = pod.status.conditions;
  const auto found = std::ranges::find_if(
      conditions, [](const auto& condition) { return condition.type == "PodScheduled"; });
  if (found == conditions.end()) {
    core_v1::PodCondition scheduled;
    scheduled.type = "PodScheduled";
    scheduled.status = "True";
    scheduled.last_transition_time = now;
    conditions.push_back(std::move(scheduled));
    return;
  }
  if (found->status != "True") found->last_transition_time = now;
  found->status = "True";
  found->reason.clear();
  found->message.clear();
}

// The pod with the binding applied.
Result<api::Object> Bound(const storage::Item& current,
                          const core_v1::Binding& binding,
                          api::Release release,
                          api::Time now) {
  DRAY_TRY_VOID(CheckPod(binding, current.object.As<core_v1::Pod>()));
  api::Object next = current.object.Clone();
  auto& pod = next.Mutable<core_v1::Pod>();
  pod.metadata.resource_version.clear();
  pod.spec.node_name = binding.target.name;
  for (const auto& [key, value] : binding.metadata.annotations) {
    pod.metadata.annotations.insert_or_assign(key, value);
  }
  if (admission::kBindingsCarryLabels.Rules(release)) {
    for (const auto& [key, value] : binding.metadata.labels) {
      pod.metadata.labels.insert_or_assign(key, value);
    }
  }
  SetScheduled(pod, now);
  // A bound pod needs no nomination (gate ClearingNominatedNodeNameAfterBinding, on since 1.35).
  constexpr api::Releases kClearing{.first = 35};
  if (kClearing.Rules(release)) pod.status.nominated_node_name.clear();
  return next;
}

// Adds to the client's binding what webhooks also see: namespace and managedFields.
void CompleteBinding(const Call& call, api::Object& binding) {
  api::meta_v1::ObjectMeta& meta = binding.mutable_metadata();
  if (meta.namespace_.empty()) meta.namespace_ = call.request->namespace_;
  api::managed_fields::Write writer = WriterOf(call, registry::Subresource::kNone);
  writer.versions.kind = &binding.kind();
  meta.managed_fields =
      api::managed_fields::EntriesAfter(writer, api::Object::Blank(binding.kind()), binding);
}

}  // namespace

Task<Outcome> Bind(Call call) {
  const Core& core = *call.core;
  const ResourceRequest& request = *call.request;
  const api::KindInfo& binding_kind = api::Reflected<core_v1::Binding>::kKind;
  DRAY_CO_TRY(api::Object decoded, DecodeBody(call, binding_kind));
  ResourceRequest on_pod = request;
  on_pod.kind = &Pods();
  on_pod.subresource.clear();
  if (on_pod.name.empty()) on_pod.name = decoded.metadata().name;
  const Call inner{.core = call.core,
                   .request = &on_pod,
                   .session = call.session,
                   .warnings = call.warnings,
                   .annotations = call.annotations};
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
  CompleteBinding(call, decoded);
  const admission::Write write{
      .object = &decoded, .kind = &binding_kind, .subresource = "binding", .part = &decoded};
  DRAY_CO_TRY_VOID(co_await admission::Admit(call, snapshot, write, nullptr));
  const auto& binding = decoded.As<core_v1::Binding>();
  if (binding.metadata.name != on_pod.name) {
    co_return Fail(errors::BadRequest("name in URL does not match name in Binding object"));
  }
  DRAY_CO_TRY_VOID(CheckTarget(binding));
  DRAY_CO_TRY_VOID(co_await admission::Validate(inner, snapshot, write));
  const api::Time now = api::Time::Of(core.world.clock.Now());
  Modification modification;
  modification.change = [&](const Current& now_there) -> Result<api::Object> {
    const storage::Item& current = now_there.seen;
    const std::string& uid = binding.metadata.uid;
    const std::string& stored = current.object.metadata().uid;
    if (!uid.empty() && uid != stored) {
      return Fail(errors::UidMismatch(Pods(), on_pod.name, inner.key(), uid, stored));
    }
    return Bound(current, binding, request.release, now);
  };
  DRAY_CO_TRY_VOID(co_await Modify(inner, registry::Subresource::kBinding, &modification));
  StatusAnswer answer{.code = 201};
  answer.status.status = "Success";
  answer.status.code = 201;
  co_return answer;
}

}  // namespace dray::server::verbs::inline subresources
