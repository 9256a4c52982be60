// SPDX-License-Identifier: Apache-2.0
// client::Client for any Kubernetes API server, over HTTP and JSON.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "api/meta_v1/options.h"
#include "base/bounded_queue.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "client/kubeconfig.h"
#include "net/client/cancellation.h"
#include "net/client/http_client.h"
#include "net/client/request_text.h"

namespace dray::client {

/// Requests run on the calling thread; several threads use several connections. Every watch has a
/// connection and a thread of its own. The clock outlives it, and it outlives its watches.
class HttpClient final : public Client {
 public:
  /// Connections kept open for the next request.
  static constexpr size_t kIdleConnectionsMax = 16;

  /// `cancellation` ends all waits; null: none. Errors: kBadRequest  the server's URL, a
  /// certificate or a key does not parse.
  static Result<std::unique_ptr<HttpClient>> Create(
      const Clock& clock,
      const ClusterAccess& access,
      std::shared_ptr<const net::client::Cancellation> cancellation = nullptr);

  /// What the server answers to a request, whatever its status. Errors: as
  /// net::client::HttpClient::Send.
  Result<net::client::ClientResponse> Forward(const net::client::ClientRequest& request);
  /// The same for an answer that comes bit by bit; `cancellation` ends its waits.
  Result<std::unique_ptr<net::client::ResponseStream>> OpenStream(
      const net::client::ClientRequest& request,
      std::shared_ptr<const net::client::Cancellation> cancellation);

  /// What the server answers under a path that no object has ("/version").
  /// Errors: as of Get.
  Result<std::string> GetPath(std::string path);

  Result<api::Object> Get(const ObjectRef& ref) override;
  Result<ObjectList> List(const api::KindInfo& kind, const ListOptions& options) override;
  Result<api::Object> Create(const api::Object& object) override;
  Result<api::Object> Update(const api::Object& object, std::string_view subresource) override;
  Result<api::Object> Patch(const ObjectRef& ref,
                            PatchType type,
                            std::string_view json,
                            std::string_view subresource) override;
  Result<> Delete(const ObjectRef& ref, const api::meta_v1::DeleteOptions& options) override;
  Result<> CreateSubresource(const ObjectRef& ref,
                             std::string_view subresource,
                             const api::Object& body) override;
  Result<std::unique_ptr<Watch>> StartWatch(const api::KindInfo& kind,
                                            const ListOptions& options,
                                            const std::string& resource_version,
                                            WatchHandler handler) override;

 private:
  HttpClient(const Clock& clock, net::client::HttpClientOptions options)
      : clock_(clock), options_(std::move(options)), idle_(kIdleConnectionsMax) {}

  struct Body {
    std::string_view content_type = {};
    std::string text = {};
    std::string_view accept = "application/json";  // of the answer
  };
  /// The body of a successful answer.
  Result<std::string> Send(std::string method, std::string target, Body body);
  Result<api::Object> SendForObject(std::string method,
                                    std::string target,
                                    const api::KindInfo& kind,
                                    Body body);

  const Clock& clock_;
  const net::client::HttpClientOptions options_;
  BoundedQueue<std::unique_ptr<net::client::HttpClient>> idle_;
};

}  // namespace dray::client
