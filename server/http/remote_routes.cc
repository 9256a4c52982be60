// SPDX-License-Identifier: Apache-2.0
// Requests that another server answers: an APIService names its service.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "server/http/exchange.h"
#include "server/verbs/controllers/remote_apis.h"

namespace dray::server::http {
namespace {

constexpr int kUnavailable = 503;

// Headers of a request that are about the client's connection, or say who asks.
bool IsKept(std::string_view name) {
  constexpr std::string_view kOwn[] = {"Authorization",
                                       "Connection",
                                       "Content-Length",
                                       "Expect",
                                       "Host",
                                       "Keep-Alive",
                                       "TE",
                                       "Trailer",
                                       "Transfer-Encoding",
                                       "Upgrade",
                                       "User-Agent"};
  constexpr std::string_view kWho = "X-Remote-";
  const bool is_own = std::ranges::any_of(
      kOwn, [&](std::string_view one) { return EqualsIgnoringCase(one, name); });
  return !is_own && !EqualsIgnoringCase(name.substr(0, kWho.size()), kWho);
}

}  // namespace

// What an APIService says comes before what this server has under the same path.
void Exchange::RouteToOthers() {
  const verbs::RemoteApis* const remote = parts_.resources.remote_apis();
  if (remote == nullptr || route_.group.empty()) return;
  const Frozen<verbs::RemoteApiList> list = remote->Now();
  if (!route_.version.empty()) {
    if (list->Find(route_.group, route_.version) != nullptr) route_.kind = RouteKind::kRemote;
    return;
  }
  if (route_.kind != RouteKind::kPlainNotFound) return;
  route_.text = list->GroupJson(route_.group);
  if (!route_.text.empty()) route_.kind = RouteKind::kRemoteGroup;
}

// /apis has the groups of other servers, too, unless this server has them. Nothing: there are none.
std::optional<std::string> Exchange::WithOthers(const std::string& document,
                                                bool is_aggregated) const {
  const verbs::RemoteApis* const remote = parts_.resources.remote_apis();
  if (remote == nullptr || route_.kind != RouteKind::kGroups) return std::nullopt;
  const Frozen<verbs::RemoteApiList> list = remote->Now();
  if (list->is_empty()) return std::nullopt;
  const Frozen<Documents> own = parts_.documents->Now();
  const auto is_here = [&](std::string_view group) {
    return own->discovery.Group(group) != nullptr;
  };
  return is_aggregated ? list->WithAggregatedGroups(document, is_here)
                       : list->WithGroups(document, is_here);
}

net::client::ClientRequest Exchange::ForwardedRequest() const {
  net::client::ClientRequest request;
  request.method = request_.method;
  request.target = request_.target;
  for (size_t i = 0; i < request_.headers.size(); ++i) {
    const auto [name, value] = request_.headers.at(i);
    if (IsKept(name)) request.headers.Add(name, value);
  }
  request.headers.Add("X-Remote-User", who_.user->name);
  if (!who_.user->uid.empty()) request.headers.Add("X-Remote-Uid", who_.user->uid);
  for (const std::string& group : who_.user->groups) request.headers.Add("X-Remote-Group", group);
  request.body = request_.body;
  return request;
}

void Exchange::ServeRemote() {
  const verbs::RemoteApis* const remote = parts_.resources.remote_apis();
  const Frozen<verbs::RemoteApiList> list = remote->Now();
  const verbs::RemoteApi* const api = list->Find(route_.group, route_.version);
  const bool is_watch = route_.verb == verbs::Verb::kWatch;
  if (api == nullptr || !api->is_available || is_watch) {
    return SendText(kUnavailable, "service unavailable\n");
  }
  remote->Forward(
      *api,
      {.request = ForwardedRequest(), .deadline = began_ + TimeLimit(), .owner = who_.owner},
      [self = shared_from_this(),
       pending = Pending(parts_.pending)](webhooks::HookOutcome outcome) mutable {
        std::expected<net::client::ClientResponse, std::string> answer;
        if (outcome.has_value()) {
          answer = *std::move(outcome);
        } else {
          answer = std::unexpected(std::move(outcome.error().why));
        }
        self->responder_->reactor().Post([self, answer = std::move(answer)]() mutable {
          self->Guarded([&] { self->AnsweredByOther(std::move(answer)); });
        });
      });
}

void Exchange::AnsweredByOther(std::expected<net::client::ClientResponse, std::string> answer) {
  if (answered_) return;
  if (!answer.has_value()) {
    return SendText(kUnavailable,
                    fmt::format("error trying to reach service: {}\n", answer.error()));
  }
  net::ResponseHead head = Head(answer->status, answer->headers.Get("Content-Type"));
  for (const std::string_view name : {"Warning", "Retry-After", "X-Content-Type-Options"}) {
    for (const std::string_view value : answer->headers.All(name)) head.headers.Add(name, value);
  }
  Send(std::move(head), std::move(answer->body));
}

}  // namespace dray::server::http
