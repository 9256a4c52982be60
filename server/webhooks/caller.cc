// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/caller.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/go_quote.h"

namespace dray::server::webhooks {
namespace {

using net::client::AsyncClient;
using net::client::AsyncRequest;
using net::client::ClientResponse;
using net::tls::ClientContext;

// As upstream's client calls itself, which webhooks may look for.
constexpr std::string_view kUserAgent = "kube-apiserver-admission";

int64_t SecondsLeft(MonotonicTime deadline, const Clock& clock) {
  return std::max<int64_t>(
      1, std::chrono::ceil<std::chrono::seconds>(deadline - clock.Monotonic()).count());
}

}  // namespace

Caller::~Caller() = default;

void Caller::Close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  if (client_ != nullptr) client_->Close();
}

AsyncClient* Caller::ClientOrNull() {
  const MutexLock lock(mutex_);
  if (client_ == nullptr && !is_closed_) {
    try {
      client_ = std::make_unique<AsyncClient>(
          clock_, net::client::AsyncClientOptions{.user_agent = std::string(kUserAgent)});
    } catch (const std::system_error&) {  // no descriptor, or no thread
      return nullptr;
    }
  }
  return client_.get();
}

std::expected<std::shared_ptr<const ClientContext>, std::string> Caller::ContextFor(
    const std::string& ca_bundle, bool trusts_anything) {
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find_if(trusted_, [&](const Trusted& one) {
    return one.ca_bundle == ca_bundle && one.is_anything == trusts_anything;
  });
  if (found != trusted_.end()) {
    found->last_use = ++uses_;
    return found->context;
  }
  using net::tls::ServerCheck;
  auto context = ClientContext::Create(
      {.ca_pem = ca_bundle,
       .check = trusts_anything ? ServerCheck::kTrustAnything : ServerCheck::kVerify});
  if (!context.has_value()) {
    return std::unexpected(
        std::string("unable to load root certificates: unable to parse bytes as PEM block"));
  }
  if (trusted_.size() >= kTrustedMax) {
    trusted_.erase(std::ranges::min_element(trusted_, {}, &Trusted::last_use));
  }
  trusted_.push_back({.ca_bundle = ca_bundle,
                      .is_anything = trusts_anything,
                      .context = *context,
                      .last_use = ++uses_});
  return *std::move(context);
}

void Caller::Post(HookCall call, Done done) {
  const std::string target =
      fmt::format("{}?timeout={}s", call.address.path, SecondsLeft(call.deadline, clock_));
  const std::string url =
      fmt::format("{}?timeout={}s", call.address.url, SecondsLeft(call.deadline, clock_));
  const auto fail = [&](std::string_view why) {
    done(std::unexpected(HookProblem{fmt::format("Post {}: {}", api::GoQuote(url), why)}));
  };
  auto context = ContextFor(call.ca_bundle, false);
  if (!context.has_value()) {
    return done(std::unexpected(HookProblem{.why = context.error(), .is_about_client = true}));
  }
  AsyncClient* const client = ClientOrNull();
  if (client == nullptr) return fail("the server is stopping, or has no descriptor left");
  auto claim = std::make_shared<ShareBudget::Claim>(bytes_, std::move(call.owner));
  if (!claim->Resize(call.body.size())) return fail("too many calls of webhooks are under way");
  AsyncRequest request;
  request.to = {.server = std::move(call.address.server),
                .tls = *std::move(context),
                .address = std::move(call.address.address)};
  request.request.method = "POST";
  request.request.target = target;
  request.request.headers.Add("Accept", "application/json, */*");
  request.request.headers.Add("Content-Type", "application/json");
  request.request.body = std::move(call.body);
  request.deadline = call.deadline;
  request.response_bytes_max = call.answer_bytes_max;
  request.is_repeatable = true;  // reviews have no effects, or those of one that is asked again
  client->Send(std::move(request),
               [claim, url, done = std::move(done)](Result<ClientResponse> answer) mutable {
                 if (answer.has_value()) return done(*std::move(answer));
                 done(std::unexpected(HookProblem{
                     fmt::format("Post {}: {}", api::GoQuote(url), answer.error().message)}));
               });
}

void Caller::Forward(ForwardedCall call, Done done) {
  const auto fail = [&](std::string_view why) {
    done(std::unexpected(HookProblem{.why = std::string(why)}));
  };
  auto context = ContextFor(call.ca_bundle, call.trusts_anything);
  if (!context.has_value()) return fail(context.error());
  AsyncClient* const client = ClientOrNull();
  if (client == nullptr) return fail("the server is stopping, or has no descriptor left");
  auto claim = std::make_shared<ShareBudget::Claim>(bytes_, std::move(call.owner));
  if (!claim->Resize(call.request.body.size())) {
    return fail("too many calls of other servers are under way");
  }
  const bool is_read = call.request.method == "GET";
  AsyncRequest request;
  request.to = {.server = std::move(call.address.server),
                .tls = *std::move(context),
                .address = std::move(call.address.address)};
  request.request = std::move(call.request);
  request.deadline = call.deadline;
  request.response_bytes_max = call.answer_bytes_max;
  request.is_repeatable = is_read;
  client->Send(std::move(request),
               [claim, done = std::move(done)](Result<ClientResponse> answer) mutable {
                 if (answer.has_value()) return done(*std::move(answer));
                 done(std::unexpected(HookProblem{.why = answer.error().message}));
               });
}

}  // namespace dray::server::webhooks
