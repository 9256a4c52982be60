// SPDX-License-Identifier: Apache-2.0
// The way of every write to the store, from what a client wants to what is stored: note the owners,
// prepare, validate, warn. Pure functions, asked by all verbs, by `dray validate` and by the
// measured cases; after Kubernetes' rest.BeforeCreate and rest.BeforeUpdate. Between Begin… and
// Before… the verbs ask the admission chain (verbs/admission/chain.h), which changes the object
// further.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/managed_fields/update.h"
#include "api/object.h"
#include "api/release.h"
#include "api/validation/options.h"
#include "base/result.h"
#include "base/world.h"
#include "server/registry/strategy.h"

namespace dray::server::registry {

/// Whose entries metadata.managedFields has after a write.
enum class Owners : uint8_t {
  kAsStored,  // those of the stored object: it is the server itself that writes
  kOfUpdate,  // the writer owns what it changes (api/managed_fields/update.h)
  kDecided,   // those in the object: server-side apply has made them
};

/// What is known about a write besides the objects.
struct WriteContext {
  WallTime now;
  std::string uid = {};  // of the new object
  Requester requester = {};
  Subresource subresource = Subresource::kNone;
  Owners owners = Owners::kAsStored;
  api::managed_fields::Write writer = {};  // for Owners::kOfUpdate
  /// The release and gates, the client's version of the kind, the namespace, the user.
  api::validation::Options options = {};
  /// Gets the warnings of an update that hold even if it is refused. Null: they are dropped.
  std::vector<std::string>* forgiven = nullptr;
};

/// Texts of Warning headers.
using Warnings = std::vector<std::string>;

/// The beginning of a create: `object` is in the form of the store, has its defaults and its
/// namespace, and is the caller's alone. Drops what only the server may say, and notes who owns
/// what of what the client sent.
void BeginCreate(api::Object& object, const WriteContext& context);

/// Makes `object`, which has begun and has its name, what is stored, and judges it.
///
///   1. What only the server may say: uid, times, generation; no status, of most kinds.
///   2. What objects of the kind begin with.
///   3. Fields of disabled features are dropped.
///   4. Metadata is validated, then the rest.
///   5. The kind's warnings.
///
/// Errors: kInvalid  with upstream's words and all causes; the object has passed steps 1 to 3.
Result<Warnings> BeforeCreate(const Strategy& strategy,
                              api::Object& object,
                              const WriteContext& context);

/// The beginning of an update, as of a create, for an object that is to replace `old`.
void BeginUpdate(api::Object& object, const api::Object& old, const WriteContext& context);

/// The same as BeforeCreate for an object that is to replace `old`. What clients cannot change, or
/// not through this subresource, comes from `old`; the generation grows when anything but metadata
/// and status changed. Warnings are for the object itself, not for subresources.
///
/// Errors: kInvalid  as above.
Result<Warnings> BeforeUpdate(const Strategy& strategy,
                              api::Object& object,
                              const api::Object& old,
                              const WriteContext& context);

/// What a write through `subresource` leaves as it is, so that nobody comes to own it that way.
const api::managed_fields::FieldSet& ResetFields(const Strategy& strategy,
                                                 Subresource subresource,
                                                 api::Release release);

/// Whether `next` is as `old`. Where only the times of owners differ it is, and takes those of
/// `old`: a write that changes nothing else is none.
bool ChangesNothing(api::Object& next, const api::Object& old);

/// What a client means by `wish`, an object in its own version that nobody else holds: with the
/// defaults of that version, in the form of the store.
api::Object ForStore(api::Object wish, api::Release release, WallTime now);

/// The same of `json`, a document of `kind` as `release` has it. Unknown and duplicate fields go to
/// `issues`.
/// Errors: kBadRequest  as api::DecodeJson.
Result<api::Object> DecodeForStore(const api::KindInfo& kind,
                                   std::string_view json,
                                   api::Release release,
                                   WallTime now,
                                   api::DecodeIssues* issues);

}  // namespace dray::server::registry
