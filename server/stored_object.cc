// SPDX-License-Identifier: Apache-2.0
#include "server/stored_object.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

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

Result<std::shared_ptr<const StoredObject>> Recover(const api::KindInfo& kind,
                                                    const store::Record& record) {
  Result<api::Object> object = api::DecodeJson(kind, record.value->bytes(), nullptr);
  if (!object.has_value()) {
    return Fail(StatusReason::kInternalError,
                fmt::format("Internal error occurred: the stored {} at {} cannot be decoded: {}",
                            kind.kind,
                            record.key,
                            object.error().message));
  }
  if (object->metadata().uid.empty()) {
    return Fail(
        StatusReason::kInternalError,
        fmt::format(
            "Internal error occurred: the stored {} at {} has no uid", kind.kind, record.key));
  }
  object->mutable_metadata().resource_version.clear();
  return std::make_shared<const StoredObject>(*std::move(object));
}

}  // namespace

StoredObject::StoredObject(api::Object object)
    : object_(std::move(object)), json_(std::make_shared<const std::string>(api::ToJson(object_))) {
  DRAY_CHECK(object_.metadata().resource_version.empty());
  DRAY_CHECK(!object_.metadata().uid.empty());
  version_offset_ = VersionOffset(object_, *json_);
}

Item StoredObject::Versioned(api::Object object, Revision revision) const {
  object.mutable_metadata().resource_version = std::to_string(revision.value());
  return {.object = std::move(object),
          .json = std::make_shared<const std::string>(Splice(*json_, version_offset_, revision))};
}

const Item& StoredObject::At(Revision modified) const {
  return item_.Get([&] { return Versioned(object_, modified); });
}

Item StoredObject::EndedAt(Revision end) const {
  // item_ is made before, so cloning here never meets the writing of the version.
  const Ended& ended = ended_.Get([&] { return Ended{end, Versioned(object_.Clone(), end)}; });
  return ended.end == end ? ended.item : Versioned(object_.Clone(), end);
}

Item StoredObject::Unversioned() const {
  return {.object = object_, .json = json_};
}

Result<Item> ItemOf(const api::KindInfo& kind, const store::Record& record) {
  if (const auto* stored = dynamic_cast<const StoredObject*>(record.value.get())) {
    return stored->At(record.modified);
  }
  DRAY_TRY(const std::shared_ptr<const StoredObject> stored, Recover(kind, record));
  return stored->At(record.modified);
}

Result<Item> EndedItemOf(const api::KindInfo& kind, const store::Record& record, Revision end) {
  if (const auto* stored = dynamic_cast<const StoredObject*>(record.value.get())) {
    stored->At(record.modified);
    return stored->EndedAt(end);
  }
  DRAY_TRY(const std::shared_ptr<const StoredObject> stored, Recover(kind, record));
  return stored->EndedAt(end);
}

}  // namespace dray::server
