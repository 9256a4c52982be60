// SPDX-License-Identifier: Apache-2.0
#include "cli/serving/etcd_stand_in.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "base/log.h"
#include "base/try.h"
#include "cli/terminal/output.h"
#include "cli/terminal/stop_signals.h"
#include "net/client/http_client.h"
#include "net/http.h"
#include "net/server/http_server.h"
#include "net/url.h"

namespace dray::cli::inline serving {
namespace {

constexpr std::chrono::milliseconds kStandInPatience{5000};
constexpr size_t kAnswerBytesMax = 4096;

struct StandInOptions {
  std::string client_urls = "http://127.0.0.1:2379";
  std::string data_folder, advertised_urls, peer_urls;  // have no effect
  bool no_fsync = false;
};

std::string HealthText() {
  return api::JsonText(
      [](api::JsonWriter& json) { json.Object({{"health", "true"}, {"reason", ""}}); });
}

/// IsEtcdStandIn recognises this text.
std::string VersionText() {
  return api::JsonText([](api::JsonWriter& json) {
    json.Object({{"etcdserver", "stand-in"}, {"etcdcluster", "stand-in"}});
  });
}

class Answers final : public net::Handler {
 public:
  void Handle(net::Request request, std::shared_ptr<net::Responder> responder) override {
    net::ResponseHead head;
    std::string text;
    if (request.path() == "/health") text = HealthText();
    if (request.path() == "/version") text = VersionText();
    if (text.empty()) head.status = 404;
    head.headers.Add("Content-Type", "application/json");
    responder->Respond(std::move(head), net::Bytes(std::move(text)));
  }
};

Result<> Stand(World& world, const StandInOptions& options) {
  const StopSignals stop;  // before any thread exists
  const Result<net::Endpoint> parsed = net::ParseEndpoint(options.client_urls);
  if (!parsed || parsed->scheme != net::Scheme::kHttp) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--listen-client-urls {}: {}",
                            options.client_urls,
                            parsed ? "the stand-in speaks http only" : parsed.error().message));
  }
  const net::Endpoint& listen = *parsed;
  const Log log = Log::ToStderr(world.clock, {});
  Answers answers;
  DRAY_TRY(
      const auto server,
      net::server::HttpServer::Start(
          world.clock,
          log,
          {.address = listen.host == "localhost" ? "127.0.0.1" : listen.host, .port = listen.port},
          answers));
  log.Info("standing in for etcd; kube-apiserver keeps its objects itself", "port", server->port());
  stop.Wait();
  return {};
}

void AddOptions(Command& command, StandInOptions& options) {
  command.Text("--listen-client-urls URL", options.client_urls, "where it says that it is well")
      .ShowsDefault();
  command.Text("--advertise-client-urls URLS", options.advertised_urls, "passed over");
  command.Text("--listen-peer-urls URLS", options.peer_urls, "passed over");
  command.Text("--data-dir FOLDER", options.data_folder, "passed over: nothing is kept");
  command.Flag("--unsafe-no-fsync", options.no_fsync, "passed over");
}

}  // namespace

void AddEtcdStandIn(Command& program) {
  const auto options = std::make_shared<StandInOptions>();
  AddOptions(program, *options);
  program.Notes(
      "For programs that start an etcd beside kube-apiserver. It keeps nothing: a\n"
      "kube-apiserver of this program keeps its objects in memory then.");
  program.Does([options](World& world, const Output& output) {
    const Result<> stood = Stand(world, *options);
    if (stood) return kExitYes;
    cli::Print(output.notes, "etcd: {}\n", stood.error().message);
    return stood.error().reason == StatusReason::kBadRequest ? kExitUsage : kExitNo;
  });
}

bool IsEtcdStandIn(const Clock& clock, const std::vector<std::string>& urls) {
  if (urls.size() != 1) return false;
  const Result<net::Endpoint> server = net::ParseEndpoint(urls.front());
  if (!server || server->scheme != net::Scheme::kHttp) return false;
  net::client::HttpClient client(clock,
                                 {.server = *server,
                                  .bearer_token = {},
                                  .connect_timeout = kStandInPatience,
                                  .request_timeout = kStandInPatience,
                                  .response_bytes_max = kAnswerBytesMax});
  const Result<net::client::ClientResponse> answer = client.Send({.target = "/version"});
  return answer && answer->status == 200 && answer->body == VersionText();
}

}  // namespace dray::cli::inline serving
