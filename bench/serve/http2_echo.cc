// SPDX-License-Identifier: Apache-2.0
#include "bench/serve/http2_echo.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/world.h"
#include "bench/serve/http2_bytes.h"
#include "bench/serve/server_process.h"
#include "net/socket.h"
#include "net/tls/context.h"
#include "net/tls/transport.h"
#include "net/transport.h"

namespace dray::bench {
namespace {

constexpr size_t kEchoReadBytes = size_t{64} << 10;

struct SessionDeleter {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};

/// The session of one connection. For each stream it keeps the method and how much of the answer is
/// sent.
class Session {
 public:
  explicit Session(const std::map<std::string, EchoAnswer>& answers) : answers_(answers) {
    nghttp2_session_callbacks* callbacks = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) Die("out of memory");
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    session_.reset(session);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }

  nghttp2_session* get() const { return session_.get(); }

 private:
  struct Stream {
    const EchoAnswer* answer = nullptr;
    size_t sent = 0;
  };

  // NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
  static int OnHeader(nghttp2_session* /*session*/,
                      const nghttp2_frame* frame,
                      const uint8_t* name,
                      size_t name_size,
                      const uint8_t* value,
                      size_t value_size,
                      uint8_t /*flags*/,
                      void* self) {
    if (Text(name, name_size) != ":method") return 0;
    auto& session = *static_cast<Session*>(self);
    const auto found = session.answers_.find(std::string(Text(value, value_size)));
    if (found == session.answers_.end()) Die("the echo does not know the method");
    session.streams_[frame->hd.stream_id].answer = &found->second;
    return 0;
  }
  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
    const bool is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
                        (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA);
    if (!is_end) return 0;
    const EchoAnswer& answer = *static_cast<Session*>(self)->streams_[frame->hd.stream_id].answer;
    const std::vector<nghttp2_nv> list = FieldList(answer.fields);
    const nghttp2_data_provider body{.source = {.ptr = nullptr}, .read_callback = ReadBody};
    return nghttp2_submit_response(session, frame->hd.stream_id, list.data(), list.size(), &body);
  }
  static int OnClose(nghttp2_session* /*session*/, int32_t stream, uint32_t /*why*/, void* self) {
    static_cast<Session*>(self)->streams_.erase(stream);
    return 0;
  }
  // NOLINTNEXTLINE(readability-function-size): as nghttp2 calls it
  static ssize_t ReadBody(nghttp2_session* /*session*/,
                          int32_t id,
                          uint8_t* buffer,
                          size_t size,
                          uint32_t* flags,
                          nghttp2_data_source* /*source*/,
                          void* self) {
    Stream& stream = static_cast<Session*>(self)->streams_[id];
    const std::string_view rest = std::string_view(stream.answer->body).substr(stream.sent);
    const size_t taken = std::min(size, rest.size());
    std::copy_n(rest.begin(), taken, std::span(buffer, taken).begin());
    stream.sent += taken;
    if (taken == rest.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(taken);
  }

  const std::map<std::string, EchoAnswer>& answers_;
  std::unique_ptr<nghttp2_session, SessionDeleter> session_;
  std::map<int32_t, Stream> streams_;
};

void Await(int descriptor) {
  pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
  poll(&one, 1, -1);
}

void WriteAll(Session& session, net::Transport& transport, std::string& out) {
  const uint8_t* data = nullptr;
  ssize_t size = 0;
  while ((size = nghttp2_session_mem_send(session.get(), &data)) > 0) {
    out.append(Text(data, static_cast<size_t>(size)));
  }
  while (!out.empty()) {
    const net::IoResult result = transport.Write(out);
    if (result.status != net::IoStatus::kDone) return;
    out.erase(0, result.size);
  }
}

}  // namespace

Http2Echo::Http2Echo(net::tls::Credentials credentials, std::map<std::string, EchoAnswer> answers)
    : credentials_(std::move(credentials)),
      answers_(std::move(answers)),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as sockets have it
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  const bool listens = listener_ >= 0 && bind(listener_, place, size) == 0 &&
                       listen(listener_, 1) == 0 && getsockname(listener_, place, &size) == 0;
  if (!listens) Die("cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

Http2Echo::~Http2Echo() {
  thread_.join();
  close(listener_);
}

double Http2Echo::cpu_seconds() const {
  const std::string file = fmt::format("/proc/self/task/{}/schedstat", thread_id_.load());
  const std::string status = RealWorld().disk.Read(file).value_or("0");
  return std::strtod(status.c_str(), nullptr) / 1e9;  // the first number
}

uint64_t Http2Echo::instructions() const {
  const testing::InstructionCounter* const counter = counter_.load();
  return counter == nullptr ? 0 : counter->Read().value_or(0);
}

void Http2Echo::Serve() {
  const testing::InstructionCounter counter(0);
  counter_ = &counter;
  thread_id_ = gettid();
  const auto context =
      net::tls::ServerContext::Create({.credentials = credentials_,
                                       .client_ca_pem = "",
                                       .versions = net::tls::HttpVersions::kHttp2});
  if (!context) Die(context.error().message);
  Descriptor accepted(accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  const int descriptor = accepted.get();
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::unique_ptr<net::Socket> socket = net::MakeKernelSocket(std::move(accepted));
  const auto transport =
      net::tls::MakeServerTransport(*(*context)->state(), *socket, RealWorld().clock.Now());
  while (transport->Handshake() == net::IoStatus::kWantRead) Await(descriptor);
  Session session(answers_);
  std::vector<char> buffer(kEchoReadBytes);
  std::string out;
  WriteAll(session, *transport, out);
  while (true) {
    const net::IoResult result = transport->Read(buffer);
    if (result.status == net::IoStatus::kWantRead) {
      Await(descriptor);
      continue;
    }
    if (result.status != net::IoStatus::kDone) break;
    if (nghttp2_session_mem_recv(session.get(), Bytes(buffer.data()), result.size) < 0) break;
    WriteAll(session, *transport, out);
  }
  counter_ = nullptr;
}

}  // namespace dray::bench
