// SPDX-License-Identifier: Apache-2.0
// Where kinds differ from each other when their objects are written or deleted: one Strategy per
// kind, all in the table of strategies.cc. What is the same for all kinds is in write.h.
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

/// What the subresource "status" may change besides the status.
enum class StatusMetadata : uint8_t {
  kFromStore,        // nothing
  kOwnersFromStore,  // metadata, but not the owners
  kFree,             // metadata
};

/// Which part of an object a write is for.
enum class Subresource : uint8_t {
  kNone,  // the object itself
  kStatus,
  kFinalize,             // spec.finalizers, of namespaces
  kBinding,              // what binding changes about a pod
  kEphemeralContainers,  // spec.ephemeralContainers, of pods
  kResize,               // what the containers of a pod request
  kApproval,             // the conditions of a certificate signing request
};

/// What a DELETE without a policy does with the objects that name the deleted one as their owner.
enum class DependentsByDefault : uint8_t {
  kFollow,
  kOrphaned,   // of kinds older than garbage collection
  kUntouched,  // whatever the policy: the garbage collector does not look after such objects
};

/// Who makes an object.
struct Requester {
  std::string_view name, uid;
  std::span<const std::string> groups;
};

/// Objects are in the form of the store (api/conversion/conversion.h). Null functions do nothing;
/// all are called from any thread.
struct Strategy {
  /// What is wrong with `object`, which replaces `old` (null: it is new), in upstream's order.
  using Rules = std::vector<ErrorCause> (*)(const api::Object& object,
                                            const api::Object* old,
                                            const api::validation::Options& options);

  /// The struct its objects are stored in.
  const api::Type& (*type)() = nullptr;

  bool is_stored = true;  // else its objects are made up, and lists of them have no version

  // Prepare: what the server decides before it judges.
  bool status_on_create = false;     // a new object may bring its status
  api::Releases generation_in = {};  // the releases that track it, of kinds that do
  StatusMetadata status_metadata = StatusMetadata::kFromStore;
  DependentsByDefault dependents = DependentsByDefault::kFollow;
  void (*prepare_create)(api::Object& object) = nullptr;
  /// Notes in a new object who made it, whatever the client says.
  void (*note_requester)(api::Object& object, const Requester& requester) = nullptr;
  void (*prepare_update)(api::Object& object,
                         const api::Object& old,
                         WallTime now,
                         const api::Profile& profile) = nullptr;
  void (*prepare_status)(api::Object& object, const api::Object& old) = nullptr;
  /// Leaves nothing changed but what `part` is for; of kinds with such parts of their spec.
  void (*prepare_part)(api::Object& object, const api::Object& old, Subresource part) = nullptr;

  // Validate. Rules for metadata are common to all kinds.
  /// Names of finalizers need no domain: kinds that upstream checks outside of core.
  bool any_finalizers = false;
  /// What else is wrong with `name`, or a prefix of it, as that of a new object.
  api::NameErrors (*check_name)(const api::Object& object, std::string_view name) = nullptr;
  Rules validate_create = nullptr;
  Rules validate_update = nullptr;    // `object` has its status already
  Rules validate_status = nullptr;    // `object` has everything but the status from `old`
  Rules validate_finalize = nullptr;  // likewise everything but spec.finalizers

  /// As Rules. `forgiven` gets a text for a Warning header for each failure that an update is
  /// forgiven because the value is as it was; it is told of an update that is refused, too.
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
  /// How many seconds the object has after a DELETE that asks for `asked` of them (nothing: its own
  /// wish). 0: it goes at once.
  int64_t (*grace_seconds)(const api::Object& object, std::optional<int64_t> asked) = nullptr;
  /// Whether something besides metadata.finalizers keeps it from going.
  bool (*has_finalizers)(const api::Object& object) = nullptr;
  /// Changes what it shows from the first DELETE on.
  void (*mark_deleted)(api::Object& object) = nullptr;
  /// The text of a Warning header for a DELETE without a policy.
  std::string_view no_policy_warning = {};
};

/// The strategy of `kind`, in whatever version; one without functions for kinds like most.
const Strategy& StrategyOf(const api::KindInfo& kind);

}  // namespace dray::server::registry
