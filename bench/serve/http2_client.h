// SPDX-License-Identifier: Apache-2.0
// The client side of one HTTP/2 connection for measurements: over TLS, driven by one thread that
// may drive many of them, with windows so large that flow control has no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "net/socket.h"
#include "net/tls/context.h"
#include "net/transport.h"

namespace dray::bench {

/// Callbacks of a connection, called from Pump.
class Http2Events {
 public:
  virtual ~Http2Events() = default;
  /// A header field of an answer; ":status" comes first.
  virtual void OnField(int32_t stream, std::string_view name, std::string_view value) = 0;
  /// A part of an answer's body, as received in a frame.
  virtual void OnBytes(int32_t stream, std::string_view bytes) = 0;
  /// The answer is complete, or the stream was reset.
  virtual void OnEnd(int32_t stream) = 0;
};

/// Any error ends the program with a message.
class Http2Connection {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  /// Connects to a port of loopback, with a TLS handshake. `events` must outlive the connection.
  Http2Connection(uint16_t port, const net::tls::ClientContext& context, Http2Events& events);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  /// Sends a request, once the server allows another stream. Returns its stream's number.
  int32_t Ask(std::string_view method,
              std::string_view path,
              const Fields& fields,
              std::string body = {});
  /// Writes pending bytes and reads received ones. Never blocks.
  void Pump();
  /// Blocks until bytes are received.
  void Wait() const;
  int descriptor() const { return socket_->descriptor(); }

 private:
  struct Deleter {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };
  static int OnHeader(nghttp2_session* session,
                      const nghttp2_frame* frame,
                      const uint8_t* name,
                      size_t name_size,
                      const uint8_t* value,
                      size_t value_size,
                      uint8_t flags,
                      void* self);
  static int OnData(nghttp2_session* session,
                    uint8_t flags,
                    int32_t stream,
                    const uint8_t* data,
                    size_t size,
                    void* self);
  static int OnClose(nghttp2_session* session, int32_t stream, uint32_t error_code, void* self);
  static ssize_t ReadBody(nghttp2_session* session,
                          int32_t stream,
                          uint8_t* buffer,
                          size_t size,
                          uint32_t* flags,
                          nghttp2_data_source* source,
                          void* self);
  void Connect(uint16_t port, const net::tls::ClientContext& context);
  void MakeSession();
  void Write();

  Http2Events& events_;
  std::unique_ptr<net::Socket> socket_;
  std::unique_ptr<net::Transport> transport_;
  std::unique_ptr<nghttp2_session, Deleter> session_;
  std::map<int32_t, std::string> bodies_;  // not sent yet
  std::string unsent_;
};

}  // namespace dray::bench
