// SPDX-License-Identifier: Apache-2.0
// For tests: a client's side of HTTP/1.1 and of HTTP/2 without I/O: it asks its requests, and knows
// which answers are still owed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http.h"
#include "net/testing/simulated_network.h"

namespace dray::net::testing {

struct PeerRequest {
  std::string method, path;
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::optional<std::string> body = std::nullopt;
  bool lasts = false;  // a watch, whose answer may never end
};

/// A whole answer.
struct PeerAnswer {
  int status = 0;
  const Headers& headers;
  std::string_view body;
};

struct PeerOptions {
  int requests = 1;
  size_t at_once = 1;         // requests that wait for answers together
  size_t body_bytes_max = 0;  // of a request; 0: there are none
  /// The next request; null: one whose path names the size of its body.
  std::function<PeerRequest()> next = nullptr;
  /// What is wrong with an answer, empty if nothing; null: its size is not the promised one.
  std::function<std::string(const PeerRequest&, const PeerAnswer&)> judge = nullptr;
};

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
  /// All requests were begun, and each has ended, or has the head of an answer that lasts.
  virtual bool is_complete() const = 0;
  /// The server could do something for it now: it has not everything, and no answer that lasts is
  /// in the way.
  virtual bool is_owed() const { return !is_complete(); }
  /// The lines so far of each answer that lasts and has not ended.
  virtual std::vector<size_t> lasting_lines() const = 0;
  /// What is missing, for people.
  virtual std::string state() const = 0;
  /// An answer came that is not right; empty when all is well.
  virtual std::string mistake() const = 0;
};

std::unique_ptr<PeerProtocol> MakeHttp1Peer(SimulatedNetwork& network, PeerOptions options);
std::unique_ptr<PeerProtocol> MakeHttp2Peer(SimulatedNetwork& network, PeerOptions options);

}  // namespace dray::net::testing
