// SPDX-License-Identifier: Apache-2.0
// An oracle for "accepted means readable": encodes the result of a write as a durable store does,
// decodes it as another server does, and compares.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/json.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::testing {

/// Protobuf does not distinguish an empty list from an absent one; neither does upstream's storage.
inline std::string EmptyAsNull(std::string json) {
  for (size_t at = json.find(":[]"); at != std::string::npos; at = json.find(":[]", at)) {
    json.replace(at, 3, ":null");
  }
  return json;
}

/// The JSON of the hub as another server reads it from `record`; or its error.
inline std::string JsonOf(const api::KindInfo& kind, const store::Record& record) {
  const Result<std::optional<storage::Item>> item =
      storage::ItemOf(storage::View::OfStorage(kind), record);
  if (!item.has_value()) return item.error().message;
  if (!item->has_value()) return "of the other generation";
  return EmptyAsNull(api::ToJson((*item)->object, {.stored = true}));
}

/// The difference between the object in `record` and the one read back from its bytes; empty when
/// there is none.
inline std::string LossOf(const api::KindInfo& kind, const store::Record& record) {
  const Result<> durable = record.value->CheckDurable();
  if (!durable.has_value()) return durable.error().message;
  const Frozen<store::Record> reopened =
      store::MakeRecord({.key = record.key(),
                         .value = storage::ReadStored(record.key(), record.value->bytes()),
                         .created = record.created,
                         .modified = record.modified});
  const std::string written = JsonOf(kind, record);
  const std::string read = JsonOf(kind, *reopened);
  return read == written ? std::string() : "written: " + written + "\nread: " + read;
}

/// The same for `object`, one of a hub, that a write is about to store.
inline std::string LossOf(const api::Object& object) {
  api::Object stored = object.Clone();
  stored.mutable_metadata().resource_version.clear();
  if (stored.metadata().uid.empty()) stored.mutable_metadata().uid = "u";
  const Frozen<store::Record> record =
      store::MakeRecord({.key = "k",
                         .value = storage::ValueOf(storage::StoredObject::Of(std::move(stored))),
                         .created = Revision{1},
                         .modified = Revision{1}});
  return LossOf(object.kind(), *record);
}

}  // namespace dray::server::testing
