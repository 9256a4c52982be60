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
#include "server/http/authentication.h"
#include "server/http/health.h"
#include "server/http/limits.h"  // IWYU pragma: export
#include "server/verbs/resources.h"

namespace dray::server::http {

struct ApiParts;  // server/http/exchange.h

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
  HttpApi(verbs::Resources& resources, World& world, Log log, HttpApiOptions options);
  ~HttpApi() override;

  /// Whoever may do more than read health and version.
  bool Knows(const net::Request& head) const override;
  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

  /// Waits until no request is with the verbs any more.
  void Drain();

 private:
  std::unique_ptr<ApiParts> parts_;
};

}  // namespace dray::server::http
