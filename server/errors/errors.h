// SPDX-License-Identifier: Apache-2.0
// Errors for refused requests, with the texts, reasons and details of upstream's answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/meta_v1/object_meta.h"
#include "base/result.h"
#include "base/strong.h"

namespace dray::server::errors {

// About one object. `name` may be empty.

Error NotFound(const api::KindInfo& kind, std::string_view name);
/// The same where upstream reads the object from a cache: the kind in lower case instead of the
/// resource.
Error NotInCache(const api::KindInfo& kind, std::string_view name);
/// `<verb> is not supported on resources of kind "<resource>"`.
Error NotSupported(const api::KindInfo& kind, std::string_view verb);
/// `terminating`: the conflicting object is itself being deleted.
enum class InTheWay : uint8_t { kAlive, kTerminating };
Error AlreadyExists(const api::KindInfo& kind, std::string_view name, InTheWay in_the_way);
/// No generated name was free.
Error NoNameFree(const api::KindInfo& kind, std::string_view name);
/// `Operation cannot be fulfilled on <resource> "<name>": <why>`.
Error Conflict(const api::KindInfo& kind, std::string_view name, std::string_view why);
/// The same with another word for the resource in text and details ("pods/binding", "Pod").
Error ConflictOn(const api::KindInfo& kind,
                 std::string_view word,
                 std::string_view name,
                 std::string_view why);
/// The object changed between the reading and the writing of a client.
Error Modified(const api::KindInfo& kind, std::string_view name);
/// A uid given with a write is not the stored one.
Error UidMismatch(const api::KindInfo& kind,
                  std::string_view name,
                  std::string_view key,
                  std::string_view asked,
                  std::string_view stored);
/// `<resource> "<name>" is forbidden: <why>`; without the name where it is empty.
Error Forbidden(const api::KindInfo& kind, std::string_view name, std::string_view why);
/// The name of an object in refusals of admission: its name, else the prefix for its generated
/// name.
std::string_view NameInAdmission(const api::meta_v1::ObjectMeta& meta);
inline constexpr std::string_view kUnknownName = "Unknown";  // for an object that has neither
/// A namespace that is being deleted accepts no new objects.
Error NamespaceTerminating(const api::KindInfo& kind,
                           std::string_view name,
                           std::string_view namespace_);
/// `<Kind> "<name>" is invalid: …`, from at least one cause. Those past
/// api::validation::kCausesMax are left out, and the message ends with "…".
Error Invalid(const api::KindInfo& kind, std::string_view name, std::vector<ErrorCause> causes);
/// The same under another word for the kind ("ListOptions" of group "meta.k8s.io", or empty).
Error InvalidAs(std::string_view group,
                std::string_view word,
                std::string_view name,
                std::vector<ErrorCause> causes);

// About a request.

/// The client has used up its share of something, or all clients together have used up all of it.
/// The client may retry soon.
Error TooManyRequests();

Error BadRequest(std::string message);
/// An error that upstream answers without a reason (HTTP 500).
Error Untyped(std::string message);
/// An error that upstream answers with "details":{}.
Error WithoutSubject(StatusReason reason, std::string message);
Error Internal(std::string_view what);
/// For a pod whose eviction its disruption budget refuses; `why` names what the budget waits for.
Error DisruptionBudget(std::string why);
/// `<resource> "<name>" …`: `what` needs a node that runs something, and nodes are simulated.
Error Simulated(const api::KindInfo& kind, std::string_view name, std::string_view what);
Error TooLargeVersion(uint64_t asked, Revision current);
/// `too old resource version: <asked> (<floor>)`, for watches.
Error TooOldToWatch(Revision asked, Revision floor);
/// For lists at a version that is no longer available.
Error TooOldToList();
/// For a continued list; `token` continues it at the newest version.
Error TooOldToContinue(std::string token);
/// For a continued list; the arguments are identities of stores.
Error TokenOfAnotherStore(std::string_view theirs, std::string_view ours);

// Causes, in the texts of field errors.

ErrorCause RequiredValue(std::string field, std::string_view detail);
/// `shown` is the value as upstream prints it: JSON.
ErrorCause InvalidValue(std::string field, std::string_view shown, std::string_view detail);
ErrorCause ForbiddenValue(std::string field, std::string_view detail);
/// `text` in double quotes, as JSON; cut after api::validation::kShownMax bytes.
std::string Quoted(std::string_view text);

}  // namespace dray::server::errors
