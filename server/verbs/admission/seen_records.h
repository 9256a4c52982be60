// SPDX-License-Identifier: Apache-2.0
// Stored objects that the chain itself is made of (policies, configurations of webhooks): which
// ones a snapshot has, and whether they are still those that were compiled.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/strong.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// One record as it was seen.
struct SeenRecord {
  std::string key;
  Revision modified;
};

/// The records of a kind, which is a hub. O(log n).
store::RecordRange RangeOf(const api::KindInfo& kind, const store::Snapshot& snapshot);

/// The object in a record of `kind`; nothing if it cannot be read.
std::optional<api::Object> ReadIfKnown(const api::KindInfo& kind, const store::Record& record);

/// All records of the kinds. O(records).
std::vector<SeenRecord> RecordsOf(std::span<const api::KindInfo* const> kinds,
                                  const store::Snapshot& snapshot);
/// Whether `snapshot` has just these. O(records).
bool AreSame(std::span<const SeenRecord> seen,
             std::span<const api::KindInfo* const> kinds,
             const store::Snapshot& snapshot);

}  // namespace dray::server::verbs::admission
