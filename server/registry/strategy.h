// SPDX-License-Identifier: Apache-2.0
// What the server decides about an object before it is validated: which parts a client may write
// through which door, generations, and the few things particular kinds add. Pure functions; kinds
// that differ from the rest have a row in the table of strategy.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/object.h"
#include "api/value/time.h"
#include "base/world.h"

namespace dray::server::registry {

/// Makes a client's new object the server's: forgets what only the server may say (uid, times,
/// status, …), fills in uid, creation time and generation, and what the kind starts with. The name
/// is not generated here. `object` is the caller's alone, as below.
void PrepareForCreate(api::Object& object,
                      WallTime now,
                      Random& random,
                      api::Release release = api::Release::kAny);

/// Makes `object`, a client's wish to replace `old`, complete: what clients cannot change comes
/// from `old`, as does the status; the generation grows when anything but metadata and status
/// changed.
void PrepareForUpdate(api::Object& object,
                      const api::Object& old,
                      WallTime now,
                      api::Release release = api::Release::kAny);

/// The same through the subresource "status": everything but the status comes from `old`, with the
/// metadata that some kinds allow to change.
void PrepareForStatusUpdate(api::Object& object, const api::Object& old);

/// The same through the subresource "finalize" of namespaces: only spec.finalizers may change.
void PrepareForFinalize(api::Object& object, const api::Object& old);

/// How many seconds an object of a kind with graceful deletion has after a DELETE that asks for
/// `asked` of them (nothing: its own wish). 0: it goes at once.
int64_t GraceSeconds(const api::Object& object, std::optional<int64_t> asked);

/// Whether something besides metadata.finalizers keeps an object from going: the finalizers in the
/// spec of a namespace.
bool HasKindFinalizers(const api::Object& object);

/// Changes what a kind's objects show from the first DELETE on: namespaces are Terminating.
void MarkDeleted(api::Object& object);

/// Copies the field `name` of the kind's struct from `from` to `to`; nothing if there is none.
void CopyField(std::string_view name, api::Object& to, const api::Object& from);

}  // namespace dray::server::registry
