// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/seen_records.h"

#include <utility>

#include "server/storage/keys.h"
#include "server/storage/stored_object.h"

namespace dray::server::verbs::admission {

store::RecordRange RangeOf(const api::KindInfo& kind, const store::Snapshot& snapshot) {
  return snapshot.Range({.prefix = storage::ResourcePrefix(kind)});
}

std::optional<api::Object> ReadIfKnown(const api::KindInfo& kind, const store::Record& record) {
  auto item = storage::ItemOf(storage::View::OfStorage(kind), record);
  if (!item.has_value() || !item->has_value()) return std::nullopt;
  return std::move((*item)->object);
}

std::vector<SeenRecord> RecordsOf(std::span<const api::KindInfo* const> kinds,
                                  const store::Snapshot& snapshot) {
  std::vector<SeenRecord> seen;
  for (const api::KindInfo* kind : kinds) {
    for (const store::Record& record : RangeOf(*kind, snapshot)) {
      seen.push_back({.key = std::string(record.key()), .modified = record.modified});
    }
  }
  return seen;
}

bool AreSame(std::span<const SeenRecord> seen,
             std::span<const api::KindInfo* const> kinds,
             const store::Snapshot& snapshot) {
  size_t next = 0;
  for (const api::KindInfo* kind : kinds) {
    for (const store::Record& record : RangeOf(*kind, snapshot)) {
      const bool is_same = next < seen.size() && seen[next].modified == record.modified &&
                           seen[next].key == record.key();
      if (!is_same) return false;
      ++next;
    }
  }
  return next == seen.size();
}

}  // namespace dray::server::verbs::admission
