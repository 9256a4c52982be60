// SPDX-License-Identifier: Apache-2.0
// A blocking HTTP/1.1 client for programs that have a thread to wait with: the command line and
// controllers that run outside the server. One client serves one thread; what is costly (the TLS
// context) is shared between clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/world.h"
#include "net/client/cancellation.h"
#include "net/client/options.h"
#include "net/client/request_text.h"
#include "net/http.h"

namespace dray::net::client {

/// One line of a stream, without its line break: a watch event holds one object (3 MiB), perhaps
/// twice.
inline constexpr size_t kLineBytesMax = size_t{16} << 20;

class Connection;

/// An answer that is read while it arrives. Owns its connection.
class ResponseStream {
 public:
  enum class Outcome : uint8_t {
    kLine,     // line() is the next one
    kEnd,      // the answer ended cleanly
    kTimeout,  // nothing yet; the caller may read again
    kCancelled,
    kBroken,  // the connection broke or the answer is malformed: failure()
  };

  ResponseStream(std::unique_ptr<Connection> connection, size_t rest_bytes_max);
  ~ResponseStream();

  int status() const;
  const Headers& headers() const;

  /// Waits for a whole line; the rest after the last line break counts as one. kBroken also when
  /// there are more than kLineBytesMax.
  Outcome ReadLine(std::chrono::milliseconds timeout);
  /// The line without its line break; valid until the next call.
  std::string_view line() const { return line_; }
  const std::string& failure() const { return failure_; }

  /// Reads everything that is left: for answers that turned out to be errors. Errors: as Send.
  Result<std::string> ReadRest(std::chrono::milliseconds timeout);

 private:
  Outcome Fill(MonotonicTime deadline);
  Outcome TakeLine(size_t size);

  std::unique_ptr<Connection> connection_;
  const size_t rest_bytes_max_;
  std::string buffer_;
  size_t taken_ = 0;    // of buffer_, by lines handed out
  size_t scanned_ = 0;  // of buffer_, without a line break
  std::string_view line_;
  std::string failure_;
};

class HttpClient {
 public:
  /// `clock` outlives the client.
  HttpClient(const Clock& clock, HttpClientOptions options);
  ~HttpClient();

  /// Sends a request and reads its whole answer, whatever its status. Keeps the connection for the
  /// next request. A kept connection the server has closed meanwhile is replaced unnoticed when
  /// nothing can have been acted on: the request was not sent, or is a GET or HEAD.
  /// Errors: kServiceUnavailable  no connection, TLS failed, or it broke.  kTimeout  too late, or
  /// cancelled.  kInternalError  the answer is malformed or larger than response_bytes_max.
  /// kBadRequest  a control character in the target or a header.
  Result<ClientResponse> Send(const ClientRequest& request);

  /// Sends a request and reads the head of its answer. The stream has a connection of its own.
  /// Errors: as Send.
  Result<std::unique_ptr<ResponseStream>> Open(const ClientRequest& request);

 private:
  Result<std::unique_ptr<Connection>> Connect();
  Result<std::unique_ptr<Connection>> Exchange(const ClientRequest& request,
                                               MonotonicTime deadline);

  const Clock& clock_;
  const HttpClientOptions options_;
  std::unique_ptr<Connection> kept_;
};

}  // namespace dray::net::client
