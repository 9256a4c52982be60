// SPDX-License-Identifier: Apache-2.0
#include "net/client/http_client.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "net/client/connection.h"
#include "net/client/request_text.h"
#include "net/http.h"
#include "net/url.h"

namespace dray::net::client {

namespace {

Result<> CheckSize(const std::string& body, size_t bytes_max) {
  if (body.size() <= bytes_max) return {};
  return Fail(StatusReason::kInternalError,
              fmt::format("the answer is larger than {} bytes", bytes_max));
}

}  // namespace

HttpClient::HttpClient(const Clock& clock, HttpClientOptions options)
    : clock_(clock), options_(std::move(options)) {}

HttpClient::~HttpClient() = default;

Result<std::unique_ptr<Connection>> HttpClient::Connect() {
  return Connection::Open(clock_, options_);
}

Result<std::unique_ptr<Connection>> HttpClient::Exchange(const ClientRequest& request,
                                                         MonotonicTime deadline) {
  DRAY_TRY(const std::string text,
           RequestText(options_.server,
                       request,
                       {.user_agent = options_.user_agent, .bearer_token = options_.bearer_token}));
  if (kept_ && kept_->reusable()) {
    std::unique_ptr<Connection> connection = std::move(kept_);
    Result<> outcome = connection->WriteAll(text, deadline);
    if (outcome.has_value()) outcome = connection->ReadHead(request.method, deadline);
    if (outcome.has_value()) return connection;
    const bool repeatable =
        !connection->written() || request.method == "GET" || request.method == "HEAD";
    const bool closed = outcome.error().reason == StatusReason::kServiceUnavailable;
    if (!closed || !repeatable || connection->received()) {
      return std::move(outcome).failure();
    }
  }
  kept_.reset();
  DRAY_TRY(std::unique_ptr<Connection> connection, Connect());
  DRAY_TRY_VOID(connection->WriteAll(text, deadline));
  DRAY_TRY_VOID(connection->ReadHead(request.method, deadline));
  return connection;
}

Result<ClientResponse> HttpClient::Send(const ClientRequest& request) {
  const MonotonicTime deadline = clock_.Monotonic() + options_.request_timeout;
  DRAY_TRY(std::unique_ptr<Connection> connection, Exchange(request, deadline));
  ClientResponse response;
  response.status = connection->head().status;
  do {
    DRAY_TRY_VOID(connection->ReadSome(response.body, deadline));
    DRAY_TRY_VOID(CheckSize(response.body, options_.response_bytes_max));
  } while (!connection->message_done());
  response.headers = connection->head().headers;
  kept_ = std::move(connection);
  return response;
}

Result<std::unique_ptr<ResponseStream>> HttpClient::Open(const ClientRequest& request) {
  const MonotonicTime deadline = clock_.Monotonic() + options_.request_timeout;
  DRAY_TRY(std::unique_ptr<Connection> connection, Exchange(request, deadline));
  return std::make_unique<ResponseStream>(std::move(connection), options_.response_bytes_max);
}

ResponseStream::ResponseStream(std::unique_ptr<Connection> connection, size_t rest_bytes_max)
    : connection_(std::move(connection)), rest_bytes_max_(rest_bytes_max) {}

ResponseStream::~ResponseStream() = default;

int ResponseStream::status() const {
  return connection_->head().status;
}

const Headers& ResponseStream::headers() const {
  return connection_->head().headers;
}

ResponseStream::Outcome ResponseStream::Fill(MonotonicTime deadline) {
  const Result<> outcome = connection_->ReadSome(buffer_, deadline);
  if (outcome.has_value()) return Outcome::kLine;
  if (connection_->cancelled()) return Outcome::kCancelled;
  if (outcome.error().reason == StatusReason::kTimeout) return Outcome::kTimeout;
  failure_ = outcome.error().message;
  return Outcome::kBroken;
}

ResponseStream::Outcome ResponseStream::TakeLine(size_t size) {
  if (size > kLineBytesMax) {
    failure_ = fmt::format("a line is longer than {} bytes", kLineBytesMax);
    return Outcome::kBroken;
  }
  line_ = std::string_view(buffer_).substr(0, size);
  taken_ = scanned_ = std::min(size + 1, buffer_.size());
  return Outcome::kLine;
}

ResponseStream::Outcome ResponseStream::ReadLine(std::chrono::milliseconds timeout) {
  const MonotonicTime deadline = connection_->clock().Monotonic() + timeout;
  buffer_.erase(0, taken_);
  scanned_ -= taken_;
  taken_ = 0;
  while (true) {
    const size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) return TakeLine(end);
    scanned_ = buffer_.size();
    if (buffer_.size() > kLineBytesMax) return TakeLine(buffer_.size());
    const size_t before = buffer_.size();
    const Outcome outcome = Fill(deadline);
    if (outcome != Outcome::kLine) return outcome;
    if (buffer_.size() > before) continue;
    return buffer_.empty() ? Outcome::kEnd : TakeLine(buffer_.size());
  }
}

Result<std::string> ResponseStream::ReadRest(std::chrono::milliseconds timeout) {
  const MonotonicTime deadline = connection_->clock().Monotonic() + timeout;
  std::string rest = buffer_.substr(taken_);
  buffer_.clear();
  taken_ = scanned_ = 0;
  while (true) {
    const size_t before = rest.size();
    DRAY_TRY_VOID(connection_->ReadSome(rest, deadline));
    DRAY_TRY_VOID(CheckSize(rest, rest_bytes_max_));
    if (rest.size() == before) return rest;
  }
}

}  // namespace dray::net::client
