// SPDX-License-Identifier: Apache-2.0
// Read, change, write back: the common part of update, patch, their subresources and binding.
//
// The verb computes the change from a snapshot and commits it on the condition that the object is
// still as it was read. If the object has changed, the verb reads and computes again. A client that
// named a resourceVersion gets a conflict from the second round; other clients do not notice the
// race.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/codec/json_tree.h"
#include "api/managed_fields/update.h"
#include "api/meta_v1/object_meta.h"
#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "server/registry/write.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::inline write {

/// The subresource that the call names. Errors: kNotFound  objects of the kind do not have it.
Result<registry::Subresource> SubresourceOf(const Call& call);

/// The error for a uid that is not the stored one: a whole object with another uid means another
/// object (conflict), a patch tries to change the uid (invalid).
enum class WrongUid : uint8_t { kConflict, kInvalid };

/// An existing object: as it is stored, and as the client of the call sees it.
struct Current {
  storage::Item stored;
  storage::Item seen;
};

struct Modification {
  /// Makes the requested object from the current one (never changed); called again after a race.
  std::function<Result<api::Object>(const Current& current)> change;
  WrongUid wrong_uid = WrongUid::kConflict;
  /// Whether the requested object already has its managedFields: it comes from an apply.
  bool decides_owners = false;
  /// Whether a write without resourceVersion replaces any stored version, whatever its kind says.
  bool is_unconditional = false;
  /// Converts a stored object into the object of the subresource (such as Scale), which policies
  /// evaluate then; null: policies evaluate the stored object.
  std::function<api::Object(const api::Object& stored)> seen_through = nullptr;
  /// Copies the object of the subresource, after a webhook changed it, back into the object to be
  /// stored; null: webhooks cannot change it.
  Result<api::Object> (*put_back)(const api::Object& stored, const api::Object& part) = nullptr;
};

/// Checks that name and namespace of the client's object match those of the URL.
/// Errors: kBadRequest  in upstream's words.
Result<> CheckIdentity(const Call& call, const api::meta_v1::ObjectMeta& meta);

/// Rounds of read and commit before the server gives up on an object that others keep changing.
inline constexpr int kModifyTriesMax = 100;

/// `live`, in the form of the store, with the configuration `config` applied to it and the owners
/// that this makes; by force if the call says so. Tells of keys that the configuration has twice.
/// Errors: those of api::managed_fields::Apply; kBadRequest  such keys, where the call forbids
/// them.
Result<api::Object> AppliedTo(const Call& call,
                              const api::managed_fields::Write& write,
                              const api::Object& live,
                              const api::JsonTree& config);

/// Applies `modification`, which outlives the task, to the object that the call names. Writes
/// nothing when nothing changes; deletes the object when the change removes the last finalizer of
/// an object that is being deleted.
///
/// Errors: kNotFound, kConflict, kInvalid, kBadRequest in upstream's words, and those of
/// Modification::change.
Task<ObjectAnswer> Modify(Call call,
                          registry::Subresource subresource,
                          const Modification* modification);

}  // namespace dray::server::verbs::inline write
