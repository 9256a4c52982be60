// SPDX-License-Identifier: Apache-2.0
#include "client/http_client.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "base/try.h"
#include "client/read_modify_write.h"
#include "client/wire.h"

namespace dray::client {
namespace {

constexpr std::string_view kJson = "application/json";
// Metadata alone, and whole objects of servers that show nothing else.
constexpr std::string_view kMetadataList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
constexpr std::string_view kMetadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
// Lines handed over at once when a server sends faster than they are handled.
constexpr size_t kBatchLinesMax = 256;
// How long a quiet watch waits before it looks again; nothing depends on it.
constexpr std::chrono::milliseconds kQuiet(60'000);

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson: return "application/json-patch+json";
    case PatchType::kMerge: return "application/merge-patch+json";
    case PatchType::kStrategicMerge: return "application/strategic-merge-patch+json";
  }
  return kJson;
}

bool IsSuccess(int status) {
  return status >= 200 && status < 300;
}

/// Reads one watch on a thread of its own until it ends or is destroyed.
class HttpWatch final : public Watch {
 public:
  HttpWatch(const api::KindInfo& kind,
            std::unique_ptr<net::client::ResponseStream> stream,
            std::shared_ptr<net::client::Cancellation> cancellation,
            WatchHandler handler)
      : kind_(kind),
        stream_(std::move(stream)),
        cancellation_(std::move(cancellation)),
        handler_(std::move(handler)),
        reader_([this] { Read(); }) {}
  ~HttpWatch() override {
    cancellation_->Cancel();
    reader_.join();
  }
  HttpWatch(const HttpWatch&) = delete;
  HttpWatch& operator=(const HttpWatch&) = delete;

 private:
  using Outcome = net::client::ResponseStream::Outcome;

  void Read() {
    while (true) {
      std::vector<WatchEvent> events;
      Outcome outcome = stream_->ReadLine(kQuiet);
      while (outcome == Outcome::kLine) {
        Result<WatchEvent> event = DecodeWatchLine(kind_, stream_->line());
        if (!event) {
          Hand(std::move(events));
          return handler_.ended(std::move(event).error());
        }
        events.push_back(*std::move(event));
        if (events.size() == kBatchLinesMax) break;
        outcome = stream_->ReadLine(std::chrono::milliseconds(0));
      }
      if (outcome == Outcome::kCancelled) return;
      Hand(std::move(events));
      if (outcome == Outcome::kEnd) return handler_.ended({});
      if (outcome == Outcome::kBroken) {
        return handler_.ended({.reason = StatusReason::kServiceUnavailable,
                               .message = "the watch broke off: " + stream_->failure()});
      }
    }
  }

  void Hand(std::vector<WatchEvent> events) {
    if (!events.empty()) handler_.events(std::move(events));
  }

  const api::KindInfo& kind_;
  std::unique_ptr<net::client::ResponseStream> stream_;
  std::shared_ptr<net::client::Cancellation> cancellation_;
  WatchHandler handler_;
  std::thread reader_;  // last: it uses everything above
};

}  // namespace

Result<std::unique_ptr<HttpClient>> HttpClient::Create(
    const Clock& clock,
    const ClusterAccess& access,
    std::shared_ptr<const net::client::Cancellation> cancellation) {
  net::client::HttpClientOptions options;
  DRAY_TRY(options.server, net::ParseEndpoint(access.server));
  if (options.server.scheme == net::Scheme::kHttps) {
    DRAY_TRY(options.tls,
             net::tls::ClientContext::Create(
                 {.ca_pem = access.ca_pem,
                  .client_certificate = {.certificate_pem = access.certificate_pem,
                                         .key_pem = access.key_pem},
                  .check = access.skip_verification ? net::tls::ServerCheck::kTrustAnything
                                                    : net::tls::ServerCheck::kVerify}));
  }
  options.bearer_token = access.token;
  options.cancellation = std::move(cancellation);
  return std::unique_ptr<HttpClient>(new HttpClient(clock, std::move(options)));
}

Result<std::string> HttpClient::GetPath(std::string path) {
  return Send("GET", std::move(path), {});
}

Result<std::string> HttpClient::Send(std::string method, std::string target, Body body) {
  net::client::ClientRequest request{.method = std::move(method), .target = std::move(target)};
  request.headers.Add("Accept", body.accept);
  if (!body.content_type.empty()) request.headers.Add("Content-Type", body.content_type);
  request.body = std::move(body.text);
  DRAY_TRY(net::client::ClientResponse response, Forward(request));
  if (!IsSuccess(response.status)) return Fail(ErrorOf(response.status, response.body));
  return std::move(response.body);
}

Result<net::client::ClientResponse> HttpClient::Forward(const net::client::ClientRequest& request) {
  std::optional<std::unique_ptr<net::client::HttpClient>> connection = idle_.TryPop();
  if (!connection) connection = std::make_unique<net::client::HttpClient>(clock_, options_);
  Result<net::client::ClientResponse> response = (*connection)->Send(request);
  // One connection too many is simply closed.
  if (response) (void)idle_.TryPush(*std::move(connection));
  return response;
}

Result<std::unique_ptr<net::client::ResponseStream>> HttpClient::OpenStream(
    const net::client::ClientRequest& request,
    std::shared_ptr<const net::client::Cancellation> cancellation) {
  net::client::HttpClientOptions connection = options_;
  connection.cancellation = std::move(cancellation);
  net::client::HttpClient http(clock_, std::move(connection));
  return http.Open(request);
}

Result<api::Object> HttpClient::SendForObject(std::string method,
                                              std::string target,
                                              const api::KindInfo& kind,
                                              Body body) {
  DRAY_TRY(const std::string answer, Send(std::move(method), std::move(target), std::move(body)));
  return DecodeObject(kind, answer);
}

Result<api::Object> HttpClient::Get(const ObjectRef& ref) {
  return SendForObject("GET", PathOf(ref, {}), *ref.kind, {});
}

Result<ObjectList> HttpClient::List(const api::KindInfo& kind, const ListOptions& options) {
  const ObjectRef all{.kind = &kind, .namespace_ = options.namespace_, .name = {}};
  DRAY_TRY(const std::string answer,
           Send("GET",
                PathOf(all, {}) + QueryOf(options),
                {.accept = options.metadata_of_large ? kMetadataList : kJson}));
  return DecodeList(kind, answer);
}

Result<api::Object> HttpClient::Create(const api::Object& object) {
  ObjectRef collection = RefOf(object);
  collection.name.clear();
  return SendForObject("POST",
                       PathOf(collection, {}),
                       object.kind(),
                       {.content_type = kJson, .text = api::ToJson(object)});
}

Result<api::Object> HttpClient::Update(const api::Object& object, std::string_view subresource) {
  return SendForObject("PUT",
                       PathOf(RefOf(object), subresource),
                       object.kind(),
                       {.content_type = kJson, .text = api::ToJson(object)});
}

Result<api::Object> HttpClient::Patch(const ObjectRef& ref,
                                      PatchType type,
                                      std::string_view json,
                                      std::string_view subresource) {
  return SendForObject("PATCH",
                       PathOf(ref, subresource),
                       *ref.kind,
                       {.content_type = ContentType(type), .text = std::string(json)});
}

Result<> HttpClient::Delete(const ObjectRef& ref, const api::meta_v1::DeleteOptions& options) {
  DRAY_TRY_VOID(Send("DELETE",
                     PathOf(ref, {}),
                     {.content_type = kJson, .text = api::ToJson(api::Object::Of(options))}));
  return {};
}

Result<> HttpClient::CreateSubresource(const ObjectRef& ref,
                                       std::string_view subresource,
                                       const api::Object& body) {
  DRAY_TRY_VOID(
      Send("POST", PathOf(ref, subresource), {.content_type = kJson, .text = api::ToJson(body)}));
  return {};
}

Result<std::unique_ptr<Watch>> HttpClient::StartWatch(const api::KindInfo& kind,
                                                      const ListOptions& options,
                                                      const std::string& resource_version,
                                                      WatchHandler handler) {
  const ObjectRef all{.kind = &kind, .namespace_ = options.namespace_, .name = {}};
  const std::string query = QueryOf(options);
  net::client::ClientRequest request;
  request.target = fmt::format("{}{}{}watch=true&allowWatchBookmarks=true&resourceVersion={}",
                               PathOf(all, {}),
                               query,
                               query.empty() ? '?' : '&',
                               resource_version);
  request.headers.Add("Accept", options.metadata_of_large ? kMetadata : kJson);
  DRAY_TRY(std::shared_ptr<net::client::Cancellation> cancellation,
           net::client::Cancellation::Create());
  DRAY_TRY(std::unique_ptr<net::client::ResponseStream> stream, OpenStream(request, cancellation));
  if (!IsSuccess(stream->status())) {
    const int status = stream->status();
    DRAY_TRY(const std::string body, stream->ReadRest(options_.request_timeout));
    return Fail(ErrorOf(status, body));
  }
  return std::make_unique<HttpWatch>(
      kind, std::move(stream), std::move(cancellation), std::move(handler));
}

}  // namespace dray::client
