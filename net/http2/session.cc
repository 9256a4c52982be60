// SPDX-License-Identifier: Apache-2.0
#include "net/http2/session.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include <nghttp2/nghttp2.h>

#include "net/http2/limits.h"
#include "net/http2/stream.h"

namespace dray::net::http2 {
namespace {

// nghttp2's own count of resets goes by a clock; the engine's, which comes first, by ticks.
constexpr uint64_t kNoResetLimit = uint64_t{1} << 40;

std::string_view Text(const uint8_t* data, size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
  return {reinterpret_cast<const char*>(data), size};
}

std::string_view Text(nghttp2_rcbuf* buffer) {
  const nghttp2_vec bytes = nghttp2_rcbuf_get_buf(buffer);
  return Text(bytes.base, bytes.len);
}

SessionEvents& EventsOf(void* user_data) {
  return *static_cast<SessionEvents*>(user_data);
}

template <class F>
int Guarded(F&& work) {
  try {
    return std::forward<F>(work)();
  } catch (const std::bad_alloc&) {
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
}

struct OptionDeleter {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};
struct CallbacksDeleter {
  void operator()(nghttp2_session_callbacks* callbacks) const {
    nghttp2_session_callbacks_del(callbacks);
  }
};

std::unique_ptr<nghttp2_option, OptionDeleter> NewOption() {
  nghttp2_option* made = nullptr;
  if (nghttp2_option_new(&made) != 0) return nullptr;
  nghttp2_option_set_no_auto_window_update(made, 1);
  nghttp2_option_set_no_closed_streams(made, 1);
  nghttp2_option_set_max_reserved_remote_streams(made, 0);
  nghttp2_option_set_max_outbound_ack(made, kAcksMax);
  nghttp2_option_set_max_settings(made, kSettingsMax);
  nghttp2_option_set_max_continuations(made, kContinuationsMax);
  nghttp2_option_set_stream_reset_rate_limit(made, kNoResetLimit, kNoResetLimit);
  return std::unique_ptr<nghttp2_option, OptionDeleter>(made);
}

int BeginHead(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
  return Guarded([&] {
    EventsOf(user_data).OnBeginHead(frame->hd.stream_id);
    return 0;
  });
}

// NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
int Field(nghttp2_session*,
          const nghttp2_frame* frame,
          nghttp2_rcbuf* name,
          nghttp2_rcbuf* value,
          uint8_t,
          void* user_data) {
  return Guarded([&] {
    const bool continues =
        EventsOf(user_data).OnField(frame->hd.stream_id, Text(name), Text(value));
    return continues ? 0 : static_cast<int>(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE);
  });
}

int Frame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
  return Guarded([&] {
    EventsOf(user_data).OnFrame(*frame);
    return 0;
  });
}

// NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
int BodyBytes(nghttp2_session*,
              uint8_t,
              int32_t stream_id,
              const uint8_t* data,
              size_t size,
              void* user_data) {
  return Guarded([&] {
    EventsOf(user_data).OnBodyBytes(stream_id, Text(data, size));
    return 0;
  });
}

int Sent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
  return Guarded([&] {
    EventsOf(user_data).OnSent(*frame);
    return 0;
  });
}

int StreamClose(nghttp2_session*, int32_t stream_id, uint32_t error_code, void* user_data) {
  return Guarded([&] {
    EventsOf(user_data).OnStreamClose(stream_id, error_code);
    return 0;
  });
}

// NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
ssize_t ReadOutput(nghttp2_session*,
                   int32_t,
                   uint8_t*,
                   size_t size,
                   uint32_t* flags,
                   nghttp2_data_source* source,
                   void* user_data) {
  bool ended = false;
  Stream& stream = *static_cast<Stream*>(source->ptr);
  const size_t ready = EventsOf(user_data).OnReadOutput(stream, size, ended);
  if (ready == 0 && !ended) return NGHTTP2_ERR_DEFERRED;
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(ready);
}

// NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
int SendOutput(nghttp2_session*,
               nghttp2_frame*,
               const uint8_t* frame_head,
               size_t size,
               nghttp2_data_source* source,
               void* user_data) {
  return Guarded([&] {
    const bool more = EventsOf(user_data).OnSendOutput(
        *static_cast<Stream*>(source->ptr), Text(frame_head, kFrameHeadBytes), size);
    return more ? 0 : static_cast<int>(NGHTTP2_ERR_PAUSE);
  });
}

}  // namespace

void SessionDeleter::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

SessionPtr NewSession(SessionEvents& events) {
  nghttp2_session_callbacks* made = nullptr;
  if (nghttp2_session_callbacks_new(&made) != 0) return nullptr;
  const std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter> callbacks(made);
  const auto option = NewOption();
  if (option == nullptr) return nullptr;
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, BeginHead);
  nghttp2_session_callbacks_set_on_header_callback2(made, Field);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, Frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, BodyBytes);
  nghttp2_session_callbacks_set_on_frame_send_callback(made, Sent);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, StreamClose);
  nghttp2_session_callbacks_set_send_data_callback(made, SendOutput);
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new2(&session, made, &events, option.get());
  return SessionPtr(session);
}

nghttp2_data_provider OutputOf(Stream& stream) {
  return {.source = {.ptr = &stream}, .read_callback = ReadOutput};
}

}  // namespace dray::net::http2
