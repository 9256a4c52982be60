// SPDX-License-Identifier: Apache-2.0
// For tests: a TCP proxy on a loopback port that can refuse, cut and hold up connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>

#include "base/mutex.h"

namespace dray::store::etcd::testing {

/// Forwards connections to 127.0.0.1:`target`. All functions may be called from any thread, and
/// have taken effect when they return.
class TcpProxy {
 public:
  explicit TcpProxy(uint16_t target);
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;
  ~TcpProxy();

  /// Closes all connections; bytes in flight are lost. The proxy still accepts new ones.
  void Cut();
  /// Forwards new connections to another port from now on.
  void Redirect(uint16_t target);
  /// Like Cut, and refuses connections until Allow. The port stays reserved for this proxy.
  void Refuse();
  void Allow();
  /// Keeps connections and accepts new ones, but forwards no byte until Release. Then it forwards
  /// the bytes held, unless the connection was cut.
  void Hold();
  /// Like Hold, but only for bytes from the target: requests arrive, answers do not.
  void HoldAnswers();
  /// Like Hold, for one connection. Connections are counted from 0 in the order they were accepted.
  void HoldConnection(size_t number);
  void Release();
  /// Loses the answer to every `every`-th request that contains `text`. The proxy forwards the
  /// request and cuts its connection at the first byte of the answer. For protocols in plain text.
  void LoseAnswers(std::string text, size_t every);
  /// Number of answers lost so far.
  size_t lost_answers() const;

  uint16_t port() const { return port_; }
  /// "http://127.0.0.1:port".
  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Number of connections accepted so far.
  size_t connections() const;

 private:
  enum class Flow : uint8_t { kForward, kHoldAnswers, kHold };

  /// Bytes from one socket to the other.
  struct Direction {
    std::string held;
    bool ended = false;  // the sender has closed
  };
  struct Connection {
    size_t number = 0;
    int client = -1;
    int target = -1;
    bool loses_answer = false;
    Direction up, down;  // up: from the client to the target
  };

  void Run();
  bool IsHeld(const Connection& connection) const DRAY_REQUIRES(mutex_) {
    return flow_ == Flow::kHold || held_.contains(connection.number);
  }
  /// Returns false if the port is taken.
  bool Bind() DRAY_REQUIRES(mutex_);
  void Listen() DRAY_REQUIRES(mutex_);
  void CutAll() DRAY_REQUIRES(mutex_);
  void Accept() DRAY_REQUIRES(mutex_);
  /// Marks the connection if the answer to the bytes just sent by the client is to be lost.
  void NoteRequest(Connection& connection) DRAY_REQUIRES(mutex_);
  /// Returns false when the connection is over.
  bool Pump(Connection& connection) DRAY_REQUIRES(mutex_);
  void PumpAll() DRAY_REQUIRES(mutex_);
  /// Adds the descriptors of the listener and of the connections to poll.
  void AddWaits(std::vector<pollfd>& waits) const DRAY_REQUIRES(mutex_);
  void SetFlow(Flow flow);
  void Nudge() const;

  uint16_t port_ = 0;
  int nudge_ = -1;  // an eventfd: the descriptors to poll have changed
  mutable Mutex mutex_;
  uint16_t target_ DRAY_GUARDED_BY(mutex_);
  int listener_ DRAY_GUARDED_BY(mutex_) = -1;  // keeps its port also while it does not listen
  bool is_listening_ DRAY_GUARDED_BY(mutex_) = false;
  std::string lost_text_ DRAY_GUARDED_BY(mutex_);
  size_t lost_every_ DRAY_GUARDED_BY(mutex_) = 0;  // 0: no answer is lost
  size_t seen_requests_ DRAY_GUARDED_BY(mutex_) = 0;
  size_t lost_answers_ DRAY_GUARDED_BY(mutex_) = 0;
  Flow flow_ DRAY_GUARDED_BY(mutex_) = Flow::kForward;
  std::set<size_t> held_ DRAY_GUARDED_BY(mutex_);
  std::list<Connection> connections_ DRAY_GUARDED_BY(mutex_);
  size_t taken_ DRAY_GUARDED_BY(mutex_) = 0;
  bool stopping_ DRAY_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace dray::store::etcd::testing
