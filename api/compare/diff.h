// SPDX-License-Identifier: Apache-2.0
// The differences between two objects that matter: quantities are compared as amounts (1Gi is
// 1024Mi), raw JSON as values, an empty list equals none, and list elements are matched by their
// identity.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object.h"
#include "api/reflect.h"

namespace dray::api::inline compare {

/// One place where they differ. Added values have no `before`, removed ones no `after`.
struct Change {
  /// spec.devices[name=gpu-0].capacity[memory].value; elements without identity by index: [2]. The
  /// path of a list whose elements only changed places ends in the list.
  std::string path;
  std::optional<std::string> before, after;  // JSON
};

/// All changes from `before` to `after`, which are of one kind or of versions of one (then they are
/// compared as their hub). In the order of the schema; O(size · log of the longest list).
std::vector<Change> Diff(const Object& before, const Object& after);
/// The same for two values of a type.
std::vector<Change> Diff(const Type& type, const void* before, const void* after);

/// Readable lines, one a change:
///
///   ~ spec.devices.requests[name=gpu].exactly.count: 1 → 2
///   + metadata.labels[team]: "a"
///   - status.reservedFor[uid=u-1]: {"resource":"pods","name":"p","uid":"u-1"}
std::string PrintChanges(std::span<const Change> changes);

}  // namespace dray::api::inline compare
