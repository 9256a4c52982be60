// SPDX-License-Identifier: Apache-2.0
// Server-side apply: a client says what it wants an object to have, and owns just that.
#pragma once

#include <optional>

#include "api/codec/json_tree.h"
#include "api/managed_fields/managers.h"
#include "api/managed_fields/update.h"
#include "api/object.h"
#include "base/result.h"

namespace dray::api::managed_fields {

/// Whether a manager may take fields away from others.
enum class Force : bool { kNo, kYes };

struct Applied {
  Object object;    // in the version of the write, without what its defaults would add
  Entries entries;  // its managedFields
};

/// Applies `config`, a document with kind and apiVersion, to `live`, an object in the form of the
/// store (without a uid and with nothing in it when none is there).
///
///   1. An object without owners gets "before-first-apply", who owns all that is there.
///   2. The configuration is merged into the live object (documents.h).
///   3. What the manager applied before and does not now, and nobody else owns, is removed.
///   4. Who else owns what has changed is in conflict; with Force::kYes he loses it.
///   5. The manager owns what the configuration names, from now on; his time changes unless the
///      object stays as it was.
///
/// A manager "kubectl" takes over what client-side apply wrote: a conflict about a field that the
/// annotation last-applied-configuration has as the live object has it is none. The annotation is
/// kept up to date.
///
/// Errors, with the words of upstream:
///   kBadRequest  another kind or version, or managedFields in the configuration.
///   kUnknown     it does not fit the schema, or the entries of `live` cannot be read.
///   kConflict    fields that others own, a cause for each.
/// O(size of both and of all entries), but for sorting, and once more for each version that
/// managers have written.
Result<Applied> Apply(const Write& write, const Object& live, const JsonTree& config, Force force);

}  // namespace dray::api::managed_fields
