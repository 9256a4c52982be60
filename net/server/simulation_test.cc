// SPDX-License-Identifier: Apache-2.0
// A whole server on a simulated network: every stage of a connection, both versions of HTTP, plain
// and TLS, polite and rude peers, answers at once, later and in pieces.
//
// The tests mutant.net.* are this program with faults put into the sources: it must find each.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "net/http.h"
#include "net/reactor.h"
#include "net/testing/simulated_network.h"
#include "net/testing/simulated_peer.h"
#include "net/testing/simulated_server.h"
#include "tests/soak.h"

namespace dray::net::server {
namespace {

using testing::SimulatedNetwork;
using testing::SimulatedPeer;
using testing::SimulatedServer;

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

/// What went wrong with this seed; empty: nothing.
std::string RunSeed(uint64_t seed, std::string* trace) {
  SimulatedServer server(seed, trace != nullptr);
  SimulatedNetwork& network = server.network();
  const bool is_bursty = network.OneIn(3);
  const bool aborts = network.OneIn(4);
  SimulatedHandler handler(network, aborts, is_bursty);
  for (uint64_t peers = 1 + network.Below(4); peers > 0; --peers) {
    server.AddPeer(is_bursty ? SimulatedPeer::BurstyHabits(network)
                             : SimulatedPeer::SomeHabits(network));
  }
  const SimulatedServer::Surroundings surroundings{.handler = handler,
                                                   .act = [&] { return handler.Act(); },
                                                   .aborts = aborts,
                                                   .drains = network.OneIn(4)};
  std::string wrong = server.Run(surroundings);
  if (wrong.empty() && !handler.wrong_body().empty()) {
    wrong = "a request lost bytes: " + handler.wrong_body();
  }
  if (trace != nullptr) *trace = server.trace();
  return wrong;
}

// DRAY_SEED=7 runs one seed alone. The first four find all mutants.
TEST(ServerSimulation, NoRequestStandsStill) {
  const char* const only = std::getenv("DRAY_SEED");  // NOLINT(concurrency-mt-unsafe): one thread
  const uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  const uint64_t count = only == nullptr ? Instances(40, 200) : 1;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (RunSeed(seed, nullptr).empty()) continue;
    std::string trace;
    const std::string wrong = RunSeed(seed, &trace);
    FAIL() << "seed " << seed << ": " << wrong << "\n" << trace;
  }
}

}  // namespace
}  // namespace dray::net::server
