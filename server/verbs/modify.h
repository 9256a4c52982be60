// SPDX-License-Identifier: Apache-2.0
// Read, change, write back: what update, patch, their subresources and binding have in common.
//
// The change is computed from a snapshot and committed on the condition that the object is still as
// it was read. If it is not, it is read and computed again: a client that named a version is
// refused by that second look, one that did not never learns of the race.
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
#include "server/verbs/call.h"

namespace dray::server::verbs {

/// The subresource the call names. Errors: kNotFound  objects of the kind do not have it.
Result<registry::Subresource> SubresourceOf(const Call& call);

/// How a uid that is not the stored one is refused: a whole object names the object it means, a
/// patch tries to change one.
enum class WrongUid : uint8_t { kConflict, kInvalid };

/// An object that is there: as it is stored, and as the client of the call sees it.
struct Current {
  storage::Item stored;
  storage::Item seen;
};

struct Modification {
  /// Makes the wished-for object from the current one (never touched); called again after a race.
  std::function<Result<api::Object>(const Current& current)> change;
  WrongUid wrong_uid = WrongUid::kConflict;
  /// Whether the wished-for object says itself who owns what: it was applied.
  bool decides_owners = false;
  /// Whether it wins over whatever is there where it names no version, whatever the kind.
  bool is_unconditional = false;
  /// What a subresource with objects of its own makes of one that is stored, which is what policies
  /// see; null: they see what is stored.
  std::function<api::Object(const api::Object& stored)> seen_through = nullptr;
  /// Puts such an object, which a webhook has changed, back into one that is to be stored; null:
  /// webhooks cannot change it.
  Result<api::Object> (*put_back)(const api::Object& stored, const api::Object& part) = nullptr;
};

/// Whether what a client's object says about its own place is what the URL says.
/// Errors: kBadRequest  with upstream's words.
Result<> CheckIdentity(const Call& call, const api::meta_v1::ObjectMeta& meta);

/// Times a write is computed before the server gives up on a very busy object.
inline constexpr int kModifyTriesMax = 100;

/// `live`, in the form of the store, with the configuration `config` applied to it and the owners
/// that this makes; by force if the call says so. Tells of keys that the configuration has twice.
/// Errors: those of api::managed_fields::Apply; kBadRequest  such keys, where the call forbids
/// them.
Result<api::Object> AppliedTo(const Call& call,
                              const api::managed_fields::Write& write,
                              const api::Object& live,
                              const api::JsonTree& config);

/// Applies `modification`, which outlives the task, to the object the call names. Writes nothing
/// when nothing changes; removes the object when it was only waiting for its last finalizer.
///
/// Errors: kNotFound, kConflict, kInvalid, kBadRequest with upstream's words, and those of the
/// change.
Task<ObjectAnswer> Modify(Call call,
                          registry::Subresource subresource,
                          const Modification* modification);

}  // namespace dray::server::verbs
