// SPDX-License-Identifier: Apache-2.0
// Sends recorded requests byte by byte, with only Host and Content-Length added.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/client/connection.h"
#include "net/http.h"

namespace dray::rest {

struct WireRequest {
  std::string method, target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<std::string> body;
};

struct WireAnswer {
  int status = 0;
  net::Headers headers;
  std::string body;  // without gzip
};

/// The answer to a watch, while it arrives. For one thread.
class WireStream {
 public:
  enum class Framing : uint8_t { kLines, kLengths };  // JSON; protobuf

  explicit WireStream(std::unique_ptr<net::client::Connection> connection);

  /// Waits for the next line or frame and returns it without its delimiter; nothing if none comes
  /// in time or the stream has ended.
  std::optional<std::string> Next(std::chrono::milliseconds patience);
  bool ended() const { return ended_; }

 private:
  std::optional<std::string> Take();

  std::unique_ptr<net::client::Connection> connection_;
  const Framing framing_;
  std::string buffer_;
  bool ended_ = false;
};

/// A watch that was opened: with a stream when its status is 200, with a body otherwise.
struct WireWatch {
  WireAnswer answer;
  std::unique_ptr<WireStream> stream;
};

/// One connection to a server on this machine, opened again when the server has closed it.
class Wire {
 public:
  explicit Wire(uint16_t port);

  /// Errors: kServiceUnavailable  no connection, or it ended without an answer, twice.
  Result<WireAnswer> Send(const WireRequest& request);
  /// The same over a connection of its own.
  Result<WireWatch> Watch(const WireRequest& request) const;

 private:
  net::client::HttpClientOptions options_;
  std::unique_ptr<net::client::Connection> kept_;
};

}  // namespace dray::rest
