// SPDX-License-Identifier: Apache-2.0
// For tests: clients on a SimulatedNetwork, with HTTP/1.1 or HTTP/2, plain or TLS, polite or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/frozen.h"
#include "base/world.h"
#include "net/socket.h"
#include "net/testing/peer_protocol.h"
#include "net/testing/simulated_network.h"
#include "net/tls/transport.h"
#include "net/transport.h"

namespace dray::net::testing {

class SimulatedPeer {
 public:
  enum class Manner : uint8_t {
    kPolite,      // asks, reads every answer, and goes
    kStays,       // the same, but leaves its connection open
    kHalfCloses,  // ends its sending side after the last request, then reads
    kResets,      // closes at any moment
    kStops,       // stops sending and reading at any moment, and stays
    kGarbage,     // sends bytes that mean nothing
  };

  struct Habits {
    Manner manner = Manner::kPolite;
    bool is_http2 = true;
    bool uses_tls = true;
    size_t piece_max = 1;     // bytes that are sent at once: a record of TLS
    uint64_t burst_max = 1;   // pieces in a row
    size_t read_max = 1;      // bytes that are read at once
    uint64_t reluctance = 1;  // to read: it does so in one of so many steps
    PeerOptions requests = {};
  };
  /// Random habits of every kind.
  static Habits SomeHabits(SimulatedNetwork& network);
  /// Habits of clients that fill a server's reads with small records: many small requests over TLS.
  static Habits BurstyHabits(SimulatedNetwork& network);

  /// How peers use TLS, by what they offer.
  struct Contexts {
    Frozen<tls::State> http1, http2;
  };

  SimulatedPeer(SimulatedNetwork& network,
                const Habits& habits,
                const Contexts& contexts,
                WallTime now,
                int number);
  ~SimulatedPeer();

  /// Does one thing. A hesitant peer may not feel like it. False: nothing has moved.
  bool Step(bool hesitates);

  /// It waits for the server, which owes it something.
  bool is_owed() const;
  /// Its connection, if there ever was one, is over.
  bool is_gone() const { return has_begun_ && socket_ == nullptr; }
  /// The server closed before it had answered, and why that is no fault is not known.
  bool was_cut_off() const { return was_cut_off_; }
  std::string state() const;
  std::string mistake() const;
  /// The number of received lines of each lasting answer, for peers that read everything.
  std::vector<size_t> lasting_lines() const;

 private:
  void Begin();
  bool Shake();
  bool Send();
  bool Receive();
  void Leave();
  bool IsBad(IoStatus status) const;

  SimulatedNetwork& network_;
  const WallTime now_;
  const int number_;
  const Habits habits_;
  const Frozen<tls::State> tls_;  // null: plain
  size_t until_stop_ = 0;         // bytes, of one that stops, resets or talks nonsense

  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<PeerProtocol> protocol_;
  std::string unsent_;
  size_t piece_ = 0;  // of unsent_, which a repeated Write begins with
  std::string end_;   // how the connection ended, as the peer saw it
  uint64_t own_moves_ = 0;
  bool has_begun_ = false, has_shaken_ = false, has_stopped_ = false, has_ended_sending_ = false;
  bool has_received_ = false, was_cut_off_ = false, broke_protocol_ = false;
};

}  // namespace dray::net::testing
