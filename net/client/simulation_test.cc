// SPDX-License-Identifier: Apache-2.0
// The blocking client on a simulated network, from a seed: answers of every form in pieces and
// bursts, over TLS and without, connections that end at any moment. No call may wait while
// everything that it waits for has come, and none may wait for ever.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/result.h"
#include "base/simulated_world.h"
#include "net/client/dialer.h"
#include "net/client/http_client.h"
#include "net/engine.h"
#include "net/http1/engine.h"
#include "net/socket.h"
#include "net/testing/simulated_keys.h"
#include "net/testing/simulated_network.h"
#include "net/tls/transport.h"
#include "net/transport.h"
#include "tests/soak.h"

namespace dray::net::client {
namespace {

using testing::SimulatedNetwork;

/// A server of one connection: it answers with lines, in a form that it chooses, and may end.
class Origin final : private ServerEngine::Events {
 public:
  Origin(SimulatedNetwork& network,
         std::unique_ptr<Socket> socket,
         const tls::State* tls,
         WallTime now)
      : network_(network),
        socket_(std::move(socket)),
        transport_(tls == nullptr ? MakePlainTransport(*socket_)
                                  : tls::MakeServerTransport(*tls, *socket_, now)) {}

  /// Does one thing. False: nothing has moved.
  bool Step() {
    if (socket_ == nullptr) return false;
    if (!has_shaken_) {
      const uint64_t before = network_.outside_moves();
      const IoStatus status = transport_->Handshake();
      if (status == IoStatus::kEnd || status == IoStatus::kBroken) return Leave();
      has_shaken_ = status == IoStatus::kDone;
      return has_shaken_ || network_.outside_moves() != before;
    }
    if (network_.OneIn(200)) return Leave();
    const bool writes_first = network_.OneIn(2);
    return (writes_first && WriteSome()) || ReadSome() || (!writes_first && WriteSome()) ||
           WriteMore();
  }

 private:
  static bool WantsMore(const IoResult& result) {
    return result.status == IoStatus::kWantRead || result.status == IoStatus::kWantWrite;
  }

  bool Leave() {
    socket_->Close();
    transport_.reset();
    socket_.reset();
    return true;
  }

  bool ReadSome() {
    std::string into(1 + network_.Below(5'000), '\0');
    const uint64_t before = network_.outside_moves();
    const IoResult result = transport_->Read(into);
    if (WantsMore(result)) return network_.outside_moves() != before;  // a part of a record
    if (result.status != IoStatus::kDone) return Leave();
    engine_.Feed(std::string_view(into).substr(0, result.size));
    return true;
  }

  bool WriteSome() {
    std::string out(16'384, '\0');
    engine_.Feed({});
    const size_t size = engine_.Peek(out);
    if (size == 0) return engine_.wants_close() && Leave();
    if (piece_ == 0) piece_ = 1 + network_.Below(size);
    const uint64_t before = network_.outside_moves();
    const IoResult result = transport_->Write(std::string_view(out).substr(0, piece_));
    if (WantsMore(result)) return network_.outside_moves() != before;
    if (result.status != IoStatus::kDone) return Leave();
    piece_ = 0;
    engine_.Consume(result.size);
    return true;
  }

  /// The next line of a streamed answer.
  bool WriteMore() {
    if (lines_ == 0) return false;
    engine_.Write(stream_, Bytes(std::string(network_.Below(3'000), 'l') + "\n"));
    if (--lines_ == 0) engine_.Finish(stream_);
    return true;
  }

  HeadVerdict OnHead(Request& /*head*/) override { return HeadVerdict::kTaken; }
  void OnRequest(StreamId stream, Request request) override {
    stream_ = stream;
    const bool is_streamed = request.target == "/lines" || network_.OneIn(3);
    ResponseHead head;
    if (is_streamed) {
      lines_ = 1 + network_.Below(20);
      head.headers.Add("X-Lines", std::to_string(lines_));
      return engine_.Start(stream, std::move(head));
    }
    const size_t lines = network_.Below(2'000);
    head.headers.Add("X-Lines", std::to_string(lines));
    std::string text;
    for (size_t i = 0; i < lines; ++i) text += std::string(network_.Below(50), 'a') + "\n";
    engine_.Respond(stream, std::move(head), Bytes(std::move(text)));
  }

  SimulatedNetwork& network_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Transport> transport_;
  http1::Engine engine_{*this, {}};
  bool has_shaken_ = false;
  size_t piece_ = 0;
  StreamId stream_ = 0;
  size_t lines_ = 0;  // of a streamed answer, not written yet
};

class SimulatedClient final : public Dialer {
 public:
  explicit SimulatedClient(uint64_t seed)
      : network_(seed, clock_), uses_tls_(!network_.OneIn(3)), keys_(testing::SeedKeys(seed)) {
    network_.set_world(
        {.act = [this] { return Act(); }, .check_before_sleep = [] {}, .let_time_pass = [] {}});
  }

  /// What went wrong; empty: nothing.
  std::string Run() {
    HttpClientOptions options;
    options.server = {.scheme = uses_tls_ ? Scheme::kHttps : Scheme::kHttp,
                      .host = "127.0.0.1",
                      .port = 1,
                      .path = ""};
    options.tls = keys_.client;
    options.dialer = this;
    HttpClient client(mixed_clock_, options);
    for (int i = 0; i < 20 && wrong_.empty(); ++i) {
      if (network_.OneIn(3)) {
        ReadLines(client);
      } else {
        SendOne(client);
      }
    }
    return wrong_;
  }

  Result<std::unique_ptr<BlockingSocket>> Dial(const Clock& /*clock*/,
                                               const Endpoint& server,
                                               std::shared_ptr<const Cancellation> /*cancellation*/,
                                               MonotonicTime deadline) override {
    if (network_.OneIn(50)) return Unavailable(server, "refused");
    const auto room = [this] { return network_.OneOf({500, 5'000, 100'000}); };
    SimulatedNetwork::Pair pair = network_.MakePair(room(), room());
    origins_.push_back(std::make_unique<Origin>(network_,
                                                std::move(pair.server),
                                                uses_tls_ ? keys_.server->state().get() : nullptr,
                                                mixed_clock_.Now()));
    static_cast<void>(deadline);
    return std::make_unique<Waiting>(*this, std::move(pair.client), pair.link);
  }

 private:
  /// Waits by letting the rest of the world act.
  class Waiting final : public BlockingSocket {
   public:
    Waiting(SimulatedClient& client,
            std::unique_ptr<Socket> socket,
            std::shared_ptr<testing::Link> link)
        : client_(client), socket_(std::move(socket)), link_(std::move(link)) {}
    IoResult Read(std::span<char> into) override { return socket_->Read(into); }
    IoResult Peek(std::span<char> into) override { return socket_->Peek(into); }
    IoResult Write(std::string_view bytes) override { return socket_->Write(bytes); }
    void EndWriting() override { socket_->EndWriting(); }
    void Close() override { socket_->Close(); }
    int descriptor() const override { return socket_->descriptor(); }
    bool is_readable() const override { return link_->to_client.is_readable(); }

    Result<> Wait(IoStatus blocked, MonotonicTime /*deadline*/) override {
      const bool writes = blocked == IoStatus::kWantWrite;
      while (writes ? link_->to_server.free() == 0 && !link_->to_server.is_reset : !is_readable()) {
        if (client_.Act()) continue;
        client_.Complain(writes ? "stands still: waits for room" : "stands still: waits for bytes");
        return Fail(StatusReason::kTimeout, "nothing can happen any more");
      }
      return {};
    }

   private:
    SimulatedClient& client_;
    const std::unique_ptr<Socket> socket_;
    const std::shared_ptr<testing::Link> link_;
  };

  void SendOne(HttpClient& client) {
    ClientRequest request{.method = "GET", .target = "/"};
    if (network_.OneIn(3)) {
      request.method = "POST";
      request.body = std::string(network_.OneOf({0, 100, 30'000}), 'b');
    }
    const Result<ClientResponse> response = client.Send(request);
    if (!response.has_value()) return;  // the server has ended, or refused
    CheckLines(response->headers, static_cast<size_t>(std::ranges::count(response->body, '\n')));
  }

  void ReadLines(HttpClient& client) {
    auto stream = client.Open({.method = "GET", .target = "/lines"});
    if (!stream.has_value()) return;
    size_t lines = 0;
    const size_t most = network_.OneOf({3, 1'000});  // then it is given up
    while (lines < most) {
      const auto outcome = (*stream)->ReadLine(std::chrono::seconds(5));
      if (outcome == ResponseStream::Outcome::kEnd) {
        return CheckLines((*stream)->headers(), lines);
      }
      if (outcome != ResponseStream::Outcome::kLine) return;
      ++lines;
    }
  }

  void CheckLines(const Headers& headers, size_t lines) {
    if (headers.Get("X-Lines") == std::to_string(lines)) return;
    Complain(fmt::format("{} of {} lines came", lines, headers.Get("X-Lines")));
  }

  bool Act() {
    for (const bool hesitates : {true, false}) {
      const size_t first = network_.Below(origins_.size() + 1);
      for (size_t i = 0; i <= origins_.size(); ++i) {
        const size_t actor = (first + i) % (origins_.size() + 1);
        if (actor == origins_.size() ? network_.Deliver(hesitates) : origins_[actor]->Step()) {
          return true;
        }
      }
    }
    return false;
  }

  void Complain(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }

  SimulatedClock clock_;
  const testing::MixedClock mixed_clock_{clock_};
  SimulatedNetwork network_;
  const bool uses_tls_;
  const testing::SimulatedKeys& keys_;
  std::vector<std::unique_ptr<Origin>> origins_;
  std::string wrong_;
};

// DRAY_SEED=7 runs one seed alone. The first one finds the mutant.
TEST(ClientSimulation, NoCallStandsStill) {
  const char* const only = std::getenv("DRAY_SEED");  // NOLINT(concurrency-mt-unsafe): one thread
  const uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  const uint64_t count = only == nullptr ? Instances(20, 100) : 1;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::string wrong = SimulatedClient(seed).Run();
    ASSERT_EQ(wrong, "") << "seed " << seed << ": " << wrong;
  }
}

}  // namespace
}  // namespace dray::net::client
