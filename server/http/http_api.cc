// SPDX-License-Identifier: Apache-2.0
#include "server/http/http_api.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "server/http/exchange.h"

namespace dray::server::http {
namespace {

std::vector<HealthCheck> WithPing(std::vector<HealthCheck> checks) {
  checks.insert(checks.begin(), {.name = "ping", .passes = [] { return true; }});
  return checks;
}

std::string RootPaths(const documents::Discovery& discovery,
                      const std::vector<HealthCheck>& checks) {
  std::vector<std::string> paths = discovery.paths();
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    paths.emplace_back(path);
    for (const HealthCheck& check : checks) {
      if (check.remarks != nullptr) continue;
      const bool is_readiness = std::string_view(path) == "/readyz";
      if (is_readiness ? !check.liveness_only : !check.readiness_only) {
        paths.push_back(std::string(path) + "/" + check.name);
      }
    }
  }
  paths.insert(paths.end(),
               {"/.well-known/openid-configuration",
                "/openapi/v2",
                "/openapi/v3",
                "/metrics",
                "/openid/v1/jwks",
                "/version"});
  std::ranges::sort(paths);
  return api::PrettyJson(api::JsonText(
      [&](api::JsonWriter& json) { json.Object([&] { json.Member("paths").ArrayOf(paths); }); }));
}

// Sets the metric of the build, which operators compare between servers.
void ExportBuild(metrics::Registry& registry, api::Release release) {
  const int minor = api::MinorOf(release == api::Release::kAny ? api::Release::kNewest : release);
  registry
      .GaugeOf({.name = "kubernetes_build_info", .help = "1, with the release that is played."},
               {{"major", "1"},
                {"minor", fmt::format("{}", minor)},
                {"git_version", fmt::format("v1.{}.0", minor)},
                {"git_commit", ""},
                {"git_tree_state", "clean"},
                {"build_date", "1970-01-01T00:00:00Z"},
                {"go_version", "none"},
                {"compiler", "clang"},
                {"platform", "linux/amd64"}})
      .Set(1);
}

}  // namespace

HttpApi::HttpApi(verbs::Resources& resources, World& world, Log log, HttpApiOptions options)
    : parts_(std::make_unique<ApiParts>(
          resources,
          world,
          std::move(log),
          std::move(options.authenticator),
          WithPing(std::move(options.checks)),
          /*documents=*/nullptr,
          std::make_shared<InFlight>(options.reads_max),
          std::make_shared<InFlight>(options.writes_max),
          std::make_shared<ShareBudget>(ShareLimits::EighthsOf(options.answer_bytes_max)),
          options.request_timeout,
          std::make_unique<ApiMetrics>(options.metrics != nullptr
                                           ? std::move(options.metrics)
                                           : std::make_shared<metrics::Registry>(),
                                       std::move(options.measure),
                                       world.disk),
          options.profiling,
          std::move(options.auditor),
          std::move(options.request_waits),
          std::move(options.pages),
          std::move(options.commit_times),
          options.state_metrics)) {
  parts_->authenticator.AlsoAsk(
      [&resources](std::string_view token) { return resources.UserOfToken(token); });
  ExportBuild(*parts_->metrics->registry, resources.release());
  parts_->documents = std::make_unique<LiveDocuments>(
      resources.scheme(),
      resources.release(),
      [parts = parts_.get()](const documents::Discovery& discovery) {
        return RootPaths(discovery, parts->checks);
      });
}

HttpApi::~HttpApi() = default;

net::Sender HttpApi::SenderOf(const net::Request& head) const {
  auto who = std::make_shared<const Result<Authenticated>>(
      parts_->authenticator.Authenticate(head, parts_->world.clock.Now()));
  net::Sender sender{.is_known = who->has_value() && !(*who)->anonymous};
  if (sender.is_known) sender.owner = (*who)->owner;
  sender.identity = std::move(who);
  return sender;
}

void HttpApi::Handle(net::Request request, std::shared_ptr<net::Responder> responder) {
  std::make_shared<Exchange>(*parts_, std::move(request), std::move(responder))->Run();
}

void HttpApi::Drain() {
  while (const size_t pending = parts_->pending->load()) parts_->pending->wait(pending);
}

}  // namespace dray::server::http
