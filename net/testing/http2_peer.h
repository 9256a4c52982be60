// SPDX-License-Identifier: Apache-2.0
// For tests: the client's side of HTTP/2 without I/O, and frames that no client should send.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "base/check.h"
#include "net/http.h"

namespace dray::net::testing {

/// One frame (RFC 9113 4.1).
inline std::string Frame(uint8_t type, uint8_t flags, int32_t stream, std::string_view payload) {
  std::string frame;
  const auto put = [&frame](uint32_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>(value >> (8 * i));
  };
  put(static_cast<uint32_t>(payload.size()), 3);
  put(type, 1);
  put(flags, 1);
  put(static_cast<uint32_t>(stream), 4);
  return frame.append(payload);
}

/// A number in so many bytes, most significant first.
inline std::string BigEndian(uint32_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}

struct FrameText {
  uint8_t type;
  int32_t stream;
  std::string payload;
};

/// The frames of what an engine wrote.
inline std::vector<FrameText> FramesOf(std::string_view bytes) {
  constexpr size_t kHeadBytes = 9;
  std::vector<FrameText> frames;
  while (bytes.size() >= kHeadBytes) {
    const auto number = [&bytes](size_t begin, size_t size) {
      uint32_t value = 0;
      for (const char c : bytes.substr(begin, size)) {
        value = (value << 8) | static_cast<unsigned char>(c);
      }
      return value;
    };
    const size_t size = number(0, 3);
    frames.push_back({.type = static_cast<uint8_t>(number(3, 1)),
                      .stream = static_cast<int32_t>(number(5, 4)),
                      .payload = std::string(bytes.substr(kHeadBytes, size))});
    bytes.remove_prefix(std::min(bytes.size(), kHeadBytes + size));
  }
  return frames;
}

/// A field as HPACK writes it without any table or Huffman code (RFC 7541 6.2.2); each part is
/// shorter than 127 bytes.
inline std::string PlainField(std::string_view name, std::string_view value) {
  std::string field(1, '\0');
  field += static_cast<char>(name.size());
  field.append(name);
  field += static_cast<char>(value.size());
  return field.append(value);
}

/// The head of a GET of "/".
inline std::string PlainHead() {
  return PlainField(":method", "GET") + PlainField(":scheme", "https") + PlainField(":path", "/") +
         PlainField(":authority", "h");
}

class Http2Peer {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  struct Answer {
    int status = 0;
    int interim = 0;  // answers of 1xx before
    Headers headers;
    std::string body;
    bool ended = false;
    std::optional<uint32_t> closed;  // the stream, with this error code
  };
  struct Goaway {
    int32_t last_stream;
    uint32_t error_code;
  };
  struct Options {
    uint32_t stream_window = uint32_t{1} << 30;  // what a server may send ahead on each stream
    bool consumes = true;                        // gives the window back as bytes come
  };

  Http2Peer() : Http2Peer(Options{}) {}
  explicit Http2Peer(const Options& options) {
    nghttp2_session_callbacks* made = nullptr;
    DRAY_CHECK(nghttp2_session_callbacks_new(&made) == 0);
    nghttp2_session_callbacks_set_on_header_callback(made, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, OnFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, OnClose);
    nghttp2_option* option = nullptr;
    DRAY_CHECK(nghttp2_option_new(&option) == 0);
    nghttp2_option_set_no_auto_window_update(option, options.consumes ? 0 : 1);
    nghttp2_option_set_max_send_header_block_length(option, size_t{64} << 20);
    nghttp2_session* session = nullptr;
    DRAY_CHECK(nghttp2_session_client_new2(&session, made, this, option) == 0);
    session_.reset(session);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(made);
    const std::array<nghttp2_settings_entry, 2> settings = {{
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.stream_window},
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    }};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, 1 << 30);
  }
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;

  /// Sends a request when the server allows another stream; the number of its stream.
  int32_t Ask(std::string_view method,
              std::string_view path,
              const Fields& fields = {},
              std::optional<std::string> body = std::nullopt) {
    Fields all = {{":method", std::string(method)},
                  {":scheme", "https"},
                  {":path", std::string(path)},
                  {":authority", "h"}};
    all.insert(all.end(), fields.begin(), fields.end());
    std::vector<nghttp2_nv> list;
    for (auto& [name, value] : all) {
      list.push_back({.name = reinterpret_cast<uint8_t*>(name.data()),
                      .value = reinterpret_cast<uint8_t*>(value.data()),
                      .namelen = name.size(),
                      .valuelen = value.size(),
                      .flags = NGHTTP2_NV_FLAG_NONE});
    }
    nghttp2_data_provider data{.source = {.ptr = this}, .read_callback = ReadBody};
    const int32_t id = nghttp2_submit_request(
        session_.get(), nullptr, list.data(), list.size(), body ? &data : nullptr, nullptr);
    DRAY_CHECK(id > 0);
    if (body) bodies_[id] = *std::move(body);
    return id;
  }

  void Cancel(int32_t id) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  /// False: the server broke the protocol.
  bool Feed(std::string_view bytes) {
    return nghttp2_session_mem_recv(session_.get(),
                                    reinterpret_cast<const uint8_t*>(bytes.data()),
                                    bytes.size()) == static_cast<ssize_t>(bytes.size());
  }
  /// All output there is.
  std::string Take() {
    std::string out;
    const uint8_t* data = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_.get(), &data)) > 0) {
      out.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    }
    return out;
  }

  Answer& answer(int32_t id) { return answers_[id]; }
  const std::map<int32_t, Answer>& answers() const { return answers_; }
  const std::vector<Goaway>& goaways() const { return goaways_; }
  uint32_t streams_max() const {
    return nghttp2_session_get_remote_settings(session_.get(),
                                               NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  }
  nghttp2_session* session() { return session_.get(); }

 private:
  struct Deleter {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };
  static Http2Peer& Of(void* user_data) { return *static_cast<Http2Peer*>(user_data); }

  // NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
  static int OnHeader(nghttp2_session*,
                      const nghttp2_frame* frame,
                      const uint8_t* name,
                      size_t name_size,
                      const uint8_t* value,
                      size_t value_size,
                      uint8_t,
                      void* user_data) {
    Answer& answer = Of(user_data).answers_[frame->hd.stream_id];
    const std::string_view field(reinterpret_cast<const char*>(name), name_size);
    const std::string_view text(reinterpret_cast<const char*>(value), value_size);
    if (field == ":status") {
      if (answer.status / 100 == 1) ++answer.interim;
      std::from_chars(text.data(), text.data() + text.size(), answer.status);
    } else {
      answer.headers.Add(field, text);
    }
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Peer& peer = Of(user_data);
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      peer.goaways_.push_back({frame->goaway.last_stream_id, frame->goaway.error_code});
    }
    const bool is_message = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (is_message && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      peer.answers_[frame->hd.stream_id].ended = true;
    }
    return 0;
  }
  // NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
  static int OnData(
      nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user_data) {
    Of(user_data).answers_[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t error_code, void* user_data) {
    Of(user_data).answers_[id].closed = error_code;
    return 0;
  }
  // NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
  static ssize_t ReadBody(nghttp2_session*,
                          int32_t id,
                          uint8_t* buffer,
                          size_t size,
                          uint32_t* flags,
                          nghttp2_data_source*,
                          void* user_data) {
    std::string& body = Of(user_data).bodies_[id];
    const size_t taken = std::min(size, body.size());
    std::copy_n(body.begin(), taken, buffer);
    body.erase(0, taken);
    if (body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(taken);
  }

  std::unique_ptr<nghttp2_session, Deleter> session_;
  std::map<int32_t, Answer> answers_;
  std::map<int32_t, std::string> bodies_;
  std::vector<Goaway> goaways_;
};

}  // namespace dray::net::testing
