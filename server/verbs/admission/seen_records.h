// SPDX-License-Identifier: Apache-2.0
// Stored objects that configure the chain itself (policies, configurations of webhooks): finds them
// in a snapshot, and compares them with the compiled ones.
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

/// The identity of a record that was read.
struct SeenRecord {
  std::string key;
  Revision modified;
};

/// The records of `kind`, which is a storage version. O(log n).
store::RecordRange RangeOf(const api::KindInfo& kind, const store::Snapshot& snapshot);

/// The object in a record of `kind`; nothing if the record cannot be read.
std::optional<api::Object> ReadIfKnown(const api::KindInfo& kind, const store::Record& record);

/// All records of the kinds. O(records).
std::vector<SeenRecord> RecordsOf(std::span<const api::KindInfo* const> kinds,
                                  const store::Snapshot& snapshot);
/// Whether `snapshot` has exactly these records. O(records).
bool AreSame(std::span<const SeenRecord> seen,
             std::span<const api::KindInfo* const> kinds,
             const store::Snapshot& snapshot);

}  // namespace dray::server::verbs::admission
