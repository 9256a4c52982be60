// SPDX-License-Identifier: Apache-2.0
// The routes of pages (server/http/pages.h).
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/kind.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/task.h"
#include "base/text/ascii.h"
#include "base/try.h"
#include "server/access/rbac.h"
#include "server/access/refusal.h"
#include "server/errors/errors.h"
#include "server/http/exchange.h"
#include "server/http/pages.h"
#include "server/verbs/context/answer.h"
#include "server/verbs/context/request.h"
#include "server/verbs/context/rights.h"

namespace dray::server::http {
namespace {

bool IsRead(std::string_view method) {
  return method == "GET" || method == "HEAD";
}

Error NotAllowed(std::string_view allowed) {
  return errors::WithoutSubject(
      StatusReason::kMethodNotAllowed,
      fmt::format("send {} instead; this path takes no other method", allowed));
}

// A body of another type than JSON could come from a page of others, without the browser asking
// this server first.
bool IsJson(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return EqualsIgnoringCase(type.substr(0, type.find(' ')), "application/json");
}

// Errors: kMethodNotAllowed, kUnsupportedMediaType, kRequestEntityTooLarge.
Result<> CheckQuestion(const net::Request& request, bool has_body) {
  if (!has_body) return IsRead(request.method) ? Result<>() : Fail(NotAllowed("GET"));
  if (request.method != "POST") return Fail(NotAllowed("POST"));
  if (!IsJson(request.headers.Get("Content-Type"))) {
    return Fail(errors::WithoutSubject(StatusReason::kUnsupportedMediaType,
                                       "the Content-Type of a question is application/json"));
  }
  if (request.body.size() > kQuestionBytesMax) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                fmt::format("Request entity too large: limit is {}", kQuestionBytesMax));
  }
  return {};
}

}  // namespace

bool IsPagePath(std::string_view path) {
  if (!path.starts_with(kPagesPath) || path.starts_with(kQuestionsPath)) return false;
  return path.size() == kPagesPath.size() || path[kPagesPath.size()] == '/';
}

bool Exchange::AsksForPage() const {
  return parts_.pages != nullptr && IsPagePath(request_.path());
}

// Without a user: a browser has to load the page before its user can show credentials.
void Exchange::ServePage() {
  if (!IsRead(request_.method)) return SendError(NotAllowed("GET"));
  PageAnswer answer = parts_.pages->File(route_.text, request_.headers);
  net::ResponseHead head = Head(answer.status, "");
  for (const auto& [name, value] : answer.headers) head.headers.Set(name, value);
  Send(std::move(head), std::move(answer.body));
}

void Exchange::ServePageQuestion() {
  const Result<> checked = CheckQuestion(request_, parts_.pages->HasBody(route_.text));
  if (!checked) return SendError(checked.error());
  const auto list = [this](const api::KindInfo& kind, const std::string& namespace_) {
    return ListAsUser(kind, namespace_);
  };
  const auto past = [this](const api::KindInfo& kind,
                           const std::string& namespace_,
                           const SeeTimedPast& see) { return PastAsUser(kind, namespace_, see); };
  Result<std::string> json = parts_.pages->Answer({.name = route_.text,
                                                   .query = query_,
                                                   .list = list,
                                                   .past = past,
                                                   .body = request_.body,
                                                   .is_given_up = &answered_});
  if (!json) return SendError(json.error());
  net::ResponseHead head = Head(200, "application/json");
  head.headers.Add("X-Content-Type-Options", "nosniff");
  Send(std::move(head), *std::move(json));
}

// Errors: kForbidden  the request's user may not list these objects.
Result<> Exchange::CheckMayList(const api::KindInfo& kind, const std::string& namespace_) const {
  const access::Attributes asked{.verb = "list",
                                 .group = std::string(kind.group),
                                 .resource = std::string(kind.plural),
                                 .namespace_ = namespace_};
  verbs::Rights* const rights = parts_.resources.rights();
  const access::Verdict verdict = rights != nullptr
                                      ? rights->Decide(who_.user, asked)
                                      : access::Verdict{.is_allowed = !who_.anonymous};
  if (verdict.is_allowed) return {};
  return Fail(access::Forbidden(asked, who_.user->name, verdict.reason));
}

// Runs the list on this thread, with the rights of the request's user, on the state that the
// question names.
Result<std::vector<api::Object>> Exchange::ListAsUser(const api::KindInfo& kind,
                                                      const std::string& namespace_) {
  DRAY_TRY_VOID(CheckMayList(kind, namespace_));
  const Frozen<api::Scheme> scheme = parts_.resources.scheme().Now();
  const api::KindInfo* const served = scheme->FindResource(kind.group, kind.version, kind.plural);
  if (served == nullptr || !served->served) {
    return Fail(errors::WithoutSubject(StatusReason::kNotFound,
                                       "the server could not find the requested resource"));
  }
  verbs::ResourceRequest request;
  request.verb = verbs::Verb::kList;
  request.kind = served;
  request.namespace_ = namespace_;
  request.user = who_.user;
  request.owner = who_.owner;
  request.is_given_up = &answered_;
  if (const auto version = query_.First("resourceVersion"); version && !version->empty()) {
    request.list.resource_version = *version;
    request.list.resource_version_match = "Exact";
  }
  DRAY_TRY(verbs::Answer answer, Wait(parts_.resources.Handle(std::move(request))));
  if (!answer.outcome) return std::move(answer.outcome).failure();
  std::vector<api::Object> objects;
  if (const auto* const found = std::get_if<verbs::ListAnswer>(&*answer.outcome)) {
    objects.reserve(found->items.size());
    for (const storage::Item& item : found->items) objects.push_back(item.object);
  }
  return objects;
}

Result<PastSpan> Exchange::PastAsUser(const api::KindInfo& kind,
                                      const std::string& namespace_,
                                      const SeeTimedPast& see) {
  DRAY_TRY_VOID(CheckMayList(kind, namespace_));
  const storage::CommitTimes* const times = parts_.commit_times.get();
  if (times == nullptr) {
    return Fail(
        errors::WithoutSubject(StatusReason::kNotFound, "this server keeps no times of changes"));
  }
  verbs::ResourceRequest request;
  request.verb = verbs::Verb::kList;
  request.kind = &kind;
  request.namespace_ = namespace_;
  request.is_given_up = &answered_;
  PastSpan span{.begin = times->first(), .end = {}};
  if (const Revision kept = parts_.resources.past_begin(); kept > span.begin.revision)
    span.begin = {.revision = kept, .time = times->TimeOf(kept)};
  DRAY_TRY(
      span.end.revision,
      parts_.resources.ReadPast(request, span.begin.revision, [&](const verbs::PastChange& change) {
        see(change, times->TimeOf(change.revision));
      }));
  span.end.time = parts_.world.clock.Now();
  return span;
}

}  // namespace dray::server::http
