// SPDX-License-Identifier: Apache-2.0
// A whole server on a simulated network, from a seed: every stage of a connection, both versions of
// HTTP, plain and TLS, polite and rude peers, answers at once, later and in pieces. Before each
// wait of the loop nothing that could be done may be left undone (INV-9), and when nothing can
// happen any more but that time passes, no peer may still wait for its server.
//
// dev/mutants.py builds this program again with faults put into the sources, and it must find each.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/rand.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "net/http.h"
#include "net/reactor.h"
#include "net/server/options.h"
#include "net/server/reactor_context.h"
#include "net/server/reactor_host.h"
#include "net/server/socket_address.h"
#include "net/testing/server_fixture.h"
#include "net/testing/simulated_network.h"
#include "net/testing/simulated_peer.h"
#include "net/tls/context.h"
#include "tests/soak.h"

namespace dray::net::server {
namespace {

using testing::Pki;
using testing::SimulatedNetwork;
using testing::SimulatedPeer;

constexpr std::chrono::minutes kPatience{20};  // simulated

/// OpenSSL's randomness from a seed, so that a run can be repeated.
class SeededOpenSsl {
 public:
  SeededOpenSsl() {
    static const RAND_METHOD kMethod = {.seed = nullptr,
                                        .bytes = Bytes,
                                        .cleanup = nullptr,
                                        .add = nullptr,
                                        .pseudorand = Bytes,
                                        .status = [] { return 1; }};
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"  // its successor is a whole provider
    RAND_set_rand_method(&kMethod);
#pragma clang diagnostic pop
  }
  static void Seed(uint64_t seed) { Source() = std::make_unique<SeededRandom>(seed); }

 private:
  static std::unique_ptr<SeededRandom>& Source() {
    static std::unique_ptr<SeededRandom> source = std::make_unique<SeededRandom>(0);
    return source;
  }
  static int Bytes(unsigned char* into, int size) {
    for (int i = 0; i < size; ++i) into[i] = static_cast<unsigned char>(Source()->Next());
    return 1;
  }
};

/// Answers at once, later from another thread, or in pieces; now and then breaks an answer off.
class SimulatedHandler final : public Handler {
 public:
  SimulatedHandler(SimulatedNetwork& network, bool aborts, bool is_short)
      : network_(network), aborts_(aborts), is_short_(is_short) {}

  void Handle(Request request, std::shared_ptr<Responder> responder) override {
    if (request.target != fmt::format("/{}", request.body.size())) wrong_body_ = request.target;
    const size_t size = SomeSize();
    switch (network_.Below(4)) {
      case 0: return Answer(*responder, size);
      case 1: return Later(*responder, [this, responder, size] { Answer(*responder, size); });
      default: return Stream(std::move(responder), size);
    }
  }

  /// A worker or another thread has something for the reactor. False: they have nothing.
  bool Act() {
    if (work_.empty()) return false;
    std::swap(work_[network_.Below(work_.size())], work_.back());
    Work work = std::move(work_.back());
    work_.pop_back();
    work.reactor->Post(std::move(work.function));
    return true;
  }
  const std::string& wrong_body() const { return wrong_body_; }

 private:
  struct Work {
    Reactor* reactor;
    std::function<void()> function;
  };
  struct Streamed {
    std::shared_ptr<Responder> responder;
    size_t left;
  };

  size_t SomeSize() {
    if (is_short_) return network_.Below(100);
    if (network_.OneIn(30)) return 3 * kStreamQueueBytesMax;
    constexpr size_t kSizes[] = {0, 10, 3'000, 50'000, 300'000};
    return kSizes[network_.Below(std::size(kSizes))];
  }
  ResponseHead HeadFor(size_t size) {
    ResponseHead head;
    head.headers.Add("X-Size", std::to_string(size));
    return head;
  }
  void Later(Responder& responder, std::function<void()> function) {
    work_.push_back({.reactor = &responder.reactor(), .function = std::move(function)});
  }
  void Answer(Responder& responder, size_t size) {
    if (aborts_ && network_.OneIn(10)) return responder.Abort();
    Body body;
    const size_t pieces = 1 + network_.Below(4);
    for (size_t i = 0; i < pieces; ++i) body.Add(Bytes(std::string(size / pieces, 'a')));
    body.Add(Bytes(std::string(size % pieces, 'a')));
    responder.Respond(HeadFor(size), std::move(body));
  }
  void Stream(std::shared_ptr<Responder> responder, size_t size) {
    responder->Start(HeadFor(size));
    Push(std::make_shared<Streamed>(Streamed{.responder = std::move(responder), .left = size}));
  }
  /// Writes pieces until the peer is slow, or the next piece is not there yet.
  void Push(const std::shared_ptr<Streamed>& stream) {
    while (stream->left > 0) {
      if (aborts_ && network_.OneIn(30)) return;  // the answer is dropped
      const size_t size = 1 + network_.Below(std::min<size_t>(stream->left, 300'000));
      switch (stream->responder->Write(Bytes(std::string(size, 'a')))) {
        case WriteOutcome::kQueued: stream->left -= size; break;
        case WriteOutcome::kFull:
          return stream->responder->OnWritable([this, stream] { Push(stream); });
        case WriteOutcome::kClosed: return;
      }
      if (network_.OneIn(2)) return Later(*stream->responder, [this, stream] { Push(stream); });
    }
    stream->responder->Finish();
  }

  SimulatedNetwork& network_;
  const bool aborts_;
  const bool is_short_;  // no answer is long
  std::vector<Work> work_;
  std::string wrong_body_;
};

/// What all seeds share: keys take long to make.
struct Keys {
  static const Keys& Of() {
    static const Keys keys;
    return keys;
  }
  std::shared_ptr<tls::ServerContext> server;
  SimulatedPeer::Contexts peers;

 private:
  Keys() {
    const Pki pki = Pki::Make();
    const auto client = [&](tls::HttpVersions versions) {
      return tls::ClientContext::Create({.ca_pem = pki.ca.certificate_pem, .versions = versions})
          .value()
          ->state();
    };
    server = tls::ServerContext::Create({pki.server, pki.ca.certificate_pem}).value();
    peers = {.http1 = client(tls::HttpVersions::kHttp1),
             .http2 = client(tls::HttpVersions::kHttp2)};
  }
};

class Simulation {
 public:
  Simulation(uint64_t seed, bool is_tracing)
      : network_(seed, clock_),
        is_bursty_(network_.OneIn(3)),
        aborts_(network_.OneIn(4)),
        drains_(network_.OneIn(4)),
        handler_(network_, aborts_, is_bursty_) {
    const SimulatedPeer::Contexts& contexts = Keys::Of().peers;
    SeededOpenSsl::Seed(seed);
    network_.set_tracing(is_tracing);
    options_.tls = Keys::Of().server;
    const auto peers = 1 + static_cast<int>(network_.Below(4));
    for (int i = 0; i < peers; ++i) {
      const SimulatedPeer::Habits habits =
          is_bursty_ ? SimulatedPeer::BurstyHabits(network_) : SimulatedPeer::SomeHabits(network_);
      peers_.push_back(
          std::make_unique<SimulatedPeer>(network_, habits, contexts, real_time_.Now(), i));
    }
  }

  /// What went wrong; empty: nothing.
  std::string Run() {
    network_.set_world({.act = [this] { return Act(); },
                        .check_before_sleep = [this] { CheckBeforeSleep(); },
                        .let_time_pass = [this] { return LetTimePass(); }});
    {
      ReactorHost host(real_time_, log_, options_, handler_, load_, network_);
      host_ = &host;
      const SocketAddress address = SocketAddress::Parse("127.0.0.1", 0).value();
      if (!host.Listen(address).has_value() || !host.Begin().has_value()) return "no listener";
      host.reactor().Run();
      host_ = nullptr;
    }
    while (wrong_.empty() && Act()) {
    }
    for (const auto& peer : peers_) {
      if (peer->is_owed()) Say(fmt::format("stands still after the end: {}", peer->state()));
    }
    if (load_.connections.load() != 0) Say("a connection is still counted");
    if (!handler_.wrong_body().empty()) Say("a request lost bytes: " + handler_.wrong_body());
    return wrong_;
  }

  const auto& trace() const { return network_.trace(); }

 private:
  /// The time of certificates is real, timers run on the simulated clock.
  class MixedClock final : public Clock {
   public:
    explicit MixedClock(const SimulatedClock& simulated) : simulated_(simulated) {}
    WallTime Now() const override { return now_; }
    MonotonicTime Monotonic() const override { return simulated_.Monotonic(); }

   private:
    const SimulatedClock& simulated_;
    const WallTime now_ = RealWorld().clock.Now();
  };

  void Say(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
    if (host_ != nullptr) host_->reactor().Stop();
  }

  bool Act() {
    if (drains_ && host_ != nullptr && network_.OneIn(3000)) Drain();
    if (jolts_ > 0 && network_.OneIn(500)) {
      --jolts_;
      clock_.Advance(std::chrono::milliseconds(100));
    }
    const size_t first = network_.Below(peers_.size() + 2);
    for (const bool hesitates : {true, false}) {
      for (size_t i = 0; i < peers_.size() + 2; ++i) {
        const size_t actor = (first + i) % (peers_.size() + 2);
        const bool has_acted = actor == 0   ? network_.Deliver(hesitates)
                               : actor == 1 ? host_ != nullptr && handler_.Act()
                                            : peers_[actor - 2]->Step(hesitates);
        if (has_acted) {
          Judge();
          return true;
        }
      }
    }
    return false;
  }

  void Judge() {
    for (const auto& peer : peers_) {
      if (!peer->mistake().empty()) Say(peer->mistake() + ": " + peer->state());
      if (peer->was_cut_off() && !aborts_ && !is_draining_) Say("cut off: " + peer->state());
    }
  }

  void CheckBeforeSleep() {
    if (host_->has_forgotten_work())
      Say("forgotten: a connection can go on, and nothing will make it");
  }

  bool LetTimePass() {
    std::string owed, open;
    for (const auto& peer : peers_) {
      if (peer->is_owed()) owed += "; " + peer->state();
      if (!peer->is_gone()) open += "; " + peer->state();
    }
    // A server that had no descriptor for a connection tries again with its next tick.
    const bool retries = clock_.Monotonic() - network_.accept_failed() < 2 * options_.tick;
    if (!owed.empty() && !retries) Say("stands still" + owed);
    const bool is_over = load_.connections.load() == 0;
    if (clock_.Monotonic() - began_ > kPatience)
      Say("does not end" + (is_over ? std::string("; no connection is left") : open));
    if (!wrong_.empty()) return false;
    if (is_over) Drain();
    return true;
  }

  void Drain() {
    if (std::exchange(is_draining_, true)) return;
    host_->reactor().Post([this] { host_->Drain(std::chrono::seconds(30)); });
  }

  SimulatedClock clock_;
  const MixedClock real_time_{clock_};
  const MonotonicTime began_ = clock_.Monotonic();
  SimulatedNetwork network_;
  const bool is_bursty_, aborts_, drains_;
  int jolts_ = 8;
  Log log_ = Log::Silent();
  HttpServerOptions options_;
  ServerLoad load_{options_};
  SimulatedHandler handler_;
  std::vector<std::unique_ptr<SimulatedPeer>> peers_;
  ReactorHost* host_ = nullptr;  // while it runs
  bool is_draining_ = false;
  std::string wrong_;
};

/// The whole story of a seed that went wrong.
std::string Story(uint64_t seed) {
  Simulation simulation(seed, true);
  const std::string wrong = simulation.Run();
  std::string text = fmt::format("seed {}: {}\n", seed, wrong);
  for (const std::string& line : simulation.trace()) text += "  " + line + "\n";
  return text;
}

// DRAY_SEED=7 runs one seed alone.
TEST(ServerSimulation, NoRequestStandsStill) {
  const SeededOpenSsl openssl;
  const char* const only = std::getenv("DRAY_SEED");  // NOLINT(concurrency-mt-unsafe): one thread
  const uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  const uint64_t count = only == nullptr ? Instances(300) : 1;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::string wrong = Simulation(seed, false).Run();
    ASSERT_EQ(wrong, "") << Story(seed);
  }
}

}  // namespace
}  // namespace dray::net::server
