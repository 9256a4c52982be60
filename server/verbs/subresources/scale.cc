// SPDX-License-Identifier: Apache-2.0
// The subresource scale: the number of replicas of a workload, in one form for all workloads. A
// write to it updates the workload.
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/at_path.h"
#include "api/autoscaling_v1.h"
#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/codec/json_writer.h"
#include "api/custom_kind.h"
#include "api/managed_fields/apply.h"
#include "api/meta_v1/label_selector.h"
#include "api/selectors/selector_of.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/patch/patch.h"
#include "server/storage/stored_object.h"
#include "server/storage/transactions.h"
#include "server/verbs/context/decode_body.h"
#include "server/verbs/conversion/conversion.h"
#include "server/verbs/subresources/custom_scale.h"
#include "server/verbs/subresources/subresources.h"
#include "server/verbs/write/modify.h"

namespace dray::server::verbs::inline subresources {
namespace {

namespace managed_fields = api::managed_fields;
using api::autoscaling_v1::Scale;

constexpr std::string_view kReplicas = "spec.replicas";

const api::KindInfo& Scales() {
  return api::Reflected<Scale>::kKind;
}

std::string SelectorOf(const api::Object& workload) {
  if (const auto* labels = api::MapAt<std::string>(workload, "spec.selector")) {
    return api::LabelsText(*labels);
  }
  const auto* selector = api::Get<api::meta_v1::LabelSelector>(workload, "spec.selector");
  if (selector == nullptr) return {};
  const Result<api::LabelSelector> parsed = api::SelectorOf(*selector);
  return parsed.has_value() ? parsed->ToString() : std::string();
}

api::Object ScaleOf(const api::Object& workload) {
  if (api::IsCustom(workload.kind())) return CustomScaleOf(workload);
  Scale scale;
  const api::meta_v1::ObjectMeta& meta = workload.metadata();
  scale.metadata.name = meta.name;
  scale.metadata.namespace_ = meta.namespace_;
  scale.metadata.uid = meta.uid;
  scale.metadata.resource_version = meta.resource_version;
  scale.metadata.creation_timestamp = meta.creation_timestamp;
  scale.spec.replicas = static_cast<int32_t>(api::NumberAt(workload, kReplicas));
  scale.status.replicas = static_cast<int32_t>(api::NumberAt(workload, "status.replicas"));
  scale.status.selector = SelectorOf(workload);
  return api::Object::Of(std::move(scale));
}

// The path of the desired number of replicas in the workload.
managed_fields::Path ReplicasPath(const api::Object& workload) {
  managed_fields::Path path;
  if (api::IsCustom(workload.kind())) {
    for (const std::string& name : CustomReplicasPath(workload)) {
      path.push_back(managed_fields::PathElement::OfField(name));
    }
    return path;
  }
  return {managed_fields::PathElement::OfField("spec"),
          managed_fields::PathElement::OfField("replicas")};
}

// The Scale with managedFields, as webhooks see it: the managers that own the workload's replicas.
api::Object OwnedScaleOf(const Call& call, const api::Object& workload) {
  api::Object scale = ScaleOf(workload);
  const managed_fields::Path replicas = ReplicasPath(workload);
  managed_fields::FieldSet owned;
  owned.Insert({managed_fields::PathElement::OfField("spec"),
                managed_fields::PathElement::OfField("replicas")});
  for (const api::meta_v1::ManagedFieldsEntry& entry : workload.metadata().managed_fields) {
    if (!entry.fields_v1.has_value()) continue;
    const auto fields = managed_fields::FieldSet::Parse(entry.fields_v1->bytes());
    if (!fields.has_value() || !fields->Has(replicas)) continue;
    api::meta_v1::ManagedFieldsEntry shown = entry;
    shown.api_version = Scales().api_version;
    shown.fields_v1 = api::RawJson(owned.ToJson());
    if (!shown.time.has_value()) shown.time = api::Time::Of(call.now());
    scale.mutable_metadata().managed_fields.push_back(std::move(shown));
  }
  return scale;
}

ObjectAnswer AnswerWith(const Call& call, const storage::Item& workload) {
  return {.code = 200, .item = storage::MakeItem(ScaleOf(workload.object), call.request->release)};
}

Result<> CheckScale(const Scale& scale) {
  if (scale.spec.replicas >= 0) return {};
  return Fail(errors::Invalid(Scales(),
                              scale.metadata.name,
                              {errors::InvalidValue("spec.replicas",
                                                    std::to_string(scale.spec.replicas),
                                                    "must be greater than or equal to 0")}));
}

// `workload` with the replicas and resourceVersion of `scale`.
Result<api::Object> Scaled(const api::Object& workload, const Scale& scale) {
  DRAY_TRY_VOID(CheckScale(scale));
  api::Object next = workload.Clone();
  next.mutable_metadata().resource_version = scale.metadata.resource_version;
  next.mutable_metadata().uid = scale.metadata.uid;
  // The value may be changed: `next` is a copy that only this function has.
  const api::Found replicas = api::AtPath(next, kReplicas);
  if (replicas.value == nullptr || replicas.type->kind != api::TypeKind::kInt32) {
    return Fail(errors::Internal("a workload without a number of pods"));
  }
  *static_cast<int32_t*>(const_cast<void*>(replicas.value)) = scale.spec.replicas;
  return next;
}

// The workload to be stored, with the replicas of its Scale after webhooks.
Result<api::Object> ScaledByWebhook(const api::Object& workload, const api::Object& scale) {
  const bool is_custom = api::IsCustom(workload.kind());
  DRAY_TRY(api::Object next,
           is_custom ? CustomScaled(workload, scale) : Scaled(workload, scale.As<Scale>()));
  next.mutable_metadata().uid = workload.metadata().uid;
  next.mutable_metadata().resource_version = workload.metadata().resource_version;
  return next;
}

// The scale of `workload` with a patch applied to it.
Result<api::Object> Patched(const Call& call, const api::Object& workload) {
  const auto* patch = std::get_if<std::string>(&call.request->body);
  if (patch == nullptr) return Fail(errors::BadRequest("a patch is a JSON document"));
  const patch::PatchType asked = call.request->patch_type;
  DRAY_TRY(const std::string patched,
           patch::ApplyPatch(asked, Scales(), api::ToJson(ScaleOf(workload)), *patch));
  Result<api::Object> scale =
      api::DecodeJson(Scales(), patched, nullptr, {.release = call.request->release});
  if (scale.has_value() || !api::IsCustom(call.kind())) return scale;
  return Fail(errors::InvalidAs(
      "", "", "", {errors::InvalidValue("patch", errors::Quoted(patched), scale.error().message)}));
}

Task<Outcome> ReadScale(Call call) {
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await call.session->ReadNewest());
  const Frozen<store::Record> record = snapshot->Get(call.key());
  if (record == nullptr) co_return Fail(errors::NotFound(call.kind(), call.request->name));
  DRAY_CO_TRY(const Prepared prepared, co_await PrepareShown(call, *record));
  DRAY_CO_TRY(const std::optional<storage::Item> item, ItemAskedFor(call, call.view(), *record));
  if (!item.has_value()) co_return Fail(errors::NotFound(call.kind(), call.request->name));
  if (api::IsCustom(call.kind())) DRAY_CO_TRY_VOID(CheckHasReplicas(item->object));
  co_return AnswerWith(call, *item);
}

// Converts the configuration of a Scale into one of its workload: the only field of a Scale that a
// manager can own is replicas.
Result<api::JsonTree> ConfigOfWorkload(const Call& call) {
  const auto* text = std::get_if<std::string>(&call.request->body);
  if (text == nullptr) return Fail(errors::BadRequest("a patch is a JSON document"));
  DRAY_TRY(const api::Object requested,
           api::DecodeJson(Scales(), *text, nullptr, {.release = call.request->release}));
  const auto& scale = requested.As<Scale>();
  const std::string& name = scale.metadata.name;  // that of the URL, if the configuration has none
  if (!name.empty()) DRAY_TRY_VOID(CheckIdentity(call, scale.metadata));
  DRAY_TRY_VOID(CheckScale(scale));
  DRAY_TRY(const api::JsonTree said, api::ParseJsonTree(*text, managed_fields::kDocumentDepthMax));
  const api::JsonTree* spec = said.members().Find("spec");
  const bool has_replicas =
      spec != nullptr && spec->is_object() && spec->members().Find("replicas") != nullptr;
  const api::KindInfo& kind = call.kind();
  const std::string config = api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("apiVersion", kind.api_version);
      json.Member("kind", kind.kind);
      json.Member("metadata").Object([&] {
        json.Member("name", name.empty() ? call.request->name : name);
        if (!scale.metadata.uid.empty()) json.Member("uid", scale.metadata.uid);
        if (!scale.metadata.resource_version.empty())
          json.Member("resourceVersion", scale.metadata.resource_version);
      });
      if (!has_replicas) return;
      json.Member("spec").Object([&] { json.Member("replicas", scale.spec.replicas); });
    });
  });
  return api::ParseJsonTree(config, managed_fields::kDocumentDepthMax);
}

// Upstream detects conflicts in the Scale, so the error names the version of Scale.
Error ConflictInScale(const api::KindInfo& workload, Error error) {
  const std::string ours = fmt::format(" using {}", workload.api_version);
  const std::string theirs = fmt::format(" using {}", Scales().api_version);
  const auto rename = [&](std::string& text) {
    for (size_t at = text.find(ours); at != std::string::npos; at = text.find(ours, at)) {
      text.replace(at, ours.size(), theirs);
      at += theirs.size();
    }
  };
  rename(error.message);
  for (ErrorCause& cause : error.causes) rename(cause.message);
  return error;
}

// Applies the replicas to the workload; the manager owns them through "scale".
Task<Outcome> ApplyScale(Call call) {
  DRAY_CO_TRY(const api::JsonTree config, ConfigOfWorkload(call));
  const managed_fields::Write write = WriterOf(call, registry::Subresource::kNone);
  Modification modification{
      .wrong_uid = WrongUid::kInvalid,
      .decides_owners = true,
      .seen_through = [&](const api::Object& stored) { return OwnedScaleOf(call, stored); },
      .put_back = ScaledByWebhook};
  modification.change = [&](const Current& current) -> Result<api::Object> {
    Result<api::Object> merged = AppliedTo(call, write, current.stored.object, config);
    if (!merged.has_value() && merged.error().reason == StatusReason::kConflict) {
      return Fail(ConflictInScale(call.kind(), std::move(merged).error()));
    }
    return merged;
  };
  DRAY_CO_TRY(const ObjectAnswer answer,
              co_await Modify(call, registry::Subresource::kNone, &modification));
  co_return AnswerWith(call, answer.item);
}

// Decodes the Scale in the body of a request for a custom kind.
Result<api::Object> DecodeCustomScale(const Call& call) {
  const auto* text = std::get_if<std::string>(&call.request->body);
  if (text != nullptr) {
    const Result<api::TypeMeta> said = api::ReadTypeMeta(*text);
    const bool is_other = said.has_value() && (said->kind != Scales().kind ||
                                               said->api_version != Scales().api_version);
    if (is_other) {
      return Fail(errors::BadRequest(
          "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\""));
    }
  }
  return DecodeBody(call, Scales());
}

// Upstream cannot apply a scale of a custom kind: nothing makes an object of it from what it has
// merged. If a manager owns the number of pods, it merges first, and finds conflicts.
Failure CannotApply(const Call& call, const api::Object& live, const api::JsonTree& config) {
  constexpr std::string_view kWhy =
      "request to convert CR to an invalid group/version: autoscaling/v1";
  const api::Object scale = OwnedScaleOf(call, live);
  const api::meta_v1::ObjectMeta& meta = scale.metadata();
  if (meta.managed_fields.empty()) {
    return Fail(errors::Untyped(
        fmt::format("failed to create manager for existing fields: failed to convert live object "
                    "(/; autoscaling/v1, Kind=Scale) to proper version: {}",
                    kWhy)));
  }
  managed_fields::Write write = WriterOf(call, registry::Subresource::kNone);
  write.versions.kind = &Scales();
  const auto force = call.request->write.force.value_or(false) ? managed_fields::Force::kYes
                                                               : managed_fields::Force::kNo;
  const auto merged = managed_fields::Apply(write, scale, config, force);
  if (!merged.has_value()) return Fail(merged.error());
  return Fail(
      errors::Untyped(fmt::format("failed to convert new object ({}/{}; autoscaling/v1, "
                                  "Kind=Scale) to proper version: {}",
                                  meta.namespace_,
                                  meta.name,
                                  kWhy)));
}

Task<Outcome> ApplyCustomScale(Call call) {
  const auto* text = std::get_if<std::string>(&call.request->body);
  DRAY_CO_TRY(const api::JsonTree config,
              api::ParseJsonTree(text == nullptr ? std::string_view("{}") : *text,
                                 managed_fields::kDocumentDepthMax));
  Modification modification;
  modification.change = [&](const Current& current) -> Result<api::Object> {
    return CannotApply(call, current.stored.object, config);
  };
  DRAY_CO_TRY(const ObjectAnswer answer,
              co_await Modify(call, registry::Subresource::kNone, &modification));
  co_return AnswerWith(call, answer.item);
}

Task<Outcome> WriteCustomScale(Call call) {
  const bool is_update = call.request->verb == Verb::kUpdate;
  if (!is_update && call.request->patch_type == patch::PatchType::kApply) {
    co_return co_await ApplyCustomScale(call);
  }
  Result<api::Object> requested = is_update ? DecodeCustomScale(call) : Result<api::Object>();
  if (!requested.has_value()) co_return std::move(requested).failure();
  Modification modification{
      .is_unconditional = true,
      .seen_through = [&](const api::Object& stored) { return OwnedScaleOf(call, stored); }};
  modification.change = [&](const Current& current) -> Result<api::Object> {
    DRAY_TRY(const api::Object scale,
             is_update ? Result<api::Object>(*requested) : Patched(call, current.seen.object));
    DRAY_TRY_VOID(CheckIdentity(call, scale.metadata()));
    return CustomScaled(current.seen.object, scale);
  };
  DRAY_CO_TRY(const ObjectAnswer answer,
              co_await Modify(call, registry::Subresource::kNone, &modification));
  co_return AnswerWith(call, answer.item);
}

}  // namespace

Task<Outcome> ServeScale(Call call) {
  if (call.request->verb == Verb::kGet) co_return co_await ReadScale(call);
  if (api::IsCustom(call.kind())) co_return co_await WriteCustomScale(call);
  const bool is_patch = call.request->verb == Verb::kPatch;
  if (is_patch && call.request->patch_type == patch::PatchType::kApply) {
    co_return co_await ApplyScale(call);
  }
  const bool is_update = call.request->verb == Verb::kUpdate;
  Result<api::Object> requested = is_update ? DecodeBody(call, Scales()) : Result<api::Object>();
  if (!requested.has_value()) co_return std::move(requested).failure();
  Modification modification{
      .seen_through = [&](const api::Object& stored) { return OwnedScaleOf(call, stored); },
      .put_back = ScaledByWebhook};
  modification.change = [&](const Current& current) -> Result<api::Object> {
    DRAY_TRY(const api::Object scale,
             is_update ? Result<api::Object>(*requested) : Patched(call, current.seen.object));
    DRAY_TRY_VOID(CheckIdentity(call, scale.metadata()));
    return Scaled(current.seen.object, scale.As<Scale>());
  };
  DRAY_CO_TRY(const ObjectAnswer answer,
              co_await Modify(call, registry::Subresource::kNone, &modification));
  co_return AnswerWith(call, answer.item);
}

}  // namespace dray::server::verbs::inline subresources
