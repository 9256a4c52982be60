// SPDX-License-Identifier: Apache-2.0
// The steps of every write, from the client's object to the stored one: set managedFields, prepare,
// validate, warn. Pure functions, used by all verbs, by `dray validate` and by the measured cases;
// after Kubernetes' rest.BeforeCreate and rest.BeforeUpdate. Between Begin… and Before… the verbs
// run the admission chain (verbs/admission/chain.h), which changes the object further.
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

/// The source of metadata.managedFields after a write.
enum class Owners : uint8_t {
  kAsStored,  // the stored object, because the server itself writes
  kOfUpdate,  // the writer owns what it changes (api/managed_fields/update.h)
  kDecided,   // the object: server-side apply has set them
};

/// The context of a write besides the objects.
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

/// Begins a create: `object` is in stored form, has its defaults and its namespace, and belongs to
/// the caller alone. Drops members that only the server may set, and sets managedFields for the
/// client's fields.
void BeginCreate(api::Object& object, const WriteContext& context);

/// Completes and validates `object`, which has begun and has its name.
///
///   1. Members that only the server may set: uid, times, generation; most kinds lose their status.
///   2. Initial values of the kind.
///   3. Fields of disabled features are dropped.
///   4. Metadata is validated, then the rest.
///   5. The kind's warnings.
///
/// Errors: kInvalid  in upstream's words, with all causes; the object has passed steps 1 to 3.
Result<Warnings> BeforeCreate(const Strategy& strategy,
                              api::Object& object,
                              const WriteContext& context);

/// Begins an update, as BeginCreate, for an object that is to replace `old`.
void BeginUpdate(api::Object& object, const api::Object& old, const WriteContext& context);

/// As BeforeCreate for an object that is to replace `old`. Members that clients cannot change, or
/// not through this subresource, come from `old`. The generation grows when anything but metadata
/// and status has changed. Only writes without a subresource have warnings.
///
/// Errors: kInvalid  as above.
Result<Warnings> BeforeUpdate(const Strategy& strategy,
                              api::Object& object,
                              const api::Object& old,
                              const WriteContext& context);

/// The fields that a write through `subresource` cannot change, so its manager does not own them.
const api::managed_fields::FieldSet& ResetFields(const Strategy& strategy,
                                                 Subresource subresource,
                                                 api::Release release);

/// Whether `next` equals `old`. If only times in managedFields differ, gives `next` those of `old`
/// and returns true, so that such a write changes nothing.
bool ChangesNothing(api::Object& next, const api::Object& old);

/// Converts `requested`, an object in the client's version that belongs to the caller alone, to
/// stored form, with the defaults of its version.
api::Object ForStore(api::Object requested, api::Release release, WallTime now);

/// The same for `json`, a document of `kind` in `release`. Unknown and duplicate fields go to
/// `issues`.
/// Errors: kBadRequest  as api::DecodeJson.
Result<api::Object> DecodeForStore(const api::KindInfo& kind,
                                   std::string_view json,
                                   api::Release release,
                                   WallTime now,
                                   api::DecodeIssues* issues);

}  // namespace dray::server::registry
