// SPDX-License-Identifier: Apache-2.0
#include "net/http1/engine.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text/ascii.h"
#include "net/engine.h"
#include "net/head_rules.h"
#include "net/http.h"
#include "net/http1/reader.h"
#include "net/request_tracker.h"

namespace dray::net::http1 {

Engine::Engine(Events& events, EngineOptions options)
    : events_(events), options_(std::move(options)) {}

bool Engine::may_parse() const {
  // An unread pile of answers to pipelined requests is as good as a slow stream: wait.
  return !busy_ && !ending_ && output_bytes_ <= kStreamQueueBytesMax;
}

void Engine::Feed(std::string_view bytes) {
  if (ending_) return;
  if (in_feed_ || !may_parse()) {
    held_.append(bytes);
    return;
  }
  in_feed_ = true;
  std::string joined;
  if (!held_.empty()) {
    joined = std::exchange(held_, {});
    joined.append(bytes);
    bytes = joined;
  }
  while (!bytes.empty() && may_parse()) Parse(bytes);
  if (!ending_) held_.insert(0, bytes);
  in_feed_ = false;
}

void Engine::Parse(std::string_view& bytes) {
  bytes.remove_prefix(reader_.Feed(bytes, request_.body));
  const bool has_head =
      reader_.phase() == Reader::Phase::kBody || reader_.phase() == Reader::Phase::kDone;
  if (has_head && !head_ended_) EndHead();
  if (ending_) return;
  CheckBody(request_, options_);
  const bool whole = request_.body_state == BodyState::kWhole;
  // A body is too large before what follows it is malformed, however its bytes come in.
  if (whole && reader_.phase() == Reader::Phase::kFailed) {
    Fail(reader_.failure_status(), reader_.failure());
  } else if (!whole || reader_.phase() == Reader::Phase::kDone) {
    Deliver();
  }
}

void Engine::EndHead() {
  head_ended_ = true;
  Head& head = reader_.head();
  head_request_ = head.method == "HEAD";
  request_.method = std::move(head.method);
  request_.target = std::move(head.target);
  request_.headers = std::move(head.headers);
  request_.peer = options_.peer;
  const bool has_body = reader_.phase() == Reader::Phase::kBody;
  const bool expects = head.minor_version != 0 && request_.headers.Has("Expect");
  if (expects && !EqualsIgnoringCase(request_.headers.Get("Expect"), "100-continue")) {
    Fail(417, "only 100-continue can be expected");
    return;
  }
  tracked_ = Track(request_, has_body, options_);
  const HeadVerdict verdict = events_.OnHead(request_);
  const bool has_length = reader_.framing() == BodyFraming::kLength;
  BeginRequest(request_,
               verdict,
               has_body,
               has_length ? std::optional(reader_.content_length()) : std::nullopt,
               options_);
  if (expects && has_body && request_.body_state == BodyState::kWhole) {
    Queue({.head = "HTTP/1.1 100 Continue\r\n\r\n", .body = {}, .tail = {}});
  }
}

void Engine::Deliver() {
  const Head& head = reader_.head();
  const bool whole = request_.body_state == BodyState::kWhole;
  keep_alive_ = head.keep_alive && whole;
  http10_ = head.minor_version == 0;
  if (!whole) {
    request_.body = {};
    request_.claim.Release();
  }
  head_ended_ = false;
  reader_.Reset();
  busy_ = true;
  ++stream_;
  tracked_.Set(RequestProgress::kDeciding);
  events_.OnRequest(stream_, std::exchange(request_, {}));
}

void Engine::Fail(int status, std::string_view why) {
  const std::string text = RefusalText(status, why);
  Queue({.head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: text/plain; charset=utf-8\r\n"
                             "Connection: close\r\nContent-Length: {}\r\n\r\n{}",
                             status,
                             ReasonPhrase(status),
                             text.size(),
                             text),
         .body = {},
         .tail = {}});
  ending_ = true;
  held_ = {};
  request_ = {};
  tracked_.End();
}

std::string Engine::Serialize(const ResponseHead& head, Framing framing, size_t length) const {
  std::string out;
  out.reserve(384);
  out.append("HTTP/1.1 ").append(fmt::format_int(head.status).c_str()).append(" ");
  out.append(ReasonPhrase(head.status)).append("\r\n");
  for (size_t i = 0; i < head.headers.size(); ++i) {
    const auto [name, value] = head.headers.at(i);
    if (IsEngineField(name)) continue;
    AppendFieldText(out, name);
    out += ": ";
    AppendFieldText(out, value);
    out += "\r\n";
  }
  if (options_.date != nullptr && !options_.date->empty()) {
    out.append("Date: ").append(*options_.date).append("\r\n");
  }
  switch (framing) {
    case Framing::kLength:
      out.append("Content-Length: ").append(fmt::format_int(length).c_str()).append("\r\n");
      break;
    case Framing::kChunked: out += "Transfer-Encoding: chunked\r\n"; break;
    case Framing::kUntilClose:
    case Framing::kNone: break;
  }
  if (!keep_alive_) {
    out += "Connection: close\r\n";
  } else if (http10_) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
  return out;
}

void Engine::Queue(Piece piece) {
  if (piece.size() == 0) return;
  output_bytes_ += piece.size();
  output_.push_back(std::move(piece));
}

void Engine::Respond(StreamId stream, ResponseHead head, Body body) {
  DRAY_CHECK(busy_ && stream == stream_);
  const bool empty = HasNoBody(head.status);
  const size_t length = empty ? 0 : body.size();
  std::string text = Serialize(head, empty ? Framing::kNone : Framing::kLength, length);
  if (empty || head_request_) body = {};
  std::move(body).TakeApart([&](Bytes piece) {
    Queue({.head = std::exchange(text, {}), .body = std::move(piece), .tail = {}});
  });
  EndAnswer();
}

void Engine::Start(StreamId stream, ResponseHead head) {
  DRAY_CHECK(busy_ && stream == stream_);
  tracked_.End();  // it lasts from now on
  framing_ = Framing::kChunked;
  if (HasNoBody(head.status)) {
    framing_ = Framing::kNone;
  } else if (http10_) {
    framing_ = Framing::kUntilClose;
    keep_alive_ = false;
  }
  Queue({.head = Serialize(head, framing_, 0), .body = {}, .tail = {}});
  if (head_request_) framing_ = Framing::kNone;
}

void Engine::Write(StreamId stream, Bytes piece) {
  DRAY_CHECK(busy_ && stream == stream_);
  if (framing_ == Framing::kNone || piece.empty()) return;  // an empty chunk would end the body
  if (framing_ == Framing::kChunked) {
    std::string size = fmt::format("{:x}\r\n", piece.size());
    Queue({.head = std::move(size), .body = std::move(piece), .tail = "\r\n"});
  } else {
    Queue({.head = {}, .body = std::move(piece), .tail = {}});
  }
}

void Engine::Finish(StreamId stream) {
  DRAY_CHECK(busy_ && stream == stream_);
  if (framing_ == Framing::kChunked) Queue({.head = {}, .body = {}, .tail = "0\r\n\r\n"});
  EndAnswer();
}

void Engine::MarkLongRunning(StreamId stream) {
  DRAY_CHECK(busy_ && stream == stream_);
  tracked_.End();
}

void Engine::EndAnswer() {
  busy_ = false;
  unsent_.Add(stream_, std::move(tracked_));
  unsent_.EndOutput(stream_, output_bytes_);
  if (keep_alive_) return;
  ending_ = true;
  held_ = {};
}

void Engine::Shutdown() {
  keep_alive_ = false;
  if (busy_) return;
  ending_ = true;
  held_ = {};
}

size_t Engine::Peek(std::span<char> out) {
  size_t copied = 0;
  size_t skip = output_offset_;
  for (const Piece& piece : output_) {
    for (const std::string_view part :
         {std::string_view(piece.head), piece.body.view(), piece.tail}) {
      if (skip >= part.size()) {
        skip -= part.size();
        continue;
      }
      copied += part.substr(skip).copy(out.data() + copied, out.size() - copied);
      skip = 0;
      if (copied == out.size()) return copied;
    }
  }
  return copied;
}

bool Engine::wants_write() const {
  return output_bytes_ > 0;
}

void Engine::Consume(size_t size) {
  DRAY_CHECK(size <= output_bytes_);
  output_bytes_ -= size;
  unsent_.OnConsumed(size);
  output_offset_ += size;
  while (!output_.empty() && output_offset_ >= output_.front().size()) {
    output_offset_ -= output_.front().size();
    output_.pop_front();
  }
}

bool Engine::wants_read() const {
  return !ending_ && held_.size() < kPipelinedBytesMax;
}

bool Engine::wants_close() const {
  return ending_ && output_.empty();
}

EnginePhase Engine::phase() const {
  if (busy_ || ending_) return EnginePhase::kBusy;
  switch (reader_.phase()) {
    case Reader::Phase::kStart: return EnginePhase::kIdle;
    case Reader::Phase::kHead: return EnginePhase::kHead;
    case Reader::Phase::kBody:
    case Reader::Phase::kDone:
    case Reader::Phase::kFailed: return EnginePhase::kBody;
  }
  return EnginePhase::kBody;
}

size_t Engine::held_bytes() const {
  return reader_.held_bytes() + request_.headers.block().size() + request_.body.capacity() +
         held_.capacity() + output_bytes_ + unsent_.held_bytes();
}

size_t Engine::unclaimed_bytes() const {
  return reader_.held_bytes() + held_.capacity();
}

size_t Engine::queued_bytes(StreamId) const {
  return output_bytes_;
}

}  // namespace dray::net::http1
