// SPDX-License-Identifier: Apache-2.0
// The Kubernetes API over HTTP: authenticates, routes, negotiates, reads options and bodies, hands
// resource requests to the verbs and writes their answers.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/log.h"
#include "base/world.h"
#include "net/http.h"
#include "server/authentication.h"
#include "server/health.h"
#include "server/resources.h"

namespace dray::server {

namespace internal {
struct ApiParts;  // server/internal/exchange.h
}

/// Bytes of a request's body (upstream's limit). Tell the HTTP server the same number.
inline constexpr size_t kBodyBytesMax = 3'145'728;

struct HttpApiOptions {
  Authenticator authenticator = {};
  AnonymousRule anonymous = AnonymousRule::kPublicPaths;
  std::vector<HealthCheck> checks = {};  // beside "ping"
};

/// Handles requests on any number of reactors at once.
///
/// Answers to writes come from the store's thread through the request's reactor. So, to stop: shut
/// the HTTP server down, then Drain(), then destroy server, API, verbs and store.
class HttpApi final : public net::Handler {
 public:
  /// `resources` and `world` outlive this.
  HttpApi(Resources& resources, World& world, Log log, HttpApiOptions options);
  ~HttpApi() override;

  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

  /// Waits until no request is with the verbs any more.
  void Drain();

 private:
  std::unique_ptr<internal::ApiParts> parts_;
};

}  // namespace dray::server
