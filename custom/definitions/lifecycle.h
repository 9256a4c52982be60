// SPDX-License-Identifier: Apache-2.0
// The life of a definition: which status the controllers of definitions give it. Each function is
// one controller's step for one definition. It returns the definition with its new status, or
// nothing when the step changes nothing; the caller writes it with an update of the status, and
// drops it when that update conflicts.
//
//   created     AcceptNames    NamesAccepted True, Established False
//               Establish      Established True: the kind is served
//               JudgeApproval  of protected groups, before, between or after the two
//   DELETE      MarkDeleted    with the answer: the finalizer, Terminating
//               BeginDeletion  its objects are being deleted
//               EndDeletion    the last one is gone; without its finalizer the definition goes
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/apiextensions_v1.h"
#include "base/world.h"
#include "custom/definitions/requirements.h"
#include "custom/definitions/used_names.h"

namespace dray::custom::definitions {

using Definition = api::apiextensions_v1::CustomResourceDefinition;

/// Keeps a deleted definition until its objects are gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/// Accepts the names of the spec that no other definition of the group has, and reports the last
/// conflict found; names accepted before stay in force. `used` has the accepted names of every
/// definition of the group, this one too. Nothing happens while the accepted names are those of
/// the spec, whatever the conditions say.
std::optional<Definition> AcceptNames(const Definition& definition,
                                      const UsedNames& used,
                                      WallTime now);

/// Marks a definition with accepted names as served. One whose certificates are no good is not.
std::optional<Definition> Establish(const Definition& definition,
                                    WallTime now,
                                    const Environment& environment);

/// Says in a condition whether the annotation of a protected group approves of it. The controller
/// asks once for each value of the annotation.
std::optional<Definition> JudgeApproval(const Definition& definition, WallTime now);

/// Says in a condition that schemas are not structural; such ones may only have been stored by an
/// older server. The controller asks once for each generation.
std::optional<Definition> JudgeStructure(const Definition& definition, WallTime now);

/// The first of AcceptNames, Establish and JudgeApproval that changes something.
std::optional<Definition> NextStatus(const Definition& definition,
                                     const UsedNames& used,
                                     WallTime now,
                                     const Environment& environment);

/// Whether requests for its kind are answered: its names are accepted, or it is established.
bool IsServed(const Definition& definition);

/// What the first DELETE changes: the finalizer, and the condition Terminating as of the deletion's
/// time. Precondition: metadata.deletion_timestamp is set.
void MarkDeleted(Definition& definition);

/// Whether a deleted definition waits for its objects to be deleted.
bool NeedsCleanup(const Definition& definition);

/// Announces that objects are being deleted. Only of definitions that NeedsCleanup().
Definition BeginDeletion(const Definition& definition, WallTime now);

/// How the deletion of all objects of a kind ended.
enum class Cleanup : uint8_t {
  kCompleted,
  kNeverEstablished,  // there can be no objects
  kOverlapping,       // the objects are those of a kind of the server's own
  kNotListed,         // objects could not be listed
  kNotDeleted,        // the server refused to delete some
  kNotGone,           // some are still there after a minute
};

/// Whether the definition goes now.
bool IsOver(Cleanup outcome);

/// Notes the outcome; without the finalizer if IsOver(). `why` ends the message of a failure.
Definition EndDeletion(const Definition& definition,
                       Cleanup outcome,
                       std::string_view why,
                       WallTime now);

}  // namespace dray::custom::definitions
