// SPDX-License-Identifier: Apache-2.0
// The routes of pages (server/http/pages.h).
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/task.h"
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

Error NotAllowed() {
  return errors::WithoutSubject(StatusReason::kMethodNotAllowed,
                                "pages are read with GET; this method is not allowed");
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
  if (!IsRead(request_.method)) return SendError(NotAllowed());
  PageAnswer answer = parts_.pages->File(route_.text, request_.headers);
  net::ResponseHead head = Head(answer.status, "");
  for (const auto& [name, value] : answer.headers) head.headers.Set(name, value);
  Send(std::move(head), std::move(answer.body));
}

void Exchange::ServePageQuestion() {
  if (!IsRead(request_.method)) return SendError(NotAllowed());
  const auto list = [this](const api::KindInfo& kind, const std::string& namespace_) {
    return ListAsUser(kind, namespace_);
  };
  Result<std::string> json =
      parts_.pages->Answer({.name = route_.text, .query = query_, .list = list});
  if (!json) return SendError(json.error());
  net::ResponseHead head = Head(200, "application/json");
  head.headers.Add("X-Content-Type-Options", "nosniff");
  Send(std::move(head), *std::move(json));
}

// Runs the list on this thread, with the rights of the request's user.
Result<std::vector<api::Object>> Exchange::ListAsUser(const api::KindInfo& kind,
                                                      const std::string& namespace_) {
  const access::Attributes asked{.verb = "list",
                                 .group = std::string(kind.group),
                                 .resource = std::string(kind.plural),
                                 .namespace_ = namespace_};
  verbs::Rights* const rights = parts_.resources.rights();
  const access::Verdict verdict = rights != nullptr
                                      ? rights->Decide(who_.user, asked)
                                      : access::Verdict{.is_allowed = !who_.anonymous};
  if (!verdict.is_allowed) {
    return Fail(access::Forbidden(asked, who_.user->name, verdict.reason));
  }
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
  DRAY_TRY(verbs::Answer answer, Wait(parts_.resources.Handle(std::move(request))));
  if (!answer.outcome) return std::move(answer.outcome).failure();
  std::vector<api::Object> objects;
  if (const auto* const found = std::get_if<verbs::ListAnswer>(&*answer.outcome)) {
    objects.reserve(found->items.size());
    for (const storage::Item& item : found->items) objects.push_back(item.object);
  }
  return objects;
}

}  // namespace dray::server::http
