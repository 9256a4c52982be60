// SPDX-License-Identifier: Apache-2.0
// The audit events of a request. In the order of kube-apiserver: user and attributes first, then
// the authorization, the body and the answer.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/defaults/defaults.h"
#include "api/value/time.h"
#include "server/errors/errors.h"
#include "server/http/exchange.h"
#include "server/http/limits.h"
#include "server/http/rights.h"
#include "server/registry/served_kinds.h"

namespace dray::server::http {
namespace {

using audit::AuditedRequest;
using verbs::ResourceRequest;
using verbs::Verb;

bool IsAuditId(std::string_view id) {
  return !id.empty() && id.size() <= kAuditIdMax &&
         std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7F; });
}

std::optional<audit::ObjectReference> ReferenceOf(const Route& route,
                                                  const access::Attributes& asked) {
  if (!asked.path.empty()) return std::nullopt;
  return audit::ObjectReference{.resource = asked.resource,
                                .namespace_ = asked.namespace_,
                                .name = asked.name,
                                .uid = {},
                                .group = asked.group,
                                .version = route.version,
                                .resource_version = {},
                                .subresource = asked.subresource};
}

// The body as an object of the requested version, with defaults, as upstream shows it. Nothing when
// it cannot be decoded; the verb returns that error.
std::optional<std::string> ReadBodyText(const ResourceRequest& request, WallTime now) {
  Result<api::Object> object;
  if (const auto* text = std::get_if<std::string>(&request.body)) {
    object = api::DecodeJson(*request.kind, *text, nullptr, {.release = request.release});
  } else if (const auto* message = std::get_if<verbs::ProtobufBody>(&request.body)) {
    const auto envelope = api::ReadProtobufEnvelope(message->bytes);
    if (!envelope.has_value()) return std::nullopt;
    object = api::DecodeProtobuf(*request.kind, envelope->raw, {.release = request.release});
  }
  if (!object.has_value() || object->empty()) return std::nullopt;
  api::defaults::SetDefaults(*object, api::Time::Of(now), request.release);
  return api::ToJson(*object, {.release = request.release});
}

std::string DeleteOptionsText(const api::meta_v1::DeleteOptions& options) {
  std::string text;
  api::EncodeJson({.api_version = "meta.k8s.io/__internal", .kind = "DeleteOptions"},
                  api::TypeOf<api::meta_v1::DeleteOptions>(),
                  &options,
                  text);
  return text;
}

}  // namespace

std::string Exchange::AuditId() const {
  const std::string_view asked = request_.headers.Get("Audit-Id");
  return IsAuditId(asked) ? std::string(asked) : NewUuid(parts_.world.random);
}

// Begins the audit of the request: its answer is audited, too. A request that cannot be audited is
// not carried out.
Result<> Exchange::BeginAudit(const verbs::User& user) {
  if (parts_.auditor == nullptr) return {};
  const audit::Decision decision = audit::DecisionOf(parts_.auditor->policy, user, asked_);
  if (decision.level == audit::Level::kNone) return {};
  if (!parts_.auditor->log->HasRoom()) return Fail(errors::Internal("failed to store audit event"));
  audit::Beginning beginning{
      .level = decision.level,
      .id = AuditId(),
      .request_uri = request_.target,
      .verb = asked_.verb,
      .user = user,
      .origin = {.forwarded_for = request_.headers.Get("X-Forwarded-For"),
                 .real_ip = request_.headers.Get("X-Real-Ip"),
                 .peer = request_.peer == nullptr ? std::string_view() : request_.peer->address},
      .user_agent = request_.headers.Get("User-Agent"),
      .object = ReferenceOf(route_, asked_),
      .received = received_};
  audited_ = std::make_shared<AuditedRequest>(parts_.auditor->log,
                                              parts_.world.clock,
                                              decision,
                                              std::move(beginning),
                                              /*writes_received=*/!is_unknown_);
  return {};
}

// Begins the audit of a request whose authentication failed. Its one event has the stage
// ResponseStarted.
void Exchange::AuditUnknown() {
  if (parts_.auditor == nullptr) return;
  is_unknown_ = true;
  Result<net::Query> query = net::Query::Parse(request_.query());
  if (!query.has_value()) return AuditMalformed({});
  query_ = *std::move(query);
  Result<Route> route = FindRoute(*parts_.resources.scheme().Now(),
                                  request_.method,
                                  request_.path(),
                                  query_.First("watch").has_value());
  if (!route.has_value()) return AuditMalformed({});
  route_ = *std::move(route);
  asked_ = AttributesOf(route_, request_.method, request_.path(), query_.First("fieldSelector"));
  (void)BeginAudit({});
}

// Begins the audit of a request whose URL cannot be parsed; the event has the path only.
void Exchange::AuditMalformed(const verbs::User& user) {
  if (parts_.auditor == nullptr) return;
  asked_ = {.path = std::string(request_.path())};
  std::ranges::transform(request_.method, std::back_inserter(asked_.verb), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  (void)BeginAudit(user);
}

void Exchange::AuditRights(bool is_allowed, std::string reason) {
  if (audited_ != nullptr) audited_->SetVerdict(is_allowed, std::move(reason));
}

// Writes the event RequestReceived of a request whose answer comes from another thread or later.
void Exchange::AuditReceived() {
  if (audited_ != nullptr && !answered_) audited_->WriteReceived();
}

void Exchange::AuditBody(const ResourceRequest& request) {
  if (!registry::DeprecationWarning(*route_.info, request.release).empty()) {
    audited_->Annotate("k8s.io/deprecated", "true");
    if (route_.info->removed_in != 0) {
      audited_->Annotate("k8s.io/removed-release", fmt::format("1.{}", route_.info->removed_in));
    }
  }
  const auto* const text = std::get_if<std::string>(&request.body);
  switch (request.verb) {
    case Verb::kPatch:
      if (text != nullptr) audited_->SetPatch(*text);
      return;
    case Verb::kCreate:
    case Verb::kUpdate: {
      // Objects of subresources are shown as sent. Without a policy level that wants the object,
      // the body is not decoded.
      const bool is_raw = !request.subresource.empty() || !audited_->wants_request();
      if (is_raw && text != nullptr)
        return audited_->SetRequestObject(*text, ReferenceOf(route_, asked_));
      const auto read = ReadBodyText(request, parts_.world.clock.Now());
      if (read.has_value()) audited_->SetRequestObject(*read, ReferenceOf(route_, asked_));
      return;
    }
    case Verb::kDelete:
    case Verb::kDeleteCollection:
      if (request.delete_options == api::meta_v1::DeleteOptions()) return;
      audited_->SetRequestObject(DeleteOptionsText(request.delete_options),
                                 ReferenceOf(route_, asked_));
      return;
    case Verb::kGet:
    case Verb::kList:
    case Verb::kWatch: return;
  }
}

// Adds annotations of admission policies, and the answer as JSON, whatever form the client gets.
void Exchange::AuditAnswer(const verbs::Answer& answer) {
  for (const policies::PublishedAnnotation& one : answer.annotations) {
    audited_->Annotate(one.key, one.value);
  }
  if (!answer.outcome.has_value()) return;
  if (const auto* status = std::get_if<verbs::StatusAnswer>(&*answer.outcome)) {
    return audited_->SetStatus(status->status, /*is_object=*/true);
  }
  if (!audited_->wants_response()) return;
  documents::Rendering plain = rendering_;
  plain.form.encoding = {};
  plain.pretty = false;
  if (const auto* object = std::get_if<verbs::ObjectAnswer>(&*answer.outcome)) {
    const Result<std::string> text = documents::AnswerBody(*object, plain);
    if (text.has_value()) audited_->SetResponseObject(*text);
  } else if (const auto* list = std::get_if<verbs::ListAnswer>(&*answer.outcome)) {
    const Result<documents::TextPieces> text = documents::AnswerBody(*list, plain);
    if (text.has_value()) audited_->SetResponseObject(text->Joined());
  }
}

void Exchange::AuditEnd(int code) {
  if (audited_ == nullptr) return;
  audited_->Complete(
      code, is_unknown_ ? audit::Stage::kResponseStarted : audit::Stage::kResponseComplete);
}

}  // namespace dray::server::http
