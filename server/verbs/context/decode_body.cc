// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/decode_body.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_said.h"
#include "api/codec/protobuf.h"
#include "api/custom_kind.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/storage/decoded_size.h"

namespace dray::server::verbs::inline context {
namespace {

// Smaller bodies are not counted: their decoded objects are small.
constexpr size_t kUncountedBodyBytes = size_t{16} << 10;

// Upstream shows the beginning of what it cannot read: text if it looks like JSON, else
// hexadecimal.
std::string Summary(std::string_view data) {
  constexpr size_t kShownMax = 30;
  if (data.empty()) return "<empty>";
  const std::string_view dots = data.size() > kShownMax ? " ..." : "";
  const std::string_view head = data.substr(0, kShownMax);
  if (head.front() == '{') return fmt::format("{}{}", head, dots);
  std::string hex;
  for (const char c : head) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex.append(dots);
}

struct GroupVersion {
  std::string_view group, version;
};

GroupVersion Split(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

Error CannotBe(const api::TypeMeta& said, const api::KindInfo& kind, std::string_view why) {
  return errors::BadRequest(fmt::format("{} in version {} cannot be handled as a {}: {}",
                                        said.kind,
                                        api::GoQuote(Split(said.api_version).version),
                                        kind.kind,
                                        why));
}

Error WrongVersion(const api::TypeMeta& said, const api::KindInfo& kind) {
  return errors::BadRequest(
      fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                  said.api_version,
                  kind.api_version));
}

// The error for a body whose kind or version is not `kind`.
Error WrongKind(const api::Scheme& scheme, const api::TypeMeta& said, const api::KindInfo& kind) {
  const api::KindInfo* other = scheme.FindKind(said.api_version, said.kind);
  if (other == nullptr) {
    return CannotBe(said,
                    kind,
                    fmt::format("no kind {} is registered for version {} in scheme "
                                "\"pkg/runtime/scheme.go:110\"",
                                api::GoQuote(said.kind),
                                api::GoQuote(said.api_version)));
  }
  if (other->kind != kind.kind || other->group != kind.group) {
    return CannotBe(said,
                    kind,
                    fmt::format("converting ({}.{}) to ({}.{}): unknown conversion",
                                other->version,
                                other->kind,
                                kind.version,
                                kind.kind));
  }
  return WrongVersion(said, kind);
}

Failure Unrecognized(const api::KindInfo& kind, std::string_view why, std::string_view body) {
  return Fail(errors::BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): {} ({})",
                  kind.kind,
                  why,
                  Summary(body))));
}

// The kind and version of a body that says `said`; an empty one is taken from `kind`.
Result<api::TypeMeta> CheckKind(const Call& call, const api::KindInfo& kind, api::TypeMeta said) {
  if (said.kind.empty()) said.kind = kind.kind;
  if (said.api_version.empty()) said.api_version = std::string(kind.api_version);
  if (said.kind != kind.kind || said.api_version != kind.api_version) {
    return Fail(WrongKind(*call.core->scheme.Now(), said, kind));
  }
  return said;
}

// Whether CheckKind() accepts `said`.
bool IsOf(const api::KindInfo& kind, const api::TypeMeta& said) {
  return (said.kind.empty() || said.kind == kind.kind) &&
         (said.api_version.empty() || said.api_version == kind.api_version);
}

// Adds the issues to the warnings, or returns an error, as the call's field validation says.
Result<> ReportIssues(const Call& call,
                      const api::TypeMeta& said,
                      const api::KindInfo& kind,
                      const api::DecodeIssues& issues) {
  const FieldValidation validation = call.request->write.field_validation;
  if (validation == FieldValidation::kStrict && !issues.empty()) {
    return Fail(CannotBe(said, kind, StrictError(issues)));
  }
  if (validation == FieldValidation::kWarn) {
    call.warnings->insert(call.warnings->end(), issues.begin(), issues.end());
  }
  return {};
}

// A body in another version of the kind is refused later. It is decoded as that version first,
// because upstream returns errors of the decoding before the refusal.
Result<> ReadAsSaid(const Call& call,
                    const api::KindInfo& kind,
                    const api::TypeMeta& said,
                    std::string_view text) {
  const api::KindInfo* other = call.core->scheme.Now()->FindKind(said.api_version, said.kind);
  const bool is_same_kind =
      other != nullptr && other != &kind && other->kind == kind.kind && other->group == kind.group;
  if (!is_same_kind) return {};
  api::DecodeIssues issues;
  const Result<api::Object> object =
      api::DecodeJson(*other, text, &issues, {.release = call.request->release});
  if (!object.has_value()) return Fail(CannotBe(said, kind, object.error().message));
  return ReportIssues(call, said, kind, issues);
}

// Whether a body that says `said` is of the group and kind of `kind`, in whatever version.
bool IsSameKind(const api::KindInfo& kind, const api::TypeMeta& said) {
  return said.kind == kind.kind && Split(said.api_version).group == kind.group;
}

// A body of a custom kind says what it is, in words of its own server upstream.
Result<api::Object> DecodeCustomText(const Call& call,
                                     const api::KindInfo& kind,
                                     std::string_view text) {
  api::DecodeIssues issues;
  api::TypeMeta said;
  Result<api::Object> object =
      api::DecodeJson(kind, text, &issues, {.release = call.request->release}, said);
  if (!object.has_value()) {
    Result<api::TypeMeta> read = api::ReadTypeMeta(text);
    if (!read.has_value()) {
      const std::string_view why =
          text.empty() ? "unexpected end of JSON input" : std::string_view(read.error().message);
      return Unrecognized(
          kind, fmt::format("couldn't get version/kind; json parse error: {}", why), text);
    }
    said = *std::move(read);
  }
  const std::string_view missing = said.kind.empty()          ? "Kind"
                                   : said.api_version.empty() ? "apiVersion"
                                                              : "";
  if (!missing.empty()) {
    return Unrecognized(kind, fmt::format("Object '{}' is missing in '{}'", missing, text), text);
  }
  if (!object.has_value()) return Fail(CannotBe(said, kind, object.error().message));
  DRAY_TRY(issues, IssuesAsSaid(kind, said, text, call.request->release, std::move(issues)));
  DRAY_TRY_VOID(ReportIssues(call, said, kind, issues));
  if (said.api_version != kind.api_version) return Fail(WrongVersion(said, kind));
  if (std::optional<Error> wrong = WrongCustomKind(kind, said, object->metadata().name)) {
    return Fail(*std::move(wrong));
  }
  return object;
}

Result<api::Object> DecodeText(const Call& call, const api::KindInfo& kind, std::string_view text) {
  if (api::IsCustom(kind)) return DecodeCustomText(call, kind, text);
  if (text == "null") text = "{}";  // an empty object
  api::DecodeIssues issues;
  // Nearly every body is decoded in one pass. For the others, the steps below find the error that
  // upstream returns first.
  api::TypeMeta said;
  Result<api::Object> object =
      api::DecodeJson(kind, text, &issues, {.release = call.request->release}, said);
  if (object.has_value() && IsOf(kind, said)) {
    if (issues.empty()) return object;
    DRAY_TRY(said, CheckKind(call, kind, std::move(said)));
    DRAY_TRY_VOID(ReportIssues(call, said, kind, issues));
    return object;
  }
  Result<api::TypeMeta> read = api::ReadTypeMeta(text);
  if (!read.has_value()) {
    const std::string_view why =
        text.empty() ? "unexpected end of JSON input" : std::string_view(read.error().message);
    return Unrecognized(
        kind, fmt::format("couldn't get version/kind; json parse error: {}", why), text);
  }
  DRAY_TRY_VOID(ReadAsSaid(call, kind, *read, text));
  DRAY_TRY(said, CheckKind(call, kind, *std::move(read)));
  if (!object.has_value()) return Fail(CannotBe(said, kind, object.error().message));
  DRAY_TRY_VOID(ReportIssues(call, said, kind, issues));
  return object;
}

// The content type in the envelope is ignored: upstream decodes protobuf whatever the type is.
Result<api::Object> DecodeMessage(const Call& call,
                                  const api::KindInfo& kind,
                                  std::string_view bytes) {
  Result<api::ProtobufEnvelope> envelope = api::ReadProtobufEnvelope(bytes);
  if (!envelope.has_value()) {
    const bool cut = api::IsCutOffEnvelope(bytes);
    return Unrecognized(
        kind, cut ? std::string_view("unexpected EOF") : envelope.error().message, bytes);
  }
  DRAY_TRY(const api::TypeMeta said, CheckKind(call, kind, std::move(envelope->meta)));
  Result<api::Object> object =
      api::DecodeProtobuf(kind, envelope->raw, {.release = call.request->release});
  if (!object.has_value()) return Fail(CannotBe(said, kind, object.error().message));
  return object;
}

// Counts a decoded object that may be large against the budget until the request ends.
Result<api::Object> Counted(const Call& call, size_t body_bytes, Result<api::Object> decoded) {
  const bool is_small = body_bytes <= kUncountedBodyBytes || call.decoded == nullptr;
  if (is_small || !decoded.has_value()) return decoded;
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  const size_t more = storage::DecodedBytes(*decoded, kAll);
  // An object that was decoded again replaces the earlier one.
  if (!call.decoded->Resize(std::max(call.decoded->amount(), more))) {
    return Fail(errors::TooManyRequests());
  }
  return decoded;
}

}  // namespace

std::string_view AppliedWord(api::Release release) {
  constexpr api::Releases kYaml = {.first = 0, .last = 36};
  return kYaml.Rules(release) ? "YAML" : "patch";
}

std::optional<Error> WrongCustomKind(const api::KindInfo& kind,
                                     const api::TypeMeta& said,
                                     std::string_view name) {
  const bool is_other_version = said.api_version != kind.api_version;
  if (!is_other_version && said.kind == kind.kind) return std::nullopt;
  const std::string_view group = Split(said.api_version).group;
  return errors::InvalidAs(
      group,
      said.kind,
      name,
      {is_other_version
           ? errors::InvalidValue("apiVersion",
                                  errors::Quoted(said.api_version),
                                  fmt::format("must be {}", kind.api_version))
           : errors::InvalidValue(
                 "kind", errors::Quoted(said.kind), fmt::format("must be {}", kind.kind))});
}

Result<api::DecodeIssues> IssuesAsSaid(const api::KindInfo& kind,
                                       const api::TypeMeta& said,
                                       std::string_view text,
                                       api::Release release,
                                       api::DecodeIssues issues) {
  if (said.kind == kind.kind && said.api_version == kind.api_version) return issues;
  const bool is_same_kind = IsSameKind(kind, said);
  const api::CustomKind* version =
      is_same_kind ? api::CustomVersionOf(*api::CustomOf(kind), said.api_version) : nullptr;
  // Without a version nothing is pruned.
  const api::KindInfo& read_as = version == nullptr ? kind : *version;
  issues.clear();
  DRAY_TRY(
      const api::Object object,
      api::DecodeJson(read_as, text, &issues, {.release = release, .stored = version == nullptr}));
  if (version != nullptr || !is_same_kind) return issues;
  // A version that the definition does not have knows no fields.
  for (const api::Tree::Member& member : object.As<api::CustomObject>().content.members()) {
    if (issues.size() >= api::kDecodeIssuesMax) break;
    issues.push_back(fmt::format("unknown field {}", api::GoQuote(member.name())));
  }
  return issues;
}

std::string StrictError(const api::DecodeIssues& issues) {
  return fmt::format("strict decoding error: {}", fmt::join(issues, ", "));
}

Result<api::Object> DecodeBody(const Call& call, const api::KindInfo& kind) {
  const Body& body = call.request->body;
  if (const auto* object = std::get_if<api::Object>(&body)) {
    if (object->empty() || &object->type() != &kind.type()) {
      return Fail(errors::BadRequest(fmt::format("the object provided is not a {}", kind.kind)));
    }
    return object->Clone();
  }
  if (const auto* message = std::get_if<ProtobufBody>(&body)) {
    return Counted(call, message->bytes.size(), DecodeMessage(call, kind, message->bytes));
  }
  const auto* text = std::get_if<std::string>(&body);
  return Counted(call,
                 text == nullptr ? 0 : text->size(),
                 DecodeText(call, kind, text == nullptr ? std::string_view() : *text));
}

Result<api::Object> DecodeAgain(const Call& call, const api::KindInfo& kind) {
  std::vector<std::string> reported;
  Call silent = call;
  silent.warnings = &reported;
  return DecodeBody(silent, kind);
}

}  // namespace dray::server::verbs::inline context
