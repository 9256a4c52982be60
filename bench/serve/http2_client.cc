// SPDX-License-Identifier: Apache-2.0
#include "bench/serve/http2_client.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/world.h"
#include "bench/serve/http2_bytes.h"
#include "bench/serve/server_process.h"
#include "net/tls/transport.h"

namespace dray::bench {
namespace {

constexpr uint32_t kWindowBytes = (uint32_t{1} << 31U) - 1;
constexpr size_t kReadBytes = size_t{64} << 10;

}  // namespace

Http2Connection::Http2Connection(uint16_t port,
                                 const net::tls::ClientContext& context,
                                 Http2Events& events)
    : events_(events) {
  Connect(port, context);
  MakeSession();
}

Http2Connection::~Http2Connection() = default;

void Http2Connection::Connect(uint16_t port, const net::tls::ClientContext& context) {
  Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as sockets have it
  const auto* const place = reinterpret_cast<const sockaddr*>(&address);
  if (!made.is_open() || connect(made.get(), place, sizeof address) != 0) Die("cannot connect");
  fcntl(made.get(), F_SETFL, O_NONBLOCK);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  const int on = 1;
  setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  socket_ = net::MakeKernelSocket(std::move(made));
  transport_ = net::tls::MakeClientTransport(
      *context.state(), *socket_, "127.0.0.1", RealWorld().clock.Now());
  while (true) {
    const net::IoStatus status = transport_->Handshake();
    if (status == net::IoStatus::kDone) break;
    if (status != net::IoStatus::kWantRead) Die("TLS: " + transport_->failure());
    Wait();
  }
  if (transport_->protocol() != "h2") Die("the server does not speak HTTP/2");
}

void Http2Connection::MakeSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  nghttp2_session* session = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0) {
    Die("out of memory");
  }
  nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
  nghttp2_session_client_new2(&session, callbacks, this, option);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 2> settings = {{
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindowBytes},
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
  }};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(
      session, NGHTTP2_FLAG_NONE, 0, static_cast<int32_t>(kWindowBytes));
}

int32_t Http2Connection::Ask(std::string_view method,
                             std::string_view path,
                             const Fields& fields,
                             std::string body) {
  Fields all = {{":method", std::string(method)},
                {":scheme", "https"},
                {":path", std::string(path)},
                {":authority", "127.0.0.1"}};
  all.insert(all.end(), fields.begin(), fields.end());
  const std::vector<nghttp2_nv> list = FieldList(all);
  const nghttp2_data_provider source{.source = {.ptr = nullptr}, .read_callback = ReadBody};
  const int32_t stream = nghttp2_submit_request(
      session_.get(), nullptr, list.data(), list.size(), body.empty() ? nullptr : &source, nullptr);
  if (stream < 0) Die(nghttp2_strerror(stream));
  if (!body.empty()) bodies_[stream] = std::move(body);
  return stream;
}

void Http2Connection::Pump() {
  Write();
  static thread_local std::vector<char> buffer(kReadBytes);
  while (true) {
    const net::IoResult result = transport_->Read(buffer);
    if (result.status == net::IoStatus::kWantRead) break;
    if (result.status != net::IoStatus::kDone) Die("connection lost: " + transport_->failure());
    if (nghttp2_session_mem_recv(session_.get(), Bytes(buffer.data()), result.size) < 0) {
      Die("the server broke the protocol");
    }
  }
  Write();
}

void Http2Connection::Write() {
  const uint8_t* data = nullptr;
  ssize_t size = 0;
  while ((size = nghttp2_session_mem_send(session_.get(), &data)) > 0) {
    unsent_.append(Text(data, static_cast<size_t>(size)));
  }
  while (!unsent_.empty()) {
    const net::IoResult result = transport_->Write(unsent_);
    if (result.status != net::IoStatus::kDone) return;  // the next Pump continues
    unsent_.erase(0, result.size);
  }
}

void Http2Connection::Wait() const {
  pollfd one{.fd = socket_->descriptor(), .events = POLLIN, .revents = 0};
  poll(&one, 1, -1);
}

// NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
int Http2Connection::OnHeader(nghttp2_session* /*session*/,
                              const nghttp2_frame* frame,
                              const uint8_t* name,
                              size_t name_size,
                              const uint8_t* value,
                              size_t value_size,
                              uint8_t /*flags*/,
                              void* self) {
  static_cast<Http2Connection*>(self)->events_.OnField(
      frame->hd.stream_id, Text(name, name_size), Text(value, value_size));
  return 0;
}

// NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
int Http2Connection::OnData(nghttp2_session* /*session*/,
                            uint8_t /*flags*/,
                            int32_t stream,
                            const uint8_t* data,
                            size_t size,
                            void* self) {
  static_cast<Http2Connection*>(self)->events_.OnBytes(stream, Text(data, size));
  return 0;
}

int Http2Connection::OnClose(nghttp2_session* /*session*/,
                             int32_t stream,
                             uint32_t /*error_code*/,
                             void* self) {
  auto& connection = *static_cast<Http2Connection*>(self);
  connection.bodies_.erase(stream);
  connection.events_.OnEnd(stream);
  return 0;
}

// NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
ssize_t Http2Connection::ReadBody(nghttp2_session* /*session*/,
                                  int32_t stream,
                                  uint8_t* buffer,
                                  size_t size,
                                  uint32_t* flags,
                                  nghttp2_data_source* /*source*/,
                                  void* self) {
  std::string& body = static_cast<Http2Connection*>(self)->bodies_[stream];
  const size_t taken = std::min(size, body.size());
  std::copy_n(body.begin(), taken, std::span(buffer, taken).begin());
  body.erase(0, taken);
  if (body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(taken);
}

}  // namespace dray::bench
