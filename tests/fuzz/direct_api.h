// SPDX-License-Identifier: Apache-2.0
// The API over a store in memory, called without a socket.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "net/http.h"
#include "net/reactor.h"
#include "server/http/http_api.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::fuzz {

/// The answer to a request. A stream is cut off where it would wait for more.
struct DirectAnswer {
  int status = 0;
  std::string body;
};

/// An empty server with only the first namespaces; every user has all rights.
class DirectApi {
 public:
  DirectApi() { DRAY_CHECK(Wait(resources_.Bootstrap()).has_value()); }

  /// Checks that there is one answer, with a status of HTTP.
  DirectAnswer Ask(net::Request request) {
    static const auto kPeer =
        std::make_shared<const net::Peer>(net::Peer{.address = "127.0.0.1:1"});
    request.peer = kPeer;
    // A request with credentials of its own keeps them.
    if (!request.headers.Has("Authorization")) {
      request.headers.Add("Authorization", "Bearer token");
    }
    net::Reactor reactor(simulated_.world().clock);
    const auto responder = std::make_shared<Responder>(reactor);
    api_.Handle(std::move(request), responder);
    api_.Drain();
    // Runs the posted functions, and those that they post; then the client disconnects.
    std::function<void(int)> after = [&](int turns) {
      if (turns > 0) return reactor.Post([&after, turns] { after(turns - 1); });
      responder->Close();
      reactor.Post([&] { reactor.Stop(); });
    };
    reactor.Post([&after] { after(kStreamTurns); });
    reactor.Run();
    DRAY_CHECK(responder->answers() == 1);
    return responder->Take();
  }

  DirectAnswer Ask(std::string_view method,
                   std::string_view target,
                   std::string body = {},
                   std::string_view type = "application/json",
                   std::string_view accept = {}) {
    net::Request request{.method = std::string(method), .target = std::string(target)};
    if (!body.empty()) request.headers.Add("Content-Type", type);
    if (!accept.empty()) request.headers.Add("Accept", accept);
    request.body = std::move(body);
    return Ask(std::move(request));
  }

  const store::Store& store() const { return store_; }

 private:
  /// How often a watch may write before its client disconnects, which is enough for all that is
  /// available by then.
  static constexpr int kStreamTurns = 256;

  class Responder final : public net::Responder {
   public:
    explicit Responder(net::Reactor& reactor) : reactor_(reactor) {}

    void Respond(net::ResponseHead head, net::Body body) override {
      Note(head.status);
      answer_.body = body.Joined();
    }
    void Start(net::ResponseHead head) override {
      Note(head.status);
      is_streaming_ = true;
    }
    net::WriteOutcome Write(net::Bytes piece) override {
      if (!is_streaming_) return net::WriteOutcome::kClosed;
      answer_.body += piece.view();
      return net::WriteOutcome::kQueued;
    }
    void Finish() override { is_streaming_ = false; }
    void Abort() override { is_streaming_ = false; }
    size_t queued_bytes() const override { return 0; }
    bool closed() const override { return false; }
    void OnClose(std::function<void()> callback) override { on_close_ = std::move(callback); }
    void OnWritable(std::function<void()> /*callback*/) override {}
    void OnShutdown(std::function<void()> /*callback*/) override {}
    net::Reactor& reactor() override { return reactor_; }

    int answers() const { return answers_; }
    DirectAnswer Take() { return std::move(answer_); }
    void Close() {
      if (auto callback = std::exchange(on_close_, nullptr)) callback();
    }

   private:
    void Note(int status) {
      DRAY_CHECK(status >= 200 && status < 600);
      answer_.status = status;
      ++answers_;
    }

    net::Reactor& reactor_;
    std::function<void()> on_close_;
    DirectAnswer answer_;
    int answers_ = 0;
    bool is_streaming_ = false;
  };

  SimulatedWorld simulated_{1};
  api::Scheme scheme_;
  store::MemoryStore store_;
  server::verbs::Resources resources_{scheme_, store_, simulated_.world(), Log::Silent(), {}};
  server::http::HttpApi api_{resources_,
                             simulated_.world(),
                             Log::Silent(),
                             {.authenticator = *server::http::Authenticator::FromTokenFile(
                                  "token,everybody,1,system:masters")}};
};

}  // namespace dray::fuzz
