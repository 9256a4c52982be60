// SPDX-License-Identifier: Apache-2.0
// Who owns what after a write that is no server-side apply: create, update, and the other patches.
#pragma once

#include <optional>
#include <string>

#include "api/managed_fields/field_set.h"
#include "api/managed_fields/managers.h"
#include "api/managed_fields/versions.h"
#include "api/object.h"
#include "api/value/time.h"

namespace dray::api::managed_fields {

/// A write, as far as owners go.
struct Write {
  std::string manager;      // not empty
  std::string subresource;  // through which it goes; empty: the object itself
  Versions versions;        // of them `kind` is the one that the client wrote
  /// What a write through this subresource does not change, whatever it says; null: nothing. No one
  /// owns it for having written it so.
  const FieldSet* reset = nullptr;
  std::optional<Time> now;  // that entries get; nothing: they have no time
};

/// The entries of `next`, which is to replace `old`, both in the form of the store; for a new
/// object `old` is one without a uid, with nothing in it. The entries in `next` are those that the
/// client sent.
///
///   1. The entries of the client count if they can be read and there are any, else those of `old`;
///      through a subresource always those of `old`. [] and [{}] forget all.
///   2. An object without owners stays without them, unless it is new.
///   3. Everybody else loses what has changed, in the version that they wrote; who has nothing left
///      goes, and so does who wrote a version that is gone.
///   4. The writer has what was added or changed. If there was anything, its time is now.
///   5. The oldest entries are merged (CapUpdates).
///
/// O(size of both objects and all entries), but for sorting.
Entries EntriesAfter(const Write& write, const Object& old, const Object& next);

/// Whether the entries differ, and in nothing but their times.
bool DifferInTimes(const Entries& a, const Entries& b);

// Parts of the above that server-side apply needs too.

/// What no manager's set contains: the identity of the object and what only the server writes.
const FieldSet& NeverOwned();

/// Where the schema has since made atomic what `manager` owned in parts, it owns the whole.
/// `version` is the one that it wrote.
void Reconcile(const KindInfo& version, Wire wire, Manager& manager);

/// Takes the paths of `gone` away from `manager`.
void TakeFrom(const FieldSet& gone, Manager& manager);

}  // namespace dray::api::managed_fields
