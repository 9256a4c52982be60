// SPDX-License-Identifier: Apache-2.0
// Server-side apply: a client sends the fields that it wants an object to have, and owns exactly
// those.
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
  Object object;    // in the version of the write, without its defaults
  Entries entries;  // its managedFields
};

/// Applies `config`, a document with kind and apiVersion, to `live`, an object in the form of the
/// store (empty and without a uid if it does not exist).
///
/// 1. If the object has no managers, a manager "before-first-apply" gets all its fields.
/// 2. The configuration is merged into the live object (documents.h).
/// 3. Fields that the manager applied before and not now, and that no other manager owns, are
///    removed.
/// 4. Other managers of a changed field are conflicts. With Force::kYes they lose the field
///    instead.
/// 5. The manager owns the fields of the configuration from now on. Its time changes unless the
///    object stays the same.
///
/// A manager "kubectl" takes over fields of client-side apply: a conflict about a field that has
/// the same value in the annotation last-applied-configuration and the live object does not count.
/// The annotation is kept up to date.
///
/// Errors, with the words of upstream:
///     kBadRequest  another kind or version, or managedFields in the configuration.
///     kUnknown     it does not fit the schema, or the entries of `live` cannot be read, or one of
///                  them is in a version that the custom kind no longer has.
///     kConflict    fields that other managers own, a cause for each.
/// O(size of both and of all entries), but for sorting, and once more for each version that
/// managers have written.
Result<Applied> Apply(const Write& write, const Object& live, const JsonTree& config, Force force);

}  // namespace dray::api::managed_fields
