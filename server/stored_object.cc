// SPDX-License-Identifier: Apache-2.0
#include "server/stored_object.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/json.h"
#include "api/meta_v1.h"
#include "base/check.h"

namespace dray::server {
namespace {

// Metadata comes first in every kind, and the version after the uid, which every stored object has.
// So the metadata cut off after its uid, encoded alone, is what the whole text begins with.
size_t VersionOffset(const api::Object& object, std::string_view json) {
  const api::meta_v1::ObjectMeta& whole = object.metadata();
  api::meta_v1::ObjectMeta head;
  head.name = whole.name;
  head.generate_name = whole.generate_name;
  head.namespace_ = whole.namespace_;
  head.self_link = whole.self_link;
  head.uid = whole.uid;
  std::string text = fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":)",
                                 object.kind().kind,
                                 object.kind().api_version());
  EncodeJson(api::TypeOf<api::meta_v1::ObjectMeta>(), &head, text);
  text.pop_back();  // the closing brace
  DRAY_CHECK(json.starts_with(text));
  return text.size();
}

std::string Splice(std::string_view json, size_t offset, Revision revision) {
  std::string text;
  const std::string member = fmt::format(R"(,"resourceVersion":"{}")", revision.value());
  text.reserve(json.size() + member.size());
  text.append(json.substr(0, offset)).append(member).append(json.substr(offset));
  return text;
}

// Whether there is anything in `value` that its own version cannot show.
bool HasHubContent(const api::Type& type, const void* value) {
  switch (type.kind) {
    case api::TypeKind::kStruct:
      return std::ranges::any_of(type.fields, [&](const api::Field& field) {
        const void* member = field.of(value);
        return field.facets.hub ? !IsZero(field.type(), member)
                                : HasHubContent(field.type(), member);
      });
    case api::TypeKind::kOptional:
    case api::TypeKind::kList:
    case api::TypeKind::kMap: {
      const size_t size = type.element().scalar != nullptr ? 0 : type.container->size(value);
      for (size_t i = 0; i < size; ++i) {
        if (HasHubContent(type.element(), type.container->at(value, i))) return true;
      }
      return false;
    }
    default: return false;
  }
}

Item AsSeen(View view, const Item& stored) {
  if (view.is_storage()) return stored;
  Item item{.object = api::conversion::FromHub(stored.object, *view.kind, view.release)};
  item.json = std::make_shared<const std::string>(
      api::ToJson(item.object, api::Wire{.release = view.release}));
  return item;
}

Result<std::shared_ptr<const StoredObject>> Recover(const api::KindInfo& kind,
                                                    const store::Record& record) {
  const std::string_view bytes = record.value->bytes();
  const auto refuse = [&](std::string_view why) {
    return Fail(
        StatusReason::kInternalError,
        fmt::format(
            "Internal error occurred: the stored {} at {} {}", kind.kind, record.key(), why));
  };
  const Result<api::TypeMeta> said = api::ReadTypeMeta(bytes);
  if (!said.has_value()) {
    return refuse(fmt::format("cannot be decoded: {}", said.error().message));
  }
  if (said->api_version != kind.api_version()) return nullptr;
  Result<api::Object> object = api::DecodeJson(kind, bytes, nullptr, {.stored = true});
  if (!object.has_value()) {
    return refuse(fmt::format("cannot be decoded: {}", object.error().message));
  }
  if (object->metadata().uid.empty()) return refuse("has no uid");
  object->mutable_metadata().resource_version.clear();
  return std::make_shared<const StoredObject>(*std::move(object));
}

// What `record` holds, if it is of the generation of `kind`. The owner keeps a recovered one alive.
struct Held {
  std::shared_ptr<const StoredObject> owner;
  const StoredObject* stored = nullptr;
};

Result<Held> Hold(const api::KindInfo& kind, const store::Record& record) {
  const api::KindInfo& hub = kind.storage();
  if (const auto* stored = dynamic_cast<const StoredObject*>(record.value.get())) {
    return Held{.owner = nullptr, .stored = &stored->kind() == &hub ? stored : nullptr};
  }
  Held held;
  DRAY_TRY(held.owner, Recover(hub, record));
  held.stored = held.owner.get();
  return held;
}

}  // namespace

StoredObject::StoredObject(api::Object object)
    : object_(std::move(object)), json_(std::make_shared<const std::string>(api::ToJson(object_))) {
  DRAY_CHECK(object_.metadata().resource_version.empty());
  DRAY_CHECK(!object_.metadata().uid.empty());
  DRAY_CHECK(&object_.kind().storage() == &object_.kind());
  stored_json_ = HasHubContent(object_)
                     ? std::make_shared<const std::string>(api::ToJson(object_, {.stored = true}))
                     : json_;
  version_offset_ = VersionOffset(object_, *json_);
}

Item StoredObject::Versioned(api::Object object, Revision revision) const {
  object.mutable_metadata().resource_version = std::to_string(revision.value());
  return {.object = std::move(object),
          .json = std::make_shared<const std::string>(Splice(*json_, version_offset_, revision))};
}

const Item& StoredObject::AsStored(Revision modified) const {
  return item_.Get([&] { return Versioned(object_, modified); });
}

Item StoredObject::At(View view, Revision modified) const {
  const Item& stored = AsStored(modified);
  if (view.is_storage()) return stored;
  const MutexLock lock(mutex_);
  for (const Seen& seen : seen_) {
    if (seen.view.kind == view.kind && seen.view.release == view.release) return seen.item;
  }
  return seen_.emplace_back(Seen{.view = view, .item = AsSeen(view, stored)}).item;
}

Item StoredObject::EndedAt(View view, Revision end) const {
  // item_ is made before, so cloning here never meets the writing of the version.
  const Ended& ended = ended_.Get([&] { return Ended{end, Versioned(object_.Clone(), end)}; });
  return AsSeen(view, ended.end == end ? ended.item : Versioned(object_.Clone(), end));
}

Item StoredObject::Unversioned(View view) const {
  return AsSeen(view, {.object = object_, .json = json_});
}

Result<std::optional<Item>> ItemOf(View view, const store::Record& record) {
  DRAY_TRY(const Held held, Hold(*view.kind, record));
  if (held.stored == nullptr) return std::nullopt;
  return held.stored->At(view, record.modified);
}

Result<std::optional<Item>> EndedItemOf(View view, const store::Record& record, Revision end) {
  DRAY_TRY(const Held held, Hold(*view.kind, record));
  if (held.stored == nullptr) return std::nullopt;
  held.stored->At(View::OfStorage(*view.kind), record.modified);
  return held.stored->EndedAt(view, end);
}

bool HasHubContent(const api::Object& object) {
  return HasHubContent(object.type(), object.value());
}

std::string StoredVersion(const store::Record& record) {
  if (const auto* stored = dynamic_cast<const StoredObject*>(record.value.get())) {
    return stored->kind().api_version();
  }
  const Result<api::TypeMeta> said = api::ReadTypeMeta(record.value->bytes());
  return said.has_value() ? said->api_version : std::string();
}

}  // namespace dray::server
