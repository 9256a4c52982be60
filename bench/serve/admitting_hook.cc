// SPDX-License-Identifier: Apache-2.0
#include "bench/serve/admitting_hook.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/result.h"
#include "base/text/base64.h"
#include "base/world.h"
#include "bench/serve/server_process.h"
#include "net/tls/context.h"

namespace dray::bench {
namespace {

template <class T>
T Must(Result<T> result) {
  if (!result) Die(result.error().message);
  return *std::move(result);
}

// The uid of a review's request: its first member, so the first uid in the text.
std::string_view UidIn(std::string_view review) {
  constexpr std::string_view kUid = R"("uid":")";
  const size_t at = review.find(kUid);
  if (at == std::string_view::npos) Die("a review has no uid");
  review.remove_prefix(at + kUid.size());
  return review.substr(0, review.find('"'));
}

}  // namespace

AdmittingHook::AdmittingHook() {
  World& world = RealWorld();
  const WallTime now = world.clock.Now();
  authority_ = Must(net::tls::MakeCa(world.random, now, {}));
  net::server::HttpServerOptions options;
  options.tls = Must(net::tls::ServerContext::Create(
      {.credentials = Must(net::tls::MakeServingCertificate(world.random, now, authority_, {})),
       .client_ca_pem = ""}));
  server_ =
      Must(net::server::HttpServer::Start(world.clock, Log::Silent(), std::move(options), *this));
}

std::string AdmittingHook::Configuration(std::string_view name) const {
  return fmt::format(
      R"({{"metadata":{{"name":"{0}"}},"webhooks":[{{"name":"{0}.example.com","clientConfig":{{)"
      R"("url":"https://127.0.0.1:{1}/admit","caBundle":"{2}"}},"rules":[{{"apiGroups":[""],)"
      R"("apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}}],)"
      R"("sideEffects":"None","admissionReviewVersions":["v1"]}}]}})",
      name,
      server_->port(),
      EncodeBase64(authority_.certificate_pem));
}

void AdmittingHook::Handle(net::Request request, std::shared_ptr<net::Responder> responder) {
  net::ResponseHead head;
  head.headers.Add("Content-Type", "application/json");
  responder->Respond(
      std::move(head),
      net::Bytes(fmt::format(R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                             R"("response":{{"uid":"{}","allowed":true}}}})",
                             UidIn(request.body))));
}

}  // namespace dray::bench
