// SPDX-License-Identifier: Apache-2.0
// Accepted means readable, as an oracle: what a write made is encoded as a durable store does it,
// opened as another server does it, and compared.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/json.h"
#include "api/object.h"
#include "base/published.h"
#include "base/result.h"
#include "base/strong.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::testing {

/// Protobuf does not tell an empty list from none, as upstream's storage does not.
inline std::string EmptyAsNull(std::string json) {
  for (size_t at = json.find(":[]"); at != std::string::npos; at = json.find(":[]", at)) {
    json.replace(at, 3, ":null");
  }
  return json;
}

/// What another server reads of what `record` holds, as the JSON of its hub; or why it cannot.
inline std::string JsonOf(const api::KindInfo& kind, const store::Record& record) {
  const Result<std::optional<storage::Item>> item =
      storage::ItemOf(storage::View::OfStorage(kind), record);
  if (!item.has_value()) return item.error().message;
  if (!item->has_value()) return "of the other generation";
  return EmptyAsNull(api::ToJson((*item)->object, {.stored = true}));
}

/// How what is read back of `record` differs from what it holds; empty when it does not.
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
                         .value = std::make_shared<const storage::StoredObject>(std::move(stored)),
                         .created = Revision{1},
                         .modified = Revision{1}});
  return LossOf(object.kind(), *record);
}

}  // namespace dray::server::testing
