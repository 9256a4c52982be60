// SPDX-License-Identifier: Apache-2.0
#include "server/errors/errors.h"

#include <cstddef>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/status.h"
#include "api/text/cut.h"
#include "api/text/go_quote.h"
#include "api/validation/cause_limits.h"
#include "base/text/ascii.h"

namespace dray::server::errors {
namespace {

using api::meta_v1::StatusDetails;

Error About(StatusReason reason,
            const api::KindInfo& kind,
            std::string_view word,
            std::string_view name,
            std::string message) {
  return {
      .reason = reason,
      .message = std::move(message),
      .details = api::AsDetails(StatusDetails{
          .name = std::string(name), .group = std::string(kind.group), .kind = std::string(word)})};
}

Error About(StatusReason reason,
            const api::KindInfo& kind,
            std::string_view name,
            std::string message) {
  return About(reason, kind, kind.plural, name, std::move(message));
}

// Upstream joins field errors so: identical lines once, brackets around several.
std::string Joined(const std::vector<ErrorCause>& causes, bool are_all) {
  std::vector<std::string> lines;
  std::unordered_set<std::string> seen;
  for (const ErrorCause& cause : causes) {
    const std::string_view field = cause.field.empty() ? "<nil>" : std::string_view(cause.field);
    std::string line = fmt::format("{}: {}", field, cause.message);
    if (seen.insert(line).second) lines.push_back(std::move(line));
  }
  if (!are_all) lines.emplace_back("…");
  if (lines.size() == 1) return lines.front();
  return fmt::format("[{}]", fmt::join(lines, ", "));
}

}  // namespace

Error NotSupported(const api::KindInfo& kind, std::string_view verb) {
  return About(
      StatusReason::kMethodNotAllowed,
      kind,
      "",
      fmt::format(
          "{} is not supported on resources of kind \"{}\"", verb, kind.qualified_resource()));
}

Error NotFound(const api::KindInfo& kind, std::string_view name) {
  return About(StatusReason::kNotFound,
               kind,
               name,
               fmt::format("{} {} not found", kind.qualified_resource(), api::GoQuote(name)));
}

Error NotInCache(const api::KindInfo& kind, std::string_view name) {
  const std::string word = LowerAscii(kind.kind);
  const std::string_view dot = kind.group.empty() ? "" : ".";
  return About(StatusReason::kNotFound,
               kind,
               word,
               name,
               fmt::format("{}{}{} {} not found", word, dot, kind.group, api::GoQuote(name)));
}

Error AlreadyExists(const api::KindInfo& kind, std::string_view name, InTheWay in_the_way) {
  const std::string_view prefix =
      in_the_way == InTheWay::kTerminating ? "object is being deleted: " : "";
  return About(StatusReason::kAlreadyExists,
               kind,
               name,
               fmt::format("{}{} \"{}\" already exists", prefix, kind.qualified_resource(), name));
}

Error NoNameFree(const api::KindInfo& kind, std::string_view name) {
  return {.reason = StatusReason::kAlreadyExists,
          .message = fmt::format("{} \"{}\" already exists, the server was not able to generate a "
                                 "unique name for the object",
                                 kind.qualified_resource(),
                                 name),
          .details = api::AsDetails(StatusDetails{.name = std::string(name),
                                                  .group = std::string(kind.group),
                                                  .kind = std::string(kind.plural),
                                                  .retry_after_seconds = 1})};
}

Error Conflict(const api::KindInfo& kind, std::string_view name, std::string_view why) {
  return About(
      StatusReason::kConflict,
      kind,
      name,
      fmt::format(
          "Operation cannot be fulfilled on {} \"{}\": {}", kind.qualified_resource(), name, why));
}

Error ConflictOn(const api::KindInfo& kind,
                 std::string_view word,
                 std::string_view name,
                 std::string_view why) {
  const std::string_view dot = kind.group.empty() ? "" : ".";
  return About(
      StatusReason::kConflict,
      kind,
      word,
      name,
      fmt::format(
          "Operation cannot be fulfilled on {}{}{} \"{}\": {}", word, dot, kind.group, name, why));
}

Error Modified(const api::KindInfo& kind, std::string_view name) {
  return Conflict(kind,
                  name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Error UidMismatch(const api::KindInfo& kind,
                  std::string_view name,
                  std::string_view key,
                  std::string_view asked,
                  std::string_view stored) {
  return Conflict(kind,
                  name,
                  fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, "
                              "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, "
                              "UID in object meta: {}",
                              key,
                              asked,
                              stored));
}

Error Forbidden(const api::KindInfo& kind, std::string_view name, std::string_view why) {
  const std::string what = name.empty() ? "" : fmt::format(" \"{}\"", name);
  return About(StatusReason::kForbidden,
               kind,
               name,
               fmt::format("{}{} is forbidden: {}", kind.qualified_resource(), what, why));
}

std::string_view NameInAdmission(const api::meta_v1::ObjectMeta& meta) {
  if (!meta.name.empty()) return meta.name;
  return meta.generate_name.empty() ? kUnknownName : std::string_view(meta.generate_name);
}

Error NamespaceTerminating(const api::KindInfo& kind,
                           std::string_view name,
                           std::string_view namespace_) {
  Error error =
      Forbidden(kind,
                name,
                fmt::format("unable to create new content in namespace {} because it is being "
                            "terminated",
                            namespace_));
  error.causes = {{.reason = "NamespaceTerminating",
                   .field = "metadata.namespace",
                   .message = fmt::format("namespace {} is being terminated", namespace_)}};
  return error;
}

Error Invalid(const api::KindInfo& kind, std::string_view name, std::vector<ErrorCause> causes) {
  return InvalidAs(kind.group, kind.kind, name, std::move(causes));
}

Error InvalidAs(std::string_view group,
                std::string_view word,
                std::string_view name,
                std::vector<ErrorCause> causes) {
  const bool are_all = causes.size() <= api::validation::kCausesMax;
  if (!are_all) causes.resize(api::validation::kCausesMax);
  std::string qualified(word);
  if (!group.empty()) qualified.append(".").append(group);
  std::string message =
      fmt::format("{} \"{}\" is invalid: {}", qualified, name, Joined(causes, are_all));
  return {.reason = StatusReason::kInvalid,
          .message = std::move(message),
          .causes = std::move(causes),
          .details = api::AsDetails(StatusDetails{
              .name = std::string(name), .group = std::string(group), .kind = std::string(word)})};
}

Error BadRequest(std::string message) {
  return {.reason = StatusReason::kBadRequest, .message = std::move(message)};
}

Error Untyped(std::string message) {
  return {.reason = StatusReason::kUnknown, .message = std::move(message)};
}

Error WithoutSubject(StatusReason reason, std::string message) {
  return {
      .reason = reason, .message = std::move(message), .details = api::AsDetails(StatusDetails{})};
}

Error Internal(std::string_view what) {
  return {.reason = StatusReason::kInternalError,
          .message = fmt::format("Internal error occurred: {}", what)};
}

Error TooManyRequests() {
  return {.reason = StatusReason::kTooManyRequests,
          .message = "Too many requests, please try again later.",
          .details = api::AsDetails(StatusDetails{.retry_after_seconds = 1})};
}

Error DisruptionBudget(std::string why) {
  return {.reason = StatusReason::kTooManyRequests,
          .message = "Cannot evict pod as it would violate the pod's disruption budget.",
          .causes = {{.reason = "DisruptionBudget", .field = "", .message = std::move(why)}},
          .details = api::AsDetails(StatusDetails{})};
}

Error Simulated(const api::KindInfo& kind, std::string_view name, std::string_view what) {
  return About(StatusReason::kMethodNotAllowed,
               kind,
               name,
               fmt::format("{} {}: no {}: nodes are simulated, and no container runs",
                           kind.qualified_resource(),
                           api::GoQuote(name),
                           what));
}

Error TooLargeVersion(uint64_t asked, Revision current) {
  return {.reason = StatusReason::kTimeout,
          .message = fmt::format(
              "Timeout: Too large resource version: {}, current: {}", asked, current.value()),
          .causes = {{.reason = "ResourceVersionTooLarge",
                      .field = "",
                      .message = "Too large resource version"}},
          .details = api::AsDetails(StatusDetails{.retry_after_seconds = 1})};
}

Error TooOldToWatch(Revision asked, Revision floor) {
  return {
      .reason = StatusReason::kExpired,
      .message = fmt::format("too old resource version: {} ({})", asked.value(), floor.value())};
}

Error TooOldToList() {
  return {.reason = StatusReason::kExpired,
          .message = "The resourceVersion for the provided list is too old."};
}

Error TooOldToContinue(std::string token) {
  return {
      .reason = StatusReason::kExpired,
      .message =
          "The provided continue parameter is too old to display a consistent list result. You "
          "can start a new list without the continue parameter, or use the continue token in "
          "this response to retrieve the remainder of the results. Continuing with the provided "
          "token results in an inconsistent list - objects that were created, modified, or "
          "deleted between the time the first chunk was returned and now may show up in the "
          "list.",
      .details = api::AsDetails(api::ContinueFrom{.token = std::move(token)})};
}

Error TokenOfAnotherStore(std::string_view theirs, std::string_view ours) {
  return {
      .reason = StatusReason::kExpired,
      .message = fmt::format("The provided continue parameter is of another store ({}, this one "
                             "is {}). Start a new list without the continue parameter.",
                             theirs,
                             ours)};
}

ErrorCause RequiredValue(std::string field, std::string_view detail) {
  return {.reason = "FieldValueRequired",
          .field = std::move(field),
          .message = detail.empty() ? "Required value" : fmt::format("Required value: {}", detail)};
}

ErrorCause InvalidValue(std::string field, std::string_view shown, std::string_view detail) {
  return {.reason = "FieldValueInvalid",
          .field = std::move(field),
          .message = fmt::format("Invalid value: {}: {}", shown, detail)};
}

ErrorCause ForbiddenValue(std::string field, std::string_view detail) {
  return {.reason = "FieldValueForbidden",
          .field = std::move(field),
          .message = fmt::format("Forbidden: {}", detail)};
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  api::QuoteJson(api::Cut(text, api::validation::kShownMax), quoted);
  return quoted;
}

}  // namespace dray::server::errors
