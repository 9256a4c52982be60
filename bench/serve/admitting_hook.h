// SPDX-License-Identifier: Apache-2.0
// An admission webhook on loopback that allows every request.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/http.h"
#include "net/server/http_server.h"
#include "net/tls/certificates.h"

namespace dray::bench {

class AdmittingHook final : public net::Handler {
 public:
  /// Listens on a free port; ends the program if that fails.
  AdmittingHook();

  /// A ValidatingWebhookConfiguration that has it asked about each new ConfigMap.
  std::string Configuration(std::string_view name) const;

  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override;

 private:
  net::tls::Credentials authority_;
  std::unique_ptr<net::server::HttpServer> server_;
};

}  // namespace dray::bench
