// SPDX-License-Identifier: Apache-2.0
// The owners of fields after a write other than server-side apply: create, update, and the other
// patches.
#pragma once

#include <optional>
#include <string>

#include "api/managed_fields/field_set.h"
#include "api/managed_fields/managers.h"
#include "api/managed_fields/versions.h"
#include "api/object.h"
#include "api/value/time.h"

namespace dray::api::managed_fields {

/// The inputs of a write that matter for ownership.
struct Write {
  std::string manager;      // not empty
  std::string subresource;  // subresource of the write; empty: the object itself
  Versions versions;        // of them `kind` is the one that the client wrote
  /// Fields that a write through this subresource never changes, so that the writer does not become
  /// their owner; null: none.
  const FieldSet* reset = nullptr;
  std::optional<Time> now;  // time of new entries; nothing: they have no time
};

/// The entries of `next`, which is to replace `old`, both in the form of the store. For a new
/// object `old` is empty and has no uid. `next` has the entries that the client sent.
///
/// 1. The client's entries count if there are any and they can be read, else those of `old`.
///    Through a subresource those of `old` always count. [] and [{}] remove all entries.
/// 2. An object without managers stays without them, unless it is new.
/// 3. All other managers lose the fields that changed, in the version that they wrote. A manager
///    without fields is removed, and so is a manager that wrote a version that no longer exists.
///    Where that is a version of a custom kind, the entries stay as they were: since 1.37; before,
///    all are removed.
/// 4. The writer owns the fields that were added or changed. If there are any, its time is now.
/// 5. The oldest entries are merged (CapUpdates).
///
/// O(size of both objects and all entries), but for sorting.
Entries EntriesAfter(const Write& write, const Object& old, const Object& next);

/// Whether the entries differ, and in nothing but their times.
bool DifferInTimes(const Entries& a, const Entries& b);

// Parts of the above that server-side apply needs too.

/// Fields that no manager owns: the identity of the object, and fields that only the server writes.
const FieldSet& NeverOwned();

/// Whether the object can be seen as each of the managers wrote it. Upstream passes over versions
/// that a built-in kind no longer has; its converter of custom kinds fails. O(managers).
/// Errors: kUnknown  a custom kind has no such version, in upstream's words.
Result<> CheckVersions(const Versions& versions, const Managers& managers);

/// Where the schema has made a value atomic whose parts `manager` owned, `manager` now owns the
/// whole. `version` is the one that it wrote.
void Reconcile(const KindInfo& version, Wire wire, Manager& manager);

/// Removes the paths of `gone` from `manager`.
void TakeFrom(const FieldSet& gone, Manager& manager);

}  // namespace dray::api::managed_fields
