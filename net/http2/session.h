// SPDX-License-Identifier: Apache-2.0
// nghttp2's session of a server, as C++: its callbacks become an interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <nghttp2/nghttp2.h>

#include "net/http2/stream.h"

namespace dray::net::http2 {

/// RFC 9113, section 4.1.
inline constexpr size_t kFrameHeadBytes = 9;

/// Callbacks of a session, inside nghttp2_session_mem_recv and mem_send. They may throw only
/// bad_alloc, which ends the session and goes no further.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  /// The head of a request or a trailer begins.
  virtual void OnBeginHead(int32_t id) = 0;
  /// False: the stream is reset, and the rest of its head is not reported.
  virtual bool OnField(int32_t id, std::string_view name, std::string_view value) = 0;
  /// A whole frame has come.
  virtual void OnFrame(const nghttp2_frame& frame) = 0;
  virtual void OnBodyBytes(int32_t id, std::string_view bytes) = 0;
  virtual void OnSent(const nghttp2_frame& frame) = 0;
  virtual void OnStreamClose(int32_t id, uint32_t error_code) = 0;
  /// How many bytes of output, at most `size_max`, can be sent now. 0 and not `ended`: none, until
  /// nghttp2_session_resume_data.
  virtual size_t OnReadOutput(Stream& stream, size_t size_max, bool& ended) = 0;
  /// Takes them, behind the head of their frame. False: enough is sent.
  virtual bool OnSendOutput(Stream& stream, std::string_view frame_head, size_t size) = 0;
};

struct SessionDeleter {
  void operator()(nghttp2_session* session) const;
};
using SessionPtr = std::unique_ptr<nghttp2_session, SessionDeleter>;

/// `events` outlives the session. Null only when memory is short.
SessionPtr NewSession(SessionEvents& events);

/// The output of `stream`, for nghttp2_submit_response.
nghttp2_data_provider OutputOf(Stream& stream);

}  // namespace dray::net::http2
