// SPDX-License-Identifier: Apache-2.0
#include "server/http/query_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/feature_gates.h"
#include "api/text/go_quote.h"
#include "api/value/time.h"
#include "base/text/ascii.h"
#include "base/try.h"
#include "server/errors/errors.h"

namespace dray::server::http {
namespace {

using verbs::Verb;

bool Truth(std::string_view value) {
  return value != "0" && !EqualsIgnoringCase(value, "false");
}

std::optional<bool> OptionalBool(const net::Query& query, std::string_view name) {
  const auto value = query.First(name);
  return value ? std::optional(Truth(*value)) : std::nullopt;
}

std::string Text(const net::Query& query, std::string_view name) {
  return std::string(query.First(name).value_or(std::string_view()));
}

// A number; errors are in the words of Go's strconv. A parameter without a value is not a number.
Result<std::optional<int64_t>> Integer(const net::Query& query, std::string_view name) {
  const auto text = query.First(name);
  if (!text) return std::nullopt;
  std::string_view digits = *text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const auto refuse = [&](std::string_view why) {
    return Fail(errors::BadRequest(
        fmt::format("strconv.ParseInt: parsing {}: {}", api::GoQuote(*text), why)));
  };
  uint64_t size = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, size);
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (error == std::errc::result_out_of_range) return refuse("value out of range");
  if (error != std::errc() || stop != end) return refuse("invalid syntax");
  if (size > kMax + (negative ? 1 : 0)) return refuse("value out of range");
  return static_cast<int64_t>(negative ? 0 - size : size);
}

Result<> ReadListOptions(const net::Query& query, verbs::ListOptions& options) {
  options.label_selector = Text(query, "labelSelector");
  options.field_selector = Text(query, "fieldSelector");
  options.resource_version = Text(query, "resourceVersion");
  options.resource_version_match = Text(query, "resourceVersionMatch");
  options.continue_token = Text(query, "continue");
  DRAY_TRY(const std::optional<int64_t> limit, Integer(query, "limit"));
  options.limit = limit.value_or(0);
  DRAY_TRY(options.timeout_seconds, Integer(query, "timeoutSeconds"));
  options.allow_watch_bookmarks = BoolParameter(query, "allowWatchBookmarks");
  options.send_initial_events = OptionalBool(query, "sendInitialEvents");
  return {};
}

// The code point of `text` at `at`; moves `at` past it. A byte that begins no code point is
// returned itself.
char32_t NextRune(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at++);
  if (lead < 0xC0) return lead;
  const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t rune = lead & (0x3FU >> more);
  for (size_t i = 0; i < more && at < text.size() && (byte(at) & 0xC0U) == 0x80U; ++i) {
    rune = (rune << 6U) | (byte(at++) & 0x3FU);
  }
  return rune;
}

bool Printable(char32_t rune) {
  return rune >= 0x20 && rune != 0x7F && !(rune >= 0x80 && rune < 0xA0);
}

// Up to 1.31 errors about lengths had other words, and up to 1.32 values were shown as Go source.
constexpr api::Releases kOldLengths = {.first = 0, .last = 31};
constexpr api::Releases kGoValues = {.first = 0, .last = 32};

void CheckFieldManager(std::string_view manager,
                       api::Release release,
                       std::vector<ErrorCause>& causes) {
  if (manager.size() > kFieldManagerMax) {
    const std::string_view words =
        kOldLengths.Rules(release) ? "must have at most" : "may not be more than";
    causes.push_back({.reason = "FieldValueTooLong",
                      .field = "fieldManager",
                      .message = fmt::format("Too long: {} {} bytes", words, kFieldManagerMax)});
  }
  size_t position = 0;
  for (size_t at = 0; at < manager.size(); ++position) {
    const char32_t rune = NextRune(manager, at);
    if (Printable(rune)) continue;
    causes.push_back(errors::InvalidValue(
        "fieldManager",
        errors::Quoted(manager),
        fmt::format(
            "invalid character U+{:04X} (at position {})", static_cast<uint32_t>(rune), position)));
  }
}

void CheckDryRun(const std::vector<std::string_view>& values,
                 api::Release release,
                 std::vector<ErrorCause>& causes) {
  if (std::ranges::all_of(values, [](std::string_view value) { return value == "All"; })) return;
  const bool as_go = kGoValues.Rules(release);
  std::string shown = as_go ? "[]string{" : "[";
  for (const std::string_view& value : values) {
    if (&value != &values.front()) shown += as_go ? ", " : ",";
    shown += errors::Quoted(value);
  }
  shown += as_go ? '}' : ']';
  causes.push_back(
      {.reason = "FieldValueNotSupported",
       .field = "dryRun",
       .message = fmt::format("Unsupported value: {}: supported values: \"All\"", shown)});
}

std::optional<verbs::FieldValidation> Validation(std::string_view word) {
  if (word.empty() || word == "Warn") return verbs::FieldValidation::kWarn;
  if (word == "Ignore") return verbs::FieldValidation::kIgnore;
  if (word == "Strict") return verbs::FieldValidation::kStrict;
  return std::nullopt;
}

// The field manager in a User-Agent: "kubectl" for "kubectl/v1.36 (linux/amd64)".
std::string ManagerFrom(std::string_view user_agent) {
  const std::string_view head = user_agent.substr(0, user_agent.find('/'));
  std::string manager;
  for (size_t at = 0; at < head.size();) {
    const size_t begin = at;
    const char32_t rune = NextRune(head, at);
    if (manager.size() + (at - begin) > kFieldManagerMax) break;
    if (Printable(rune)) manager += head.substr(begin, at - begin);
  }
  return manager.empty() ? "unknown" : manager;
}

std::string_view OptionsName(Verb verb) {
  if (verb == Verb::kCreate) return "CreateOptions";
  return verb == Verb::kUpdate ? "UpdateOptions" : "PatchOptions";
}

Result<> ReadWriteOptions(const net::Query& query,
                          std::string_view user_agent,
                          verbs::ResourceRequest& request) {
  verbs::WriteOptions& options = request.write;
  options.field_manager = Text(query, "fieldManager");
  options.force = OptionalBool(query, "force");
  const std::vector<std::string_view> dry_run = query.All("dryRun");
  options.dry_run = !dry_run.empty();
  std::vector<ErrorCause> causes;
  if (request.verb == Verb::kPatch) {
    const bool apply = request.patch_type == patch::PatchType::kApply;
    if (apply && options.field_manager.empty()) {
      causes.push_back(errors::RequiredValue("fieldManager", "is required for apply patch"));
    }
    if (!apply && options.force) {
      causes.push_back(errors::ForbiddenValue("force", "may not be specified for non-apply patch"));
    }
  }
  CheckFieldManager(options.field_manager, request.release, causes);
  CheckDryRun(dry_run, request.release, causes);
  const std::string validation = Text(query, "fieldValidation");
  if (const auto known = Validation(validation); known) {
    options.field_validation = *known;
  } else {
    causes.push_back({.reason = "FieldValueNotSupported",
                      .field = "fieldValidation",
                      .message = fmt::format("Unsupported value: {}: supported values: \"\", "
                                             "\"Ignore\", \"Strict\", \"Warn\"",
                                             errors::Quoted(validation))});
  }
  if (!causes.empty()) {
    return Fail(errors::InvalidAs("meta.k8s.io", OptionsName(request.verb), "", std::move(causes)));
  }
  options.said_manager = options.field_manager;
  options.said_validation = validation;
  if (options.field_manager.empty()) options.field_manager = ManagerFrom(user_agent);
  return {};
}

bool IsDeleteOptionsVersion(const api::Scheme& scheme, std::string_view version) {
  if (version.empty() || version == "v1" || version == "meta.k8s.io/v1") return true;
  return std::ranges::any_of(
      scheme.kinds(), [&](const api::KindInfo* kind) { return kind->api_version == version; });
}

// Every group version has a kind DeleteOptions; all of them are equal.
Result<> CheckDeleteOptionsMeta(const api::Scheme& scheme, const api::TypeMeta& meta) {
  const bool right_kind = meta.kind.empty() || meta.kind == "DeleteOptions";
  if (right_kind && IsDeleteOptionsVersion(scheme, meta.api_version)) return {};
  return Fail(errors::BadRequest(
      fmt::format("no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
                  api::GoQuote(meta.kind.empty() ? "DeleteOptions" : meta.kind),
                  api::GoQuote(meta.api_version))));
}

}  // namespace

bool BoolParameter(const net::Query& query, std::string_view name) {
  return OptionalBool(query, name).value_or(false);
}

Result<std::optional<std::chrono::nanoseconds>> ReadTimeout(const net::Query& query) {
  const std::string_view text = query.First("timeout").value_or(std::string_view());
  if (text.empty()) return std::nullopt;
  const Result<api::Duration> timeout = api::Duration::Parse(text);
  if (timeout.has_value()) return std::chrono::nanoseconds(timeout->nanos());
  return Fail(errors::BadRequest("invalid timeout specified in the request URL - " +
                                 timeout.error().message));
}

Result<> ReadQueryOptions(const net::Query& query,
                          std::string_view user_agent,
                          verbs::ResourceRequest& request) {
  switch (request.verb) {
    case Verb::kGet:
      if (!Text(query, "export").empty()) {
        return Fail(errors::BadRequest(
            "the export parameter, deprecated since v1.14, is no longer supported"));
      }
      return ReadListOptions(query, request.list);
    case Verb::kList:
    case Verb::kWatch:
    case Verb::kDeleteCollection: return ReadListOptions(query, request.list);
    case Verb::kCreate:
    case Verb::kUpdate:
    case Verb::kPatch: return ReadWriteOptions(query, user_agent, request);
    case Verb::kDelete: return {};
  }
  return {};
}

Result<api::meta_v1::DeleteOptions> ReadDeleteOptions(const api::Scheme& scheme,
                                                      const net::Query& query,
                                                      std::string_view body) {
  api::meta_v1::DeleteOptions options;
  if (!body.empty()) {
    const auto meta = api::ReadTypeMeta(body);
    if (!meta) {
      return Fail(errors::BadRequest("couldn't get version/kind; json parse error: " +
                                     meta.error().message));
    }
    DRAY_TRY_VOID(CheckDeleteOptionsMeta(scheme, *meta));
    api::DecodeIssues issues;
    DRAY_TRY_VOID(
        api::DecodeJson(api::TypeOf<api::meta_v1::DeleteOptions>(), body, &options, &issues));
    return options;
  }
  DRAY_TRY(options.grace_period_seconds, Integer(query, "gracePeriodSeconds"));
  options.orphan_dependents = OptionalBool(query, "orphanDependents");
  if (const auto policy = query.First("propagationPolicy"); policy) {
    options.propagation_policy = std::string(*policy);
  }
  for (const std::string_view value : query.All("dryRun")) options.dry_run.emplace_back(value);
  options.ignore_store_read_error_with_cluster_breaking_potential =
      OptionalBool(query, "ignoreStoreReadErrorWithClusterBreakingPotential");
  return options;
}

Result<api::meta_v1::DeleteOptions> DeleteOptionsOfProtobuf(const api::Scheme& scheme,
                                                            std::string_view body) {
  DRAY_TRY(const api::ProtobufEnvelope envelope, api::ReadProtobufEnvelope(body));
  DRAY_TRY_VOID(CheckDeleteOptionsMeta(scheme, envelope.meta));
  api::meta_v1::DeleteOptions options;
  DRAY_TRY_VOID(
      api::DecodeProtobuf(api::TypeOf<api::meta_v1::DeleteOptions>(), envelope.raw, &options));
  return options;
}

Error UnreadableOptions(const Error& error, api::Release release) {
  return api::Profile::Of(release).Since(35) ? error : errors::Untyped(error.message);
}

}  // namespace dray::server::http
