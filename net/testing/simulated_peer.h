// SPDX-License-Identifier: Apache-2.0
// For tests: clients on a SimulatedNetwork, with HTTP/1.1 or HTTP/2, plain or TLS, polite or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/published.h"
#include "base/world.h"
#include "net/socket.h"
#include "net/testing/simulated_network.h"
#include "net/tls/transport.h"
#include "net/transport.h"

namespace dray::net::testing {

/// What both protocols have in common for a peer: requests go in, answers come out.
class PeerProtocol {
 public:
  virtual ~PeerProtocol() = default;
  /// Bytes to send now; may begin further requests.
  virtual std::string TakeOutput() = 0;
  /// False: the server broke the protocol.
  virtual bool Feed(std::string_view bytes) = 0;
  /// The server sends no more.
  virtual void OnEnd() = 0;
  /// No further request will be begun.
  virtual bool has_asked_all() const = 0;
  /// All requests were begun and each has ended.
  virtual bool is_complete() const = 0;
  /// What is missing, for people.
  virtual std::string state() const = 0;
  /// An answer came that is not the one that was promised; empty when all is well.
  virtual std::string mistake() const = 0;
};

struct PeerOptions {
  int requests = 1;
  size_t at_once = 1;         // requests that wait for answers together
  size_t body_bytes_max = 0;  // of a request; 0: there are none
};

std::unique_ptr<PeerProtocol> MakeHttp1Peer(SimulatedNetwork& network, PeerOptions options);
std::unique_ptr<PeerProtocol> MakeHttp2Peer(SimulatedNetwork& network, PeerOptions options);

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
  /// Of every kind.
  static Habits SomeHabits(SimulatedNetwork& network);
  /// Of clients that keep a server's reads full of small records: many small requests over TLS.
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
