// SPDX-License-Identifier: Apache-2.0
// The smallest server over nghttp2 and OpenSSL: one connection, one thread, and fixed answers. The
// difference to Dray's cost is Dray's own.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/testing/instruction_counter.h"
#include "net/tls/certificates.h"

namespace dray::bench {

/// The answer to a method, for every path.
struct EchoAnswer {
  std::vector<std::pair<std::string, std::string>> fields;  // ":status" first
  std::string body;
};

class Http2Echo {
 public:
  /// Listens on a free port of loopback for one connection. Ends the program on an error.
  Http2Echo(net::tls::Credentials credentials, std::map<std::string, EchoAnswer> answers);
  /// Precondition: the client has closed its connection.
  ~Http2Echo();
  Http2Echo(const Http2Echo&) = delete;
  Http2Echo& operator=(const Http2Echo&) = delete;

  uint16_t port() const { return port_; }
  /// The CPU time of its thread so far.
  double cpu_seconds() const;
  uint64_t instructions() const;

 private:
  void Serve();

  const net::tls::Credentials credentials_;
  const std::map<std::string, EchoAnswer> answers_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<const testing::InstructionCounter*> counter_ = nullptr;
  std::atomic<pid_t> thread_id_ = 0;
  std::thread thread_;
};

}  // namespace dray::bench
