// SPDX-License-Identifier: Apache-2.0
// For tests: one reactor of a server with its peers on a SimulatedNetwork, on one thread, from a
// seed. Before each wait of the loop nothing that could be done may be left undone (INV-9), and
// when nothing can happen any more but that time passes, no peer may still wait for its server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/simulated_world.h"
#include "base/world.h"
#include "net/http.h"
#include "net/server/options.h"
#include "net/server/reactor_context.h"
#include "net/server/reactor_host.h"
#include "net/testing/simulated_keys.h"
#include "net/testing/simulated_network.h"
#include "net/testing/simulated_peer.h"

namespace dray::net::testing {

/// Runs `function` on another thread and waits for it: what the server does on threads of its own
/// happens at a moment that the seed chooses.
template <class F>
void OnAnotherThread(F&& function) {
  std::thread(std::forward<F>(function)).join();
}

class SimulatedServer {
 public:
  struct Surroundings {
    Handler& handler;
    /// Other threads of the server do one thing. False: they have nothing to do.
    std::function<bool()> act;
    /// What is wrong now that nothing can happen any more, beside peers that wait; may be null.
    std::function<std::string()> judge = nullptr;
    /// Handlers break answers off, so a peer that is cut off is no fault.
    bool aborts = false;
    /// The server may be asked to end at any moment.
    bool drains = false;
  };

  SimulatedServer(uint64_t seed, bool is_tracing);

  SimulatedNetwork& network() { return network_; }
  SimulatedClock& clock() { return clock_; }
  /// Before Run.
  void AddPeer(const SimulatedPeer::Habits& habits);
  const std::vector<std::unique_ptr<SimulatedPeer>>& peers() const { return peers_; }

  /// Runs until all connections are over and the server has ended. What went wrong; empty: nothing.
  /// Once.
  std::string Run(const Surroundings& surroundings);

  /// The last events of the run, a line each.
  std::string trace() const;

 private:
  void Complain(std::string what);
  bool Act();
  bool ActAs(size_t actor, bool hesitates);
  void JudgePeers();
  void CheckBeforeSleep();
  void LetTimePass();
  void Drain();

  SimulatedClock clock_;
  const MixedClock mixed_clock_{clock_};
  const MonotonicTime began_ = clock_.Monotonic();
  SimulatedNetwork network_;
  const SimulatedKeys& keys_;
  Log log_ = Log::Silent();
  server::HttpServerOptions options_;
  server::ServerLoad load_;
  const Surroundings* surroundings_ = nullptr;  // while it runs
  server::ReactorHost* host_ = nullptr;         // while it runs
  std::vector<std::unique_ptr<SimulatedPeer>> peers_;
  int jolts_ = 8;  // moments at which time passes although something is under way
  bool is_draining_ = false;
  std::string wrong_;
};

}  // namespace dray::net::testing
