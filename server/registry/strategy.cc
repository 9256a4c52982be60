// SPDX-License-Identifier: Apache-2.0
#include "server/registry/strategy.h"

#include <chrono>

#include "api/meta_v1/object_meta.h"
#include "api/reflect.h"
#include "server/registry/kind_strategies.h"

namespace dray::server::registry {
namespace {

namespace meta_v1 = api::meta_v1;

const void* FieldOf(const api::Object& object, std::string_view name) {
  const api::Field* field = object.type().Find(name);
  return field == nullptr ? nullptr : field->of(object.value());
}

void ClearField(std::string_view name, api::Object& object) {
  const api::Field* field = object.type().Find(name);
  if (field != nullptr) {
    Clear(field->type(), api::MutableMember(*field, object.mutable_value()));
  }
}

// The spec, whatever a kind calls it: everything but metadata and status.
bool SameSpec(const api::Object& a, const api::Object& b) {
  for (const api::Field& field : a.type().fields) {
    if (field.name == "metadata" || field.name == "status") continue;
    if (!Equal(field.type(), field.of(a.value()), field.of(b.value()))) return false;
  }
  return true;
}

bool TracksGeneration(const api::KindInfo& kind, api::Release release) {
  return kind.tracks_generation && StrategyOf(kind).generation_in.Rules(release);
}

// What no client changes once it is set.
void KeepServerMetadata(meta_v1::ObjectMeta& meta, const meta_v1::ObjectMeta& old) {
  if (meta.namespace_.empty()) meta.namespace_ = old.namespace_;
  if (meta.uid.empty()) meta.uid = old.uid;
  meta.generate_name = old.generate_name;
  meta.self_link = old.self_link;
  meta.generation = old.generation;
  meta.creation_timestamp = old.creation_timestamp;
  meta.managed_fields = old.managed_fields;
  if (!old.deletion_timestamp.has_value()) return;
  meta.deletion_timestamp = old.deletion_timestamp;
  if (!meta.deletion_grace_period_seconds.has_value()) {
    meta.deletion_grace_period_seconds = old.deletion_grace_period_seconds;
  }
}

}  // namespace

void CopyField(std::string_view name, api::Object& to, const api::Object& from) {
  const api::Field* field = to.type().Find(name);
  const void* value = FieldOf(from, name);
  if (field == nullptr || value == nullptr) return;
  Assign(field->type(), api::MutableMember(*field, to.mutable_value()), value);
}

void PrepareForCreate(api::Object& object, WallTime now, Random& random, api::Release release) {
  const KindStrategy& strategy = StrategyOf(object.kind());
  meta_v1::ObjectMeta& meta = object.mutable_metadata();
  meta.uid = NewUuid(random);
  meta.self_link.clear();
  meta.creation_timestamp = api::Time::Of(now);
  meta.deletion_timestamp.reset();
  meta.deletion_grace_period_seconds.reset();
  meta.managed_fields.clear();
  if (TracksGeneration(object.kind(), release)) meta.generation = 1;
  if (!strategy.status_on_create) ClearField("status", object);
  if (strategy.prepare_create != nullptr) strategy.prepare_create(object);
}

void PrepareForUpdate(api::Object& object,
                      const api::Object& old,
                      WallTime now,
                      api::Release release) {
  const KindStrategy& strategy = StrategyOf(object.kind());
  KeepServerMetadata(object.mutable_metadata(), old.metadata());
  if (object.kind().has_status) CopyField("status", object, old);
  if (strategy.prepare_update != nullptr) strategy.prepare_update(object, old, now);
  if (TracksGeneration(object.kind(), release) && !SameSpec(object, old)) {
    ++object.mutable_metadata().generation;
  }
}

void PrepareForStatusUpdate(api::Object& object, const api::Object& old) {
  const KindStrategy& strategy = StrategyOf(object.kind());
  meta_v1::ObjectMeta& meta = object.mutable_metadata();
  KeepServerMetadata(meta, old.metadata());
  for (const api::Field& field : object.type().fields) {
    if (field.name != "metadata" && field.name != "status") CopyField(field.name, object, old);
  }
  switch (strategy.status_metadata) {
    case StatusMetadata::kFromStore: {
      const std::string uid = meta.uid;
      const std::string version = meta.resource_version;
      meta = old.metadata();
      meta.uid = uid;  // another one is an error, found by validation
      meta.resource_version = version;
      break;
    }
    case StatusMetadata::kOwnersFromStore:
      meta.owner_references = old.metadata().owner_references;
      break;
    case StatusMetadata::kFree: break;
  }
  if (strategy.prepare_status != nullptr) strategy.prepare_status(object, old);
}

void PrepareForFinalize(api::Object& object, const api::Object& old) {
  KeepServerMetadata(object.mutable_metadata(), old.metadata());
  CopyField("status", object, old);
}

int64_t GraceSeconds(const api::Object& object, std::optional<int64_t> asked) {
  const KindStrategy& strategy = StrategyOf(object.kind());
  return strategy.grace_seconds == nullptr ? 0 : strategy.grace_seconds(object, asked);
}

bool HasKindFinalizers(const api::Object& object) {
  const KindStrategy& strategy = StrategyOf(object.kind());
  return strategy.has_finalizers != nullptr && strategy.has_finalizers(object);
}

void MarkDeleted(api::Object& object) {
  const KindStrategy& strategy = StrategyOf(object.kind());
  if (strategy.mark_deleted != nullptr) strategy.mark_deleted(object);
}

}  // namespace dray::server::registry
