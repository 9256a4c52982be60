// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/wire.h"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "base/try.h"
#include "base/world.h"
#include "net/client/options.h"
#include "tests/vectors/case_files.h"

namespace dray::rest {
namespace {

using net::client::Connection;
using std::chrono::milliseconds;

constexpr milliseconds kAnswerMax{600'000};  // only ever used up by a bug
constexpr size_t kFrameHead = 4;

std::string TextOf(const WireRequest& request, uint16_t port) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", request.method, request.target, port);
  for (const auto& [name, value] : request.headers) text += fmt::format("{}: {}\r\n", name, value);
  const bool writes =
      request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (request.body || writes) {
    text += fmt::format("Content-Length: {}\r\n", request.body ? request.body->size() : size_t{0});
  }
  return text + "\r\n" + request.body.value_or("");
}

/// A server may answer, and close, before it has read all of a body that it refuses.
Result<> Ask(Connection& connection, const WireRequest& request, uint16_t port) {
  const MonotonicTime deadline = RealWorld().clock.Monotonic() + kAnswerMax;
  (void)connection.WriteAll(TextOf(request, port), deadline);
  return connection.ReadHead(request.method, deadline);
}

Result<WireAnswer> ReadAnswer(Connection& connection) {
  const MonotonicTime deadline = RealWorld().clock.Monotonic() + kAnswerMax;
  WireAnswer answer;
  answer.status = connection.head().status;
  answer.headers = connection.head().headers;
  do {
    DRAY_TRY_VOID(connection.ReadSome(answer.body, deadline));
  } while (!connection.message_done());
  if (answer.headers.Get("Content-Encoding") == "gzip" && !answer.body.empty()) {
    DRAY_TRY(answer.body, vectors::Gunzip(answer.body));
  }
  return answer;
}

WireStream::Framing FramingOf(const net::Headers& headers) {
  return headers.Get("Content-Type").contains("protobuf") ? WireStream::Framing::kLengths
                                                          : WireStream::Framing::kLines;
}

}  // namespace

WireStream::WireStream(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)), framing_(FramingOf(connection_->head().headers)) {}

std::optional<std::string> WireStream::Take() {
  size_t head = 0;
  size_t size = 0;
  size_t tail = 0;
  if (framing_ == Framing::kLengths) {
    if (buffer_.size() < kFrameHead) return std::nullopt;
    head = kFrameHead;
    for (size_t i = 0; i < kFrameHead; ++i) {
      size = size << 8U | static_cast<unsigned char>(buffer_[i]);
    }
    if (buffer_.size() < head + size) return std::nullopt;
  } else {
    size = buffer_.find('\n');
    if (size == std::string::npos) return std::nullopt;
    tail = 1;
  }
  std::string taken = buffer_.substr(head, size);
  buffer_.erase(0, head + size + tail);
  return taken;
}

std::optional<std::string> WireStream::Next(milliseconds patience) {
  const MonotonicTime deadline = RealWorld().clock.Monotonic() + patience;
  while (true) {
    if (std::optional<std::string> taken = Take()) return taken;
    if (ended_) return std::nullopt;
    const size_t before = buffer_.size();
    const Result<> read = connection_->ReadSome(buffer_, deadline);
    if (!read && read.error().reason == StatusReason::kTimeout) return std::nullopt;
    ended_ = !read || buffer_.size() == before;
  }
}

Wire::Wire(uint16_t port)
    : options_{.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = port},
               .bearer_token = {}} {}

Result<WireAnswer> Wire::Send(const WireRequest& request) {
  if (kept_ && kept_->reusable()) {
    const std::unique_ptr<Connection> connection = std::move(kept_);
    if (Ask(*connection, request, options_.server.port).has_value()) {
      kept_ = nullptr;
      return ReadAnswer(*connection);
    }
  }
  DRAY_TRY(kept_, Connection::Open(RealWorld().clock, options_));
  DRAY_TRY_VOID(Ask(*kept_, request, options_.server.port));
  return ReadAnswer(*kept_);
}

Result<WireWatch> Wire::Watch(const WireRequest& request) const {
  DRAY_TRY(std::unique_ptr<Connection> connection, Connection::Open(RealWorld().clock, options_));
  DRAY_TRY_VOID(Ask(*connection, request, options_.server.port));
  if (connection->head().status != 200) {
    DRAY_TRY(WireAnswer answer, ReadAnswer(*connection));
    return WireWatch{.answer = std::move(answer), .stream = nullptr};
  }
  WireAnswer answer{.status = 200, .headers = connection->head().headers, .body = {}};
  return WireWatch{.answer = std::move(answer),
                   .stream = std::make_unique<WireStream>(std::move(connection))};
}

}  // namespace dray::rest
