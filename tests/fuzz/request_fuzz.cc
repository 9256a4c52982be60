// SPDX-License-Identifier: Apache-2.0
// A whole request against the API over a store in memory: whatever it says, it is answered once,
// and with a status code of HTTP. The input is a method, a target, headers and a body:
//
//   PATCH /api/v1/nodes/a?force=1
//   Content-Type: application/merge-patch+json
//
//   {"metadata":{}}
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "net/reactor.h"
#include "server/http/http_api.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace {

// Counts answers; a stream ends when the responder's owner says so.
class CountingResponder final : public dray::net::Responder {
 public:
  explicit CountingResponder(dray::net::Reactor& reactor) : reactor_(reactor) {}

  void Respond(dray::net::ResponseHead head, dray::net::Bytes) override { Answer(head.status); }
  void Start(dray::net::ResponseHead head) override {
    Answer(head.status);
    streaming_ = true;
  }
  dray::net::WriteOutcome Write(dray::net::Bytes) override {
    return streaming_ ? dray::net::WriteOutcome::kQueued : dray::net::WriteOutcome::kClosed;
  }
  void Finish() override { streaming_ = false; }
  void Abort() override { streaming_ = false; }
  size_t queued_bytes() const override { return 0; }
  bool closed() const override { return false; }
  void OnClose(std::function<void()> callback) override { on_close_ = std::move(callback); }
  void OnWritable(std::function<void()>) override {}
  dray::net::Reactor& reactor() override { return reactor_; }

  int answers() const { return answers_; }
  void Close() {
    if (auto callback = std::exchange(on_close_, nullptr)) callback();
  }

 private:
  void Answer(int status) {
    DRAY_CHECK(status >= 200 && status < 600);
    ++answers_;
  }

  dray::net::Reactor& reactor_;
  std::function<void()> on_close_;
  int answers_ = 0;
  bool streaming_ = false;
};

std::string_view NextLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

dray::net::Request Parse(std::string_view text) {
  dray::net::Request request;
  std::string_view line = NextLine(text);
  const size_t space = std::min(line.find(' '), line.size());
  request.method = line.substr(0, space);
  request.target = "/";
  if (space + 1 < line.size()) request.target = line.substr(space + 1);
  while (!(line = NextLine(text)).empty()) {
    const size_t colon = std::min(line.find(':'), line.size());
    request.headers.Add(line.substr(0, colon), line.substr(std::min(colon + 1, line.size())));
  }
  request.body = text;
  request.peer = std::make_shared<const dray::net::Peer>(dray::net::Peer{.address = "127.0.0.1:1"});
  return request;
}

/// A server with nothing in it. Making one (discovery, OpenAPI, namespaces) costs more than a
/// request, so one serves many inputs; it is made anew before its objects could matter much.
struct Server {
  dray::SimulatedWorld simulated{1};
  dray::api::Scheme scheme;
  dray::store::MemoryStore store;
  dray::server::verbs::Resources resources{
      scheme, store, simulated.world(), dray::Log::Silent(), {}};
  dray::server::http::HttpApi api{resources,
                                  simulated.world(),
                                  dray::Log::Silent(),
                                  {.anonymous = dray::server::http::AnonymousRule::kEverything}};
};
constexpr int kInputsPerServer = 256;

dray::server::http::HttpApi& FreshEnoughApi() {
  static std::unique_ptr<Server> server;
  static int inputs_left = 0;
  if (inputs_left-- == 0) {
    inputs_left = kInputsPerServer - 1;
    server = std::make_unique<Server>();
    DRAY_CHECK(dray::Wait(server->resources.Bootstrap()).has_value());
  }
  return server->api;
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dray::server::http::HttpApi& api = FreshEnoughApi();
  dray::net::Reactor reactor;
  const auto responder = std::make_shared<CountingResponder>(reactor);
  api.Handle(Parse({reinterpret_cast<const char*>(data), size}), responder);
  api.Drain();
  // What is posted for later runs, then the client goes away.
  reactor.Post([&] {
    responder->Close();
    reactor.Post([&] { reactor.Stop(); });
  });
  reactor.Run();
  DRAY_CHECK(responder->answers() == 1);
  return 0;
}
