// SPDX-License-Identifier: Apache-2.0
// The differences between kinds when their objects are written or deleted: one Strategy per kind,
// all in the table of strategies.cc. write.h has the common part.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "api/release.h"
#include "api/text/names.h"
#include "api/validation/options.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::server::registry {

/// The metadata that a write to the subresource "status" may change.
enum class StatusMetadata : uint8_t {
  kFromStore,        // nothing
  kOwnersFromStore,  // all but ownerReferences
  kLabelsFromStore,  // all but labels
  kFree,             // all
};

/// The part of an object that a write changes.
enum class Subresource : uint8_t {
  kNone,  // the object itself
  kStatus,
  kFinalize,             // spec.finalizers, of namespaces
  kBinding,              // the members that a binding sets in a pod
  kEphemeralContainers,  // spec.ephemeralContainers, of pods
  kResize,               // the resources of a pod's containers
  kApproval,             // the conditions of a certificate signing request
};

/// The treatment of dependents (objects that name the deleted one as owner) by a DELETE without a
/// propagation policy.
enum class DependentsByDefault : uint8_t {
  kFollow,
  kOrphaned,   // for kinds older than garbage collection
  kUntouched,  // for any policy: the garbage collector ignores dependents of these kinds
};

/// The user that creates an object.
struct Requester {
  std::string_view name, uid;
  std::span<const std::string> groups;
};

/// Objects are in stored form (api/conversion/conversion.h). Null functions do nothing; all are
/// called from any thread.
struct Strategy {
  /// Returns the errors of `object`, which replaces `old` (null: it is new), in upstream's order.
  using Rules = std::vector<ErrorCause> (*)(const api::Object& object,
                                            const api::Object* old,
                                            const api::validation::Options& options);

  /// The struct of the stored objects.
  const api::Type& (*type)() = nullptr;

  bool is_stored = true;  // else the server makes the objects up, and lists of them have no version

  // Prepare: changes by the server before validation.
  bool status_on_create = false;     // a create may set the status
  api::Releases generation_in = {};  // the releases that track metadata.generation
  StatusMetadata status_metadata = StatusMetadata::kFromStore;
  DependentsByDefault dependents = DependentsByDefault::kFollow;
  void (*prepare_create)(api::Object& object) = nullptr;
  /// Sets the requester in a new object, in place of the client's values.
  void (*note_requester)(api::Object& object, const Requester& requester) = nullptr;
  void (*prepare_update)(api::Object& object,
                         const api::Object& old,
                         WallTime now,
                         const api::Profile& profile) = nullptr;
  void (*prepare_status)(api::Object& object,
                         const api::Object& old,
                         const api::Profile& profile) = nullptr;
  /// Undoes all changes outside `part`; for kinds with such parts of their spec.
  void (*prepare_part)(api::Object& object, const api::Object& old, Subresource part) = nullptr;

  // Validate. Rules for metadata are common to all kinds.
  /// Names of finalizers need no domain, in kinds that upstream validates outside of core.
  bool any_finalizers = false;
  /// Returns further errors of `name`, or a prefix of it, as that of a new object.
  api::NameErrors (*check_name)(const api::Object& object, std::string_view name) = nullptr;
  Rules validate_create = nullptr;
  Rules validate_update = nullptr;    // `object` already has its status
  Rules validate_status = nullptr;    // `object` has all but the status from `old`
  Rules validate_finalize = nullptr;  // `object` has all but spec.finalizers from `old`

  /// As Rules. `forgiven` gets a text for a Warning header for each failure that an update is
  /// forgiven because the value is as it was; an update that is refused has these texts, too.
  using ForgivingRules = std::vector<ErrorCause> (*)(const api::Object& object,
                                                     const api::Object& old,
                                                     const api::validation::Options& options,
                                                     std::vector<std::string>& forgiven);
  /// In place of validate_update and validate_status, of kinds that have them.
  ForgivingRules forgiving_update = nullptr;
  ForgivingRules forgiving_status = nullptr;

  /// Texts for Warning headers, about an object that was found valid.
  std::vector<std::string> (*warnings)(const api::Object& object,
                                       const api::Object* old,
                                       const api::Profile& profile) = nullptr;

  // Delete.
  /// Returns the seconds of grace after a DELETE that asks for `asked` of them (nothing: the
  /// object's own setting). 0: the object is removed at once.
  int64_t (*grace_seconds)(const api::Object& object, std::optional<int64_t> asked) = nullptr;
  /// Whether something besides metadata.finalizers keeps the object from being removed.
  bool (*has_finalizers)(const api::Object& object) = nullptr;
  /// Changes the object when it is marked for deletion.
  void (*mark_deleted)(api::Object& object) = nullptr;
  /// The text of a Warning header for a DELETE without a policy.
  std::string_view no_policy_warning = {};
};

/// The strategy of `kind`, for any version; one without functions for most kinds.
const Strategy& StrategyOf(const api::KindInfo& kind);

}  // namespace dray::server::registry
