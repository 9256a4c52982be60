// SPDX-License-Identifier: Apache-2.0
#include "server/http/exchange.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/meta_v1/status.h"
#include "api/status.h"
#include "base/try.h"
#include "base/worker_pool.h"
#include "server/access/impersonation.h"
#include "server/access/refusal.h"
#include "server/errors/errors.h"
#include "server/http/flow.h"
#include "server/http/gzip.h"
#include "server/http/limits.h"
#include "server/http/negotiation.h"
#include "server/http/query_options.h"
#include "server/http/rights.h"
#include "server/http/warning_header.h"
#include "server/verbs/context/rights.h"

namespace dray::server::http {
namespace {

// Smaller answers are not compressed (upstream's limit).
constexpr size_t kGzipBytesMin = size_t{128} << 10;

// Larger answers are counted until the client has received them; smaller ones share the claim of
// their request.
constexpr size_t kSmallAnswerBytes = size_t{4} << 10;
constexpr int kTooManyRequests = 429;
constexpr std::string_view kRetryAfterSeconds = "1";  // upstream's

constexpr int kFirstErrorCode = 400;
constexpr size_t kLoggedBytesMax = 1024;  // of each text from a client

std::string Cut(std::string_view text) {
  if (text.size() <= kLoggedBytesMax) return std::string(text);
  return std::string(text.substr(0, kLoggedBytesMax)) + "…";
}

}  // namespace

void Exchange::OutOfMemory() {
  try {
    SendError(errors::Internal("out of memory"));
  } catch (const std::bad_alloc&) {
    answered_ = true;  // without an answer: the last reference closes the connection
  }
}

void Exchange::Run() {
  Guarded([this] {
    if (const auto admitted = Admit(); !admitted) return SendError(admitted.error());
    if (request_.body_state == net::BodyState::kNoRoom || !TakePlace()) {
      return SendTooManyRequests();
    }
    if (IsLong()) {
      AuditReceived();
      return RunByWorker();
    }
    Serve();
    AuditReceived();
  });
}

void Exchange::Serve() {
  if (route_.kind == RouteKind::kResource) {
    ServeResource();
  } else if (route_.kind == RouteKind::kRemote) {
    ServeRemote();
  } else {
    ServePlain();
  }
}

// A worker carries out the request, up to the bytes of the answer.
void Exchange::RunByWorker() {
  StartDeadline();
  const bool posted = parts_.resources.workers()->TryPost(
      [self = shared_from_this(), pending = Pending(parts_.pending)] {
        if (self->answered_) return;
        self->Guarded([&self] { self->Serve(); });
      },
      LineOf(who_.owner));
  if (!posted) SendTooManyRequests();
}

// Whether the work may take too long for the reactor's thread.
bool Exchange::IsLong() const {
  if (parts_.resources.workers() == nullptr) return false;
  if (route_.kind == RouteKind::kPageQuestion) return true;
  if (route_.kind == RouteKind::kMetrics) return parts_.state_metrics;
  const bool is_document =
      route_.kind == RouteKind::kOpenApiV2 || route_.kind == RouteKind::kOpenApiV3;
  if (is_document) return AcceptsGzip(request_.headers);
  if (route_.kind != RouteKind::kResource || route_.verb == verbs::Verb::kWatch) return false;
  if (request_.body.size() > verbs::kShortBytes) return true;
  // The JSON of one object is cached or quickly made; other forms of it take longer.
  const std::string_view accept = request_.headers.Get("Accept");
  const bool is_plain = !rendering_.pretty && !AcceptsGzip(request_.headers) &&
                        (accept.empty() || accept == "application/json" || accept == "*/*");
  if (route_.verb == verbs::Verb::kGet && is_plain) return false;
  verbs::ResourceRequest request;
  request.verb = route_.verb;
  request.kind = route_.info;
  request.namespace_ = route_.namespace_;
  request.name = route_.name;
  return parts_.resources.IsLong(request);
}

// Health and version are not limited, and neither are watches, because they last.
bool Exchange::TakePlace() {
  const bool is_free = route_.kind == RouteKind::kHealth || route_.kind == RouteKind::kVersion ||
                       (route_.kind == RouteKind::kResource && route_.verb == verbs::Verb::kWatch);
  if (is_free) return true;
  const bool reads = route_.kind == RouteKind::kResource
                         ? route_.verb == verbs::Verb::kGet || route_.verb == verbs::Verb::kList
                         : request_.method == "GET" || route_.kind == RouteKind::kPageQuestion;
  place_ = InFlight::Take(reads ? parts_.reads : parts_.writes, who_.owner);
  return static_cast<bool>(place_);
}

// The time limit of the request: the server's, or a shorter one of the client.
std::chrono::nanoseconds Exchange::TimeLimit() const {
  const std::chrono::nanoseconds limit = parts_.request_timeout;
  const bool is_set = timeout_ && *timeout_ > std::chrono::nanoseconds(0);
  return is_set ? std::min(limit, *timeout_) : limit;
}

// Starts the time limit. On the reactor's thread.
void Exchange::StartDeadline() {
  deadline_ = responder_->reactor().RunAfter(TimeLimit(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->deadline_ = net::Timer();
    if (!self->answered_.exchange(true)) self->SendLate();
  });
}

// Authentication (401) comes first, then authorization (403), then everything else.
Result<> Exchange::Admit() {
  rendering_.table.now = received_;
  // The HTTP server has authenticated the head, if it asked for the sender then.
  const auto known =
      std::static_pointer_cast<const Result<Authenticated>>(request_.sender.identity);
  Result<Authenticated> who =
      known != nullptr ? *known : parts_.authenticator.Authenticate(request_, received_);
  std::optional<Error> refusal;
  if (who) {
    who_ = *std::move(who);
  } else {
    if (!AsksForPage()) {
      AuditUnknown();
      return std::move(who).failure();
    }
    refusal = who.error();
    who_ = NoUser(request_);
  }
  if (const Result<> read = ReadUrl(); !read) {
    AuditMalformed(who_.user);
    return read;
  }
  // The path of a page may be that of a question once it is decoded.
  if (refusal.has_value() && route_.kind != RouteKind::kPage) {
    who_ = {};
    AuditUnknown();
    return Fail(*std::move(refusal));
  }
  asked_ = AttributesOf(route_, request_.method, request_.path(), query_.First("fieldSelector"));
  DRAY_TRY_VOID(BeginAudit(who_.user));
  is_refused_ = true;
  DRAY_TRY_VOID(CheckRights());
  is_refused_ = false;
  if (request_.body_state == net::BodyState::kTooLarge) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                fmt::format("Request entity too large: limit is {}", kBodyBytesMax));
  }
  return {};
}

// Parses the URL.
Result<> Exchange::ReadUrl() {
  DRAY_TRY(query_, net::Query::Parse(request_.query()));
  rendering_.pretty = WantsPretty(query_.First("pretty"), request_.headers.Get("User-Agent"));
  DRAY_TRY(route_,
           FindRoute(*parts_.resources.scheme().Now(),
                     request_.method,
                     request_.path(),
                     BoolParameter(query_, "watch")));
  const bool is_page = route_.kind == RouteKind::kPage || route_.kind == RouteKind::kPageQuestion;
  if (is_page && parts_.pages == nullptr) route_.kind = RouteKind::kPlainNotFound;
  RouteToOthers();
  const bool is_resource = route_.kind == RouteKind::kResource;
  is_dry_run_ = is_resource && !query_.All("dryRun").empty();
  if (is_resource && route_.verb == verbs::Verb::kPatch) {
    const auto type = PatchTypeOf(request_.headers.Get("Content-Type"));
    is_apply_ = type.has_value() && *type == patch::PatchType::kApply;
  }
  if (!is_resource || route_.verb != verbs::Verb::kWatch) {
    DRAY_TRY(timeout_, ReadTimeout(query_));
  }
  return {};
}

// Authorizes the request, as the user or as an impersonated user.
Result<> Exchange::CheckRights() {
  verbs::Rights* const rights = parts_.resources.rights();
  const bool is_public = route_.kind == RouteKind::kHealth || route_.kind == RouteKind::kVersion;
  const bool is_known = !who_.anonymous;
  const access::Decider decide = [&](const verbs::User& user, const access::Attributes& asked) {
    if (rights != nullptr) return rights->Decide(user, asked);
    return access::Verdict{.is_allowed = is_known || is_public};
  };
  DRAY_TRY_VOID(BecomeAnother(decide));
  if (route_.kind == RouteKind::kPage || route_.kind == RouteKind::kPageQuestion) {
    AuditRights(true, "pages are public; RBAC decides about each list of a question");
    return {};
  }
  access::Verdict verdict = decide(who_.user, asked_);
  if (verdict.is_allowed) {
    AuditRights(true, std::move(verdict.reason));
    return {};
  }
  AuditRights(false, verdict.reason);
  return Fail(access::Forbidden(asked_, who_.user->name, verdict.reason));
}

// Replaces the user by the impersonated one, if the headers name one.
Result<> Exchange::BecomeAnother(const access::Decider& decide) {
  DRAY_TRY(const std::optional<verbs::User> wanted, WantedUser(request_.headers));
  if (!wanted.has_value()) return {};
  auto outcome = access::Impersonate(decide, who_.user, *wanted, asked_);
  if (const auto* const lack = std::get_if<access::Lack>(&outcome)) {
    AuditRights(false, lack->reason);
    return Fail(access::Forbidden(lack->asked, who_.user->name, lack->reason));
  }
  auto& other = std::get<access::Impersonated>(outcome);
  if (audited_ != nullptr) audited_->SetImpersonated(other.user, std::move(other.constraint));
  who_.user = std::move(other.user);
  who_.anonymous = who_.user->name == access::kAnonymous;
  return {};
}

// The headers of every answer. Called at most once for each answer.
net::ResponseHead Exchange::Head(int status, std::string_view media_type) {
  net::ResponseHead head{.status = status};
  head.headers.Add("Audit-Id", audited_ != nullptr ? audited_->id() : AuditId());
  head.headers.Add("Cache-Control", "no-cache, private");
  if (!media_type.empty()) head.headers.Add("Content-Type", media_type);
  for (const std::string& warning : WarningHeaders(warnings_)) {
    head.headers.Add("Warning", warning);
  }
  return head;
}

void Exchange::Send(net::ResponseHead head, std::string body) {
  if (body.size() > kSmallAnswerBytes) {
    return SendPieces(std::move(head), documents::TextPieces(std::move(body)));
  }
  struct Small {
    std::string text;
    ShareBudget::Claim claim;
  };
  const auto small = std::make_shared<const Small>(std::move(body), std::move(request_.claim));
  const std::string_view text = small->text;
  Respond(std::move(head), net::Bytes(small, text));
}

void Exchange::SendPieces(net::ResponseHead head, documents::TextPieces body) {
  // Only for a plain "gzip": a client with weighted encodings gets no compression.
  const bool is_encoded = !head.headers.Get("Content-Encoding").empty();
  if (!is_encoded && body.size() > kGzipBytesMin && AcceptsGzip(request_.headers)) {
    if (auto compressed = Gzip(body.Joined()); compressed) {
      body = documents::TextPieces(*std::move(compressed));
      head.headers.Add("Content-Encoding", "gzip");
      head.headers.Add("Vary", "Accept-Encoding");
    }
  }
  struct Large {
    documents::TextPieces text;
    ShareBudget::Claim request, answer;
  };
  const auto large = std::make_shared<Large>(
      std::move(body), ShareBudget::Claim(), ShareBudget::Claim(parts_.answers, who_.owner));
  const bool is_small = large->text.size() <= kSmallAnswerBytes;
  if (!is_small && !large->answer.Resize(large->text.size())) return SendTooManyRequests();
  large->request = std::move(request_.claim);
  net::Body pieces;
  for (const auto& piece : large->text.pieces()) pieces.Add(net::Bytes(large, piece.text));
  Respond(std::move(head), std::move(pieces));
}

void Exchange::Respond(net::ResponseHead head, net::Body body) {
  // Without a responder the request has become a watch, which ends by itself.
  if (responder_ == nullptr || answered_.exchange(true)) return;
  place_ = InFlight::Place();  // before the client has the answer and may send another request
  Count(head.status, body.size(), why_not_);
  AuditEnd(head.status);
  net::Reactor& reactor = responder_->reactor();
  if (reactor.in_thread()) {
    deadline_ = net::Timer();
    return responder_->Respond(std::move(head), std::move(body));
  }
  reactor.Post(
      [self = shared_from_this(), head = std::move(head), body = std::move(body)]() mutable {
        self->deadline_ = net::Timer();
        self->responder_->Respond(std::move(head), std::move(body));
      });
}

// In upstream's words. The work continues, and may still succeed.
void Exchange::SendLate() {
  const api::meta_v1::Status status = api::StatusOf(errors::WithoutSubject(
      StatusReason::kTimeout, "Timeout: request did not complete within the allotted timeout"));
  net::ResponseHead head{.status = status.code};
  head.headers.Add("Content-Type", "application/json");
  std::string body = documents::StatusJson(status);
  Count(status.code, body.size(), status.message);
  if (audited_ != nullptr) audited_->SetStatus(status, route_.kind == RouteKind::kResource);
  AuditEnd(status.code);
  responder_->Respond(std::move(head), net::Bytes(std::move(body)));
}

void Exchange::Count(int code, size_t answer_bytes, std::string_view why_not) {
  const double seconds =
      std::chrono::duration<double>(parts_.world.clock.Monotonic() - began_).count();
  parts_.metrics->requests.Count({.route = route_,
                                  .method = request_.method,
                                  .is_apply = is_apply_,
                                  .is_dry_run = is_dry_run_,
                                  .code = code,
                                  .seconds = seconds,
                                  .answer_bytes = answer_bytes});
  if (parts_.log.enabled(LogLevel::kDebug)) LogRequest(code, seconds, why_not);
}

// Writes one line at debug level.
void Exchange::LogRequest(int code, double seconds, std::string_view why_not) const {
  constexpr double kMilli = 1000;
  const std::string path = Cut(request_.target);
  const std::string agent = Cut(request_.headers.Get("User-Agent"));
  const double milliseconds = std::round(seconds * kMilli * kMilli) / kMilli;
  const auto log = [&](const auto&... more) {
    parts_.log.Debug("request",
                     "method",
                     request_.method,
                     "path",
                     path,
                     "code",
                     code,
                     "milliseconds",
                     milliseconds,
                     "user",
                     who_.user->name,
                     "agent",
                     agent,
                     more...);
  };
  if (code < kFirstErrorCode) return log();
  log("why", Cut(why_not));
}

void Exchange::SendError(const Error& error) {
  const api::meta_v1::Status status = api::StatusOf(error);
  why_not_ = status.message;
  const documents::Form form = ErrorForm(request_.headers.Get("Accept"));
  net::ResponseHead head = Head(status.code, documents::MediaType(form.encoding));
  if (status.details.has_value() && status.details->retry_after_seconds > 0) {
    head.headers.Add("Retry-After", fmt::format("{}", status.details->retry_after_seconds));
  }
  if (audited_ != nullptr) audited_->SetStatus(status, route_.kind == RouteKind::kResource);
  if (is_refused_) {
    head.headers.Add("X-Content-Type-Options", "nosniff");
  }
  Send(std::move(head), documents::StatusBody(status, form, rendering_.pretty));
}

void Exchange::SendText(int status, std::string_view text) {
  net::ResponseHead head = Head(status, "text/plain; charset=utf-8");
  head.headers.Add("X-Content-Type-Options", "nosniff");
  why_not_ = text;
  if (status == kTooManyRequests) head.headers.Add("Retry-After", kRetryAfterSeconds);
  Send(std::move(head), std::string(text));
}

void Exchange::SendTooManyRequests() {
  parts_.metrics->requests.CountRefused(FlowOf(who_.user, asked_));
  SendText(kTooManyRequests, "Too many requests, please try again later.\n");
}

}  // namespace dray::server::http
