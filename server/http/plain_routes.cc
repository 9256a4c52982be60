// SPDX-License-Identifier: Apache-2.0
// Routes other than resources: health, version, discovery, OpenAPI, and paths that do not exist.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/cpu_profile.h"
#include "server/access/service_account_token.h"
#include "server/documents/discovery_protobuf.h"
#include "server/errors/errors.h"
#include "server/http/exchange.h"
#include "server/http/negotiation.h"
#include "server/http/state_metrics.h"

namespace dray::server::http {
namespace {

constexpr std::string_view kAggregatedParameters = ";as=APIGroupDiscoveryList";
constexpr int kNotModified = 304;
constexpr int64_t kProfileSecondsMax = 300;

// The verb in the error for a method that a custom kind does not support.
std::string_view WordOf(std::string_view method, const Route& route) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return route.name.empty() ? "deletecollection" : "delete";
  return method == "GET" || method == "HEAD" ? "get" : "";
}

Error NotThere(StatusReason reason) {
  return errors::WithoutSubject(
      reason,
      reason == StatusReason::kNotFound
          ? "the server could not find the requested resource"
          : "the server does not allow this method on the requested resource");
}

// Whether `accept` includes `type`.
bool Accepts(std::string_view accept, std::string_view type) {
  if (accept.empty()) return true;
  while (!accept.empty()) {
    const size_t end = std::min(accept.find(','), accept.size());
    std::string_view clause = accept.substr(0, end);
    while (clause.starts_with(' ')) clause.remove_prefix(1);
    const std::string asked = EssenceOf(clause);
    if (asked == type || asked == "*/*") return true;
    accept.remove_prefix(std::min(end + 1, accept.size()));
  }
  return false;
}

// The encodings of OpenAPI: JSON and protobuf, which has two names.
enum class OpenApiEncoding : uint8_t { kJson, kProtobuf };

struct ProtobufNames {
  std::string_view answered, asked;
};
constexpr ProtobufNames kOpenApiV2Protobuf = {
    .answered = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    .asked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"};
constexpr ProtobufNames kOpenApiV3Protobuf = {
    .answered = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
    .asked = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"};

// The first encoding in `accept` that is served.
std::optional<OpenApiEncoding> OpenApiEncodingOf(std::string_view accept,
                                                 const ProtobufNames& protobuf) {
  if (accept.empty()) return OpenApiEncoding::kJson;
  while (!accept.empty()) {
    const size_t end = std::min(accept.find(','), accept.size());
    std::string_view clause = accept.substr(0, end);
    while (clause.starts_with(' ')) clause.remove_prefix(1);
    const std::string type = EssenceOf(clause);
    if (type == "application/json" || type == "*/*" || type == "application/*") {
      return OpenApiEncoding::kJson;
    }
    if (type == protobuf.answered || type == protobuf.asked) return OpenApiEncoding::kProtobuf;
    accept.remove_prefix(std::min(end + 1, accept.size()));
  }
  return std::nullopt;
}

}  // namespace

void Exchange::ServePlain() {
  const Frozen<Documents> documents = parts_.documents->Now();
  const documents::Discovery& discovery = documents->discovery;
  switch (route_.kind) {
    case RouteKind::kRoot: return Send(Head(200, "application/json"), documents->root_paths);
    case RouteKind::kVersion:
      return Send(Head(200, "application/json"),
                  documents::VersionJson(parts_.resources.release()));
    case RouteKind::kHealth: return ServeHealth();
    case RouteKind::kMetrics: return ServeMetrics();
    case RouteKind::kProfile: return ServeProfile();
    case RouteKind::kCoreVersions:
      return ServeDiscovery(
          documents::OnlyUtf8(documents::CoreVersionsJson(request_.headers.Get("Host"))),
          &documents::Discovery::AggregatedForms::core);
    case RouteKind::kGroups:
      return ServeDiscovery(discovery.groups(), &documents::Discovery::AggregatedForms::groups);
    case RouteKind::kGroup: return ServeDocument(discovery.Group(route_.group));
    case RouteKind::kResourceList:
      return ServeDocument(discovery.Resources(route_.group, route_.version));
    case RouteKind::kOpenApiV2: return ServeOpenApiV2();
    case RouteKind::kOpenApiV3: return ServeOpenApiV3();
    case RouteKind::kOpenIdConfiguration:
    case RouteKind::kOpenIdKeys: return ServeOpenId();
    case RouteKind::kPage: return ServePage();
    case RouteKind::kPageQuestion: return ServePageQuestion();
    case RouteKind::kStatusNotFound: return SendError(NotThere(StatusReason::kNotFound));
    case RouteKind::kMethodNotAllowed: return SendError(NotThere(StatusReason::kMethodNotAllowed));
    case RouteKind::kPartNotFound: return SendError(errors::NotFound(*route_.info, route_.name));
    case RouteKind::kVerbNotSupported:
      return SendError(errors::NotSupported(*route_.info, WordOf(request_.method, route_)));
    case RouteKind::kRemoteGroup: return Send(Head(200, "application/json"), route_.text);
    case RouteKind::kRemote:
    case RouteKind::kResource:
    case RouteKind::kPlainNotFound: return SendText(404, "404 page not found\n");
  }
}

// Serves the issuer and its keys to programs that verify tokens of service accounts.
void Exchange::ServeOpenId() {
  const auto& issuer = parts_.resources.tokens();
  const bool is_keys = route_.kind == RouteKind::kOpenIdKeys;
  if (issuer == nullptr || request_.method != "GET") return SendText(404, "404 page not found\n");
  const std::string_view type = is_keys ? "application/jwk-set+json" : "application/json";
  if (!Accepts(request_.headers.Get("Accept"), type)) {
    return SendError(errors::WithoutSubject(
        StatusReason::kNotAcceptable,
        fmt::format("406: Not Acceptable\n\nAvailable representations: {}", type)));
  }
  const std::string keys_url =
      fmt::format("https://{}/openid/v1/jwks", request_.headers.Get("Host"));
  net::ResponseHead head = Head(200, type);
  head.headers.Set("Cache-Control", "public, max-age=3600");
  Send(std::move(head),
       is_keys ? issuer->KeySet() : documents::OnlyUtf8(issuer->Configuration(keys_url)));
}

void Exchange::ServeMetrics() {
  if (request_.method != "GET") return SendError(NotThere(StatusReason::kMethodNotAllowed));
  parts_.metrics->requests.SetInFlight(parts_.reads->count(), parts_.writes->count());
  if (parts_.request_waits) parts_.metrics->requests.SetWaits(parts_.request_waits());
  parts_.metrics->objects.Set(parts_.resources.CountObjects());
  parts_.metrics->process.Read();
  if (parts_.metrics->measure) parts_.metrics->measure();
  std::string text = parts_.metrics->registry->Text();
  if (parts_.state_metrics) {
    const Result<std::string> objects = StateMetricsText(parts_.resources, &answered_);
    if (!objects) return SendError(objects.error());
    text += *objects;
  }
  Send(Head(200, metrics::Registry::kMediaType), std::move(text));
}

// Takes samples for the requested number of seconds, also when the client closes the connection
// meanwhile.
void Exchange::ServeProfile() {
  if (!parts_.profiling || request_.method != "GET") return SendText(404, "404 page not found\n");
  const std::string_view asked = query_.First("seconds").value_or("30");
  int64_t seconds = 0;
  const auto read = std::from_chars(asked.data(), asked.data() + asked.size(), seconds);
  if (read.ec != std::errc() || read.ptr != asked.data() + asked.size() || seconds < 1 ||
      seconds > kProfileSecondsMax) {
    return SendText(400, fmt::format("seconds: from 1 to {}\n", kProfileSecondsMax));
  }
  if (const Result<> started = StartCpuProfile(); !started) {
    return SendText(500,
                    fmt::format("Could not enable CPU profiling: {}\n", started.error().message));
  }
  net::Reactor& reactor = responder_->reactor();
  const auto begin_timer = [self = shared_from_this(), seconds, &reactor] {
    self->responder_->MarkLongRunning();
    self->deadline_ = reactor.RunAfter(std::chrono::seconds(seconds), [self] {
      net::ResponseHead head = self->Head(200, "application/octet-stream");
      head.headers.Add("Content-Disposition", "attachment; filename=\"profile\"");
      self->Send(std::move(head), StopCpuProfile(self->parts_.world.disk));
    });
  };
  if (reactor.in_thread()) return begin_timer();
  reactor.Post(begin_timer);
}

void Exchange::ServeHealth() {
  const auto answer = AnswerHealth(
      parts_.checks, route_.text, query_.First("verbose").has_value(), query_.All("exclude"));
  if (!answer) return SendText(404, "404 page not found\n");
  if (answer->nosniff) return SendText(answer->code, answer->text);
  Send(Head(answer->code, "text/plain; charset=utf-8"), answer->text);
}

void Exchange::ServeDocument(const std::string* json) {
  if (json == nullptr) return SendError(NotThere(StatusReason::kNotFound));
  const auto form = Negotiate(request_.headers.Get("Accept"), Endpoint::kPlain);
  if (!form) return SendError(form.error());
  SendDocument(*json, *form);
}

void Exchange::SendDocument(const std::string& json, const documents::Form& form) {
  const bool is_protobuf = form.encoding == documents::Encoding::kProtobuf;
  Send(Head(200, documents::MediaType(form.encoding)),
       is_protobuf ? documents::DiscoveryProtobuf(json)
                   : documents::Encoded(json, form, rendering_.pretty));
}

void Exchange::ServeDiscovery(const std::string& plain, AggregatedDocument document) {
  const Frozen<Documents> documents = parts_.documents->Now();
  const documents::Discovery& discovery = documents->discovery;
  const Endpoint endpoint = documents::HasOldAggregation(parts_.resources.release())
                                ? Endpoint::kAggregatedOld
                                : Endpoint::kAggregated;
  const auto form = Negotiate(request_.headers.Get("Accept"), endpoint);
  if (!form) return SendError(form.error());
  if (form->transform != documents::Transform::kAggregated) {
    return SendDocument(WithOthers(plain, false).value_or(plain), *form);
  }
  const documents::Discovery::Document& own =
      (form->version == "v2" ? discovery.aggregated() : discovery.aggregated_v2beta1()).*document;
  documents::Discovery::Document with_others;
  if (std::optional<std::string> json = WithOthers(own.json, true)) {
    with_others = {.json = *json, .etag = documents::EntityTag(*json)};
  }
  const documents::Discovery::Document& aggregated = with_others.json.empty() ? own : with_others;
  const bool unchanged = request_.headers.Get("If-None-Match") == aggregated.etag;
  const std::string type = fmt::format("{};g=apidiscovery.k8s.io;v={}{}",
                                       documents::MediaType(form->encoding),
                                       form->version,
                                       kAggregatedParameters);
  net::ResponseHead head = Head(unchanged ? kNotModified : 200, unchanged ? "" : type);
  head.headers.Set("Cache-Control", "public");
  head.headers.Add("ETag", aggregated.etag);
  head.headers.Add("Vary", "Accept");
  if (unchanged) return Send(std::move(head), {});
  const bool is_protobuf = form->encoding == documents::Encoding::kProtobuf;
  Send(std::move(head),
       is_protobuf ? documents::DiscoveryProtobuf(aggregated.json) : aggregated.json);
}

void Exchange::ServeOpenApiV2() {
  net::ResponseHead head = Head(200, "");
  head.headers.Add("Vary", "Accept-Encoding");
  head.headers.Add("Vary", "Accept");
  const Frozen<Documents> now = parts_.documents->Now();
  ServeOpenApiDocument(
      now->openapi, now->openapi.v2(), documents::OpenApiForm::kV2, std::move(head));
}

void Exchange::ServeOpenApiV3() {
  const Frozen<Documents> now = parts_.documents->Now();
  if (route_.text.empty()) {
    return Send(Head(200, "text/plain; charset=utf-8"), now->openapi.index());
  }
  const documents::OpenApi::Document* document = now->openapi.Find(route_.text.substr(1));
  if (document == nullptr) return Send(Head(404, ""), {});
  net::ResponseHead head = Head(200, "");
  head.headers.Add("Vary", "Accept");
  const std::string_view hash =
      std::string_view(document->etag).substr(1, document->etag.size() - 2);
  if (const auto asked = query_.First("hash"); asked && !asked->empty()) {
    if (*asked != hash) {
      head.status = 301;
      head.headers.Add("ETag", document->etag);
      head.headers.Add("Content-Type", "application/json");
      head.headers.Add("Location", fmt::format("/openapi/v3{}?hash={}", route_.text, hash));
      return Send(std::move(head), {});
    }
    // The name of the document changes with its content.
    head.headers.Set("Cache-Control", "public, immutable");
  }
  ServeOpenApiDocument(now->openapi, *document, documents::OpenApiForm::kV3, std::move(head));
}

void Exchange::ServeOpenApiDocument(const documents::OpenApi& openapi,
                                    const documents::OpenApi::Document& document,
                                    documents::OpenApiForm form,
                                    net::ResponseHead head) {
  const bool is_v2 = form == documents::OpenApiForm::kV2;
  const ProtobufNames& protobuf = is_v2 ? kOpenApiV2Protobuf : kOpenApiV3Protobuf;
  const std::optional<OpenApiEncoding> encoding =
      OpenApiEncodingOf(request_.headers.Get("Accept"), protobuf);
  if (!encoding.has_value()) {
    head.status = 406;
    return Send(std::move(head), {});
  }
  head.headers.Add("ETag", document.etag);
  if (request_.headers.Get("If-None-Match") == document.etag) {
    head.status = kNotModified;
    return Send(std::move(head), {});
  }
  if (*encoding == OpenApiEncoding::kJson) {
    head.headers.Add("Content-Type", "application/json");
    return Send(std::move(head), document.json);
  }
  head.headers.Add("Content-Type", protobuf.answered);
  if (is_v2) return Send(std::move(head), openapi.v2_protobuf());
  Result<std::string> message = documents::V3Protobuf(document);
  if (!message.has_value()) head.status = 406;
  Send(std::move(head), std::move(message).value_or(std::string()));
}

}  // namespace dray::server::http
