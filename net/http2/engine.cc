// SPDX-License-Identifier: Apache-2.0
#include "net/http2/engine.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "base/check.h"
#include "base/text/ascii.h"
#include "net/engine.h"
#include "net/head_rules.h"
#include "net/http.h"
#include "net/http2/answer_fields.h"
#include "net/http2/limits.h"
#include "net/http2/session.h"
#include "net/http2/stream.h"
#include "net/request_tracker.h"

namespace dray::net::http2 {
namespace {

// Contents of the PING that follows the first GOAWAY.
constexpr std::array<uint8_t, 8> kShutdownPing = {'s', 'h', 'u', 't', 'd', 'o', 'w', 'n'};

bool EndsStream(const nghttp2_frame& frame) {
  return (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

bool IsAck(const nghttp2_frame& frame) {
  return (frame.hd.flags & NGHTTP2_FLAG_ACK) != 0;
}

/// nghttp2 has compared it with the bytes that come, and refused what is no number.
std::optional<uint64_t> ContentLength(const Headers& headers) {
  const std::string_view text = headers.Get("Content-Length");
  uint64_t length = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  return error == std::errc() && !text.empty() ? std::optional(length) : std::nullopt;
}

}  // namespace

Engine::Engine(Events& events, EngineOptions options, Limits limits)
    : events_(events), options_(std::move(options)), limits_(limits), session_(NewSession(*this)) {
  if (session_ == nullptr) throw std::bad_alloc();
  const std::array<nghttp2_settings_entry, 4> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, std::min(limits.streams_max, kStrangerStreamsMax)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(kHeadBytesMax)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  }};
  Note(
      nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
  Note(nghttp2_session_set_local_window_size(
      session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes));
}

Engine::~Engine() = default;

/// What fails for want of memory ends the connection. Other errors say that a stream is gone.
void Engine::Note(int result) {
  if (result != 0 && nghttp2_is_fatal(result) != 0) failed_ = true;
}

Stream* Engine::Find(StreamId stream) const {
  const auto found = streams_.find(static_cast<int32_t>(stream));
  return found == streams_.end() ? nullptr : found->second.get();
}

void Engine::Feed(std::string_view bytes) {
  if (failed_ || bytes.empty()) return;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (nghttp2_session_mem_recv(session_.get(), data, bytes.size()) < 0) failed_ = true;
  ReportClosed();
  Hand();
}

/// Only now: those that were called off in the same bytes are never carried out.
void Engine::Hand() {
  const std::vector<int32_t> ready = std::exchange(ready_, {});
  for (const int32_t id : ready) {
    Stream* const stream = failed_ ? nullptr : Find(static_cast<StreamId>(id));
    if (stream == nullptr || stream->request_state != RequestState::kReady) continue;
    stream->request_state = RequestState::kDelivered;
    stream->tracked.Set(RequestProgress::kDeciding);
    events_.OnRequest(static_cast<StreamId>(id), std::exchange(stream->request, {}));
  }
}

void Engine::ReportClosed() {
  const std::vector<int32_t> closed = std::exchange(closed_, {});
  for (const int32_t id : closed) events_.OnClosed(static_cast<StreamId>(id));
}

void Engine::OnBeginHead(int32_t id) {
  head_stream_ = id;
  if (Find(static_cast<StreamId>(id)) != nullptr) return;  // a trailer
  auto stream = std::make_unique<Stream>(id);
  stream->request.peer = options_.peer;
  streams_.emplace(id, std::move(stream));
}

/// False: the session need not report the rest of the head.
bool Engine::OnField(int32_t id, std::string_view name, std::string_view value) {
  Stream* const stream = Find(static_cast<StreamId>(id));
  if (stream == nullptr) return false;
  stream->head_bytes += name.size() + value.size() + kFieldOverheadBytes;
  if (stream->head_bytes > kHeadBytesFactorMax * kHeadBytesMax) {
    Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
    return false;
  }
  if (stream->request_state != RequestState::kHead) return true;  // trailers mean nothing to us
  stream->head_is_large = stream->head_is_large || stream->head_bytes > kHeadBytesMax;
  if (!stream->head_is_large) StoreField(*stream, name, value);
  return true;
}

void Engine::StoreField(Stream& stream, std::string_view name, std::string_view value) {
  Request& request = stream.request;
  if (name == ":method") {
    request.method = value;
  } else if (name == ":path") {
    request.target = value;
  } else if (name == ":authority") {
    stream.authority = value;
  } else if (name.starts_with(':')) {
    return;
  } else if (request.headers.size() == kHeadFieldsMax) {
    stream.head_is_large = true;
  } else {
    stream.has_host = stream.has_host || name == "host";
    request.headers.Add(name, value);
  }
}

void Engine::OnFrame(const nghttp2_frame& frame) {
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA: {
      if (head_stream_ == frame.hd.stream_id) head_stream_ = 0;
      Stream* const stream = Find(static_cast<StreamId>(frame.hd.stream_id));
      if (stream == nullptr) return;
      const bool is_head =
          frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
      if (is_head) OnHeadEnd(*stream, !EndsStream(frame));
      if (EndsStream(frame)) OnInputEnd(*stream);
      return;
    }
    case NGHTTP2_RST_STREAM: {
      Stream* const stream = Find(static_cast<StreamId>(frame.hd.stream_id));
      if (stream != nullptr && !stream->lingers) stream->is_called_off = true;
      return;
    }
    case NGHTTP2_SETTINGS: greeted_ = true; return;
    case NGHTTP2_PING:
      if (shutting_down_ && IsAck(frame) &&
          std::ranges::equal(frame.ping.opaque_data, kShutdownPing)) {
        const int32_t last = nghttp2_session_get_last_proc_stream_id(session_.get());
        Note(nghttp2_submit_goaway(
            session_.get(), NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0));
      }
      return;
    default: return;
  }
}

void Engine::OnHeadEnd(Stream& stream, bool has_body) {
  // All streams take turns; what peers say about that is not asked (RFC 9218).
  const nghttp2_extpri turns = {.urgency = NGHTTP2_EXTPRI_DEFAULT_URGENCY, .inc = 1};
  Note(nghttp2_session_change_extpri_stream_priority(session_.get(), stream.id, &turns, 1));
  if (!CheckHead(stream)) return;
  Request& request = stream.request;
  stream.is_head_request = request.method == "HEAD";
  if (!stream.has_host) request.headers.Add("host", stream.authority);
  stream.tracked = Track(request, has_body, options_);
  const HeadVerdict verdict = events_.OnHead(request);
  if (verdict != HeadVerdict::kStranger) Trust();
  stream.request_state = has_body ? RequestState::kBody : RequestState::kReady;
  stream.moved_tick = tick_;
  BeginRequest(request, verdict, has_body, ContentLength(request.headers), options_);
  if (request.body_state != BodyState::kWhole) stream.request_state = RequestState::kReady;
  if (stream.request_state == RequestState::kReady) {
    ready_.push_back(stream.id);
  } else if (request.headers.Has("Expect")) {
    const AnswerFields fields({.status = 100}, std::nullopt, {});
    Note(nghttp2_submit_headers(session_.get(),
                                NGHTTP2_FLAG_NONE,
                                stream.id,
                                nullptr,
                                fields.list().data(),
                                fields.list().size(),
                                nullptr));
  }
}

/// False: the request was refused here.
bool Engine::CheckHead(Stream& stream) {
  const Request& request = stream.request;
  const std::string_view expectation = request.headers.Get("Expect");
  if (stream.head_is_large) {
    Refuse(stream, 431, "the request head is too large");
  } else if (!IsToken(request.method)) {
    Refuse(stream, 400, "malformed method");
  } else if (!IsTarget(request.target)) {
    Refuse(stream, 400, "malformed request target");
  } else if (!expectation.empty() && !EqualsIgnoringCase(expectation, "100-continue")) {
    Refuse(stream, 417, "only 100-continue can be expected");
  } else {
    return true;
  }
  return false;
}

/// A known sender may open more streams.
void Engine::Trust() {
  if (std::exchange(trusted_, true) || limits_.streams_max <= kStrangerStreamsMax) return;
  const nghttp2_settings_entry streams = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                                          limits_.streams_max};
  Note(nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, &streams, 1));
}

void Engine::OnBodyBytes(int32_t id, std::string_view bytes) {
  Stream* const stream = Find(static_cast<StreamId>(id));
  if (stream == nullptr || stream->request_state != RequestState::kBody) {
    // The body is not read. The stream's window stays closed, so the peer stops soon.
    Note(nghttp2_session_consume_connection(session_.get(), bytes.size()));
    return;
  }
  stream->request.body.append(bytes);
  CheckBody(stream->request, options_);
  Note(nghttp2_session_consume(session_.get(), id, bytes.size()));
  if (stream->request.body_state == BodyState::kWhole) return;
  stream->request_state = RequestState::kReady;
  ready_.push_back(id);
}

void Engine::OnInputEnd(Stream& stream) {
  stream.input_ended = true;
  if (stream.request_state != RequestState::kBody) return;
  stream.request_state = RequestState::kReady;
  ready_.push_back(stream.id);
}

/// An answer that is out while the request is not: the rest of it is not wanted (RFC 9113 8.1),
/// which Tick says if the peer does not see it by itself.
void Engine::OnSent(const nghttp2_frame& frame) {
  const bool is_answer = frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA;
  if (!is_answer || !EndsStream(frame)) return;
  unsent_.EndOutput(static_cast<StreamId>(frame.hd.stream_id), pending());
  Stream* const stream = Find(static_cast<StreamId>(frame.hd.stream_id));
  if (stream == nullptr || stream->input_ended || stream->is_reset) return;
  stream->lingers = true;
  stream->moved_tick = tick_;
}

void Engine::OnStreamClose(int32_t id, uint32_t error_code) {
  if (head_stream_ == id) head_stream_ = 0;
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const Stream& stream = *found->second;
  const bool is_missed = stream.request_state == RequestState::kDelivered &&
                         stream.answer_state != AnswerState::kComplete;
  // Counts with any code: a request that is called off has already cost its work (CVE-2023-44487).
  const bool is_unanswered = stream.answer_state != AnswerState::kComplete ||
                             stream.queue.bytes() > 0 || stream.is_called_off;
  const bool is_early =
      stream.is_at_fault || (!stream.is_reset && (error_code != NGHTTP2_NO_ERROR || is_unanswered));
  if (is_missed && !stream.is_reset) closed_.push_back(id);
  queued_bytes_ -= stream.queue.bytes();
  streams_.erase(found);
  unsent_.OnClosed(static_cast<StreamId>(id));
  if (!is_early) return;
  if (resets_left_ == 0) {
    Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  } else {
    --resets_left_;
  }
}

void Engine::Terminate(uint32_t error_code) {
  Note(nghttp2_session_terminate_session(session_.get(), error_code));
}

void Engine::ResetStream(Stream& stream, uint32_t error_code) {
  stream.is_reset = true;
  Note(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id, error_code));
}

size_t Engine::OnReadOutput(Stream& stream, size_t size_max, bool& ended) {
  const size_t size = std::min(size_max, stream.queue.bytes());
  const bool is_last = size == stream.queue.bytes();
  ended = is_last && stream.answer_state == AnswerState::kComplete;
  stream.deferred = size == 0 && !ended;
  return size;
}

bool Engine::OnSendOutput(Stream& stream, std::string_view frame_head, size_t size) {
  output_.append(frame_head);
  stream.queue.MoveTo(output_, size);
  queued_bytes_ -= size;
  stream.moved_tick = tick_;
  return pending() < wanted_;
}

size_t Engine::Peek(std::span<char> out) {
  wanted_ = out.size();
  while (!failed_ && pending() < wanted_) {
    const size_t before = pending();
    const uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &data);
    if (size < 0) {
      failed_ = true;
      break;
    }
    // Room for the head of an answer and what follows, at once.
    if (output_.empty()) {
      const size_t body = std::min(queued_bytes_ + kFrameHeadBytes, wanted_);
      output_.reserve(static_cast<size_t>(size) + body);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are chars
    output_.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    if (pending() == before) {  // what is left waits for the peer
      if (queued_bytes_ > 0) unsent_.OnWindowsShut();
      break;
    }
  }
  ReportClosed();
  if (pending() == 0) std::string().swap(output_);  // idle connections own no buffers
  return std::string_view(output_).substr(offset_).copy(out.data(), out.size());
}

bool Engine::wants_write() const {
  return pending() > 0 || (!failed_ && nghttp2_session_want_write(session_.get()) != 0);
}

void Engine::Consume(size_t size) {
  DRAY_CHECK(size <= pending());
  unsent_.OnConsumed(size);
  offset_ += size;
  if (offset_ < pending()) return;  // later: each byte moves once
  output_.erase(0, offset_);
  offset_ = 0;
}

bool Engine::wants_read() const {
  return !failed_ && nghttp2_session_want_read(session_.get()) != 0 &&
         nghttp2_session_get_outbound_queue_size(session_.get()) < kQueuedFramesMax;
}

bool Engine::wants_close() const {
  if (failed_) return true;
  return pending() == 0 && nghttp2_session_want_read(session_.get()) == 0 &&
         nghttp2_session_want_write(session_.get()) == 0;
}

EnginePhase Engine::phase() const {
  if (failed_) return EnginePhase::kBusy;
  if (!greeted_ || head_stream_ != 0) return EnginePhase::kHead;
  // Bodies have their own limits and do not block other streams.
  return streams_.empty() ? EnginePhase::kIdle : EnginePhase::kBusy;
}

void Engine::Shutdown() {
  if (std::exchange(shutting_down_, true)) return;
  if (!greeted_) return EndInput();
  Note(nghttp2_submit_shutdown_notice(session_.get()));
  Note(nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, kShutdownPing.data()));
}

void Engine::EndInput() {
  shutting_down_ = true;
  const int32_t last = nghttp2_session_get_last_proc_stream_id(session_.get());
  Note(
      nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0));
  for (const auto& [id, stream] : streams_) {
    const bool is_partial = stream->request_state == RequestState::kHead ||
                            stream->request_state == RequestState::kBody;
    if (is_partial) ResetStream(*stream, NGHTTP2_CANCEL);
  }
}

bool Engine::IsLate(Stream& stream) const {
  if (stream.lingers) return tick_ - stream.moved_tick > kLingerTicks;
  if (stream.request_state == RequestState::kBody) {
    return limits_.body_ticks > 0 && tick_ - stream.moved_tick > limits_.body_ticks;
  }
  const bool is_blocked =
      stream.queue.bytes() > 0 &&
      (nghttp2_session_get_stream_remote_window_size(session_.get(), stream.id) <= 0 ||
       nghttp2_session_get_remote_window_size(session_.get()) <= 0);
  if (!is_blocked) stream.moved_tick = tick_;
  return limits_.stall_ticks > 0 && tick_ - stream.moved_tick > limits_.stall_ticks;
}

void Engine::Tick() {
  ++tick_;
  resets_left_ = std::min(kResetsMax, resets_left_ + kResetsPerTick);
  if (failed_) return;
  for (const auto& [id, stream] : streams_) {
    if (stream->is_reset || !IsLate(*stream)) continue;
    const bool is_missed = stream->request_state == RequestState::kDelivered &&
                           stream->answer_state != AnswerState::kComplete;
    if (is_missed) closed_.push_back(id);
    stream->is_at_fault = !stream->lingers;
    ResetStream(*stream, stream->lingers ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
  }
  ReportClosed();
}

void Engine::Refuse(Stream& stream, int status, std::string_view why) {
  stream.request_state = RequestState::kDelivered;
  stream.request = {};
  ResponseHead head{.status = status};
  head.headers.Add("content-type", "text/plain; charset=utf-8");
  std::string text = RefusalText(status, why);
  const AnswerFields fields(
      head, text.size(), options_.date == nullptr ? std::string_view() : *options_.date);
  stream.answer_state = AnswerState::kComplete;
  queued_bytes_ += text.size();
  stream.queue.Add(Bytes(std::move(text)));
  Submit(stream, fields, true);
}

void Engine::Submit(Stream& stream, const AnswerFields& fields, bool has_body) {
  const nghttp2_data_provider body = OutputOf(stream);
  Note(nghttp2_submit_response(session_.get(),
                               stream.id,
                               fields.list().data(),
                               fields.list().size(),
                               has_body ? &body : nullptr));
}

void Engine::Respond(StreamId stream, ResponseHead head, Body body) {
  Stream* const found = Find(stream);
  if (found == nullptr || found->answer_state != AnswerState::kNone) return;
  const bool is_empty = HasNoBody(head.status);
  const AnswerFields fields(head,
                            is_empty ? std::nullopt : std::optional(body.size()),
                            options_.date == nullptr ? std::string_view() : *options_.date);
  found->answer_state = AnswerState::kComplete;
  unsent_.Add(stream, std::move(found->tracked));
  const bool has_body = !is_empty && !found->is_head_request && !body.empty();
  if (has_body) {
    found->moved_tick = tick_;
    queued_bytes_ += body.size();
    std::move(body).TakeApart([&](Bytes piece) { found->queue.Add(std::move(piece)); });
  }
  Submit(*found, fields, has_body);
}

void Engine::Start(StreamId stream, ResponseHead head) {
  Stream* const found = Find(stream);
  if (found == nullptr || found->answer_state != AnswerState::kNone) return;
  const bool has_body = !HasNoBody(head.status) && !found->is_head_request;
  found->answer_state = has_body ? AnswerState::kStreaming : AnswerState::kComplete;
  found->tracked.End();  // it lasts from now on
  Submit(*found,
         AnswerFields(
             head, std::nullopt, options_.date == nullptr ? std::string_view() : *options_.date),
         has_body);
}

void Engine::Write(StreamId stream, Bytes piece) {
  Stream* const found = Find(stream);
  if (found == nullptr || found->answer_state != AnswerState::kStreaming) return;
  if (found->queue.bytes() == 0) found->moved_tick = tick_;
  queued_bytes_ += piece.size();
  found->queue.Add(std::move(piece));
  Resume(*found);
}

void Engine::Finish(StreamId stream) {
  Stream* const found = Find(stream);
  if (found == nullptr || found->answer_state != AnswerState::kStreaming) return;
  found->answer_state = AnswerState::kComplete;
  Resume(*found);
}

void Engine::Resume(Stream& stream) {
  const bool has_news = stream.queue.bytes() > 0 || stream.answer_state == AnswerState::kComplete;
  if (!stream.deferred || !has_news) return;
  stream.deferred = false;
  Note(nghttp2_session_resume_data(session_.get(), stream.id));
}

bool Engine::Reset(StreamId stream) {
  Stream* const found = Find(stream);
  if (found != nullptr && !found->is_reset) ResetStream(*found, NGHTTP2_INTERNAL_ERROR);
  return true;
}

void Engine::MarkLongRunning(StreamId stream) {
  Stream* const found = Find(stream);
  if (found != nullptr) found->tracked.End();
}

size_t Engine::held_bytes() const {
  size_t bytes =
      output_.capacity() + streams_.size() * kStreamBytes + queued_bytes_ + unsent_.held_bytes();
  for (const auto& [id, stream] : streams_) {
    bytes += stream->request.headers.block().size() + stream->request.body.capacity() +
             stream->request.target.size();
  }
  return bytes;
}

size_t Engine::unclaimed_bytes() const {
  const Stream* const stream =
      head_stream_ == 0 ? nullptr : Find(static_cast<StreamId>(head_stream_));
  return stream == nullptr ? 0 : std::min(stream->head_bytes, kHeadBytesMax);
}

size_t Engine::queued_bytes(StreamId stream) const {
  const Stream* const found = Find(stream);
  return found == nullptr ? 0 : found->queue.bytes();
}

size_t Engine::queue_bytes_max() const {
  return queued_bytes_ > kQueuedBytesMax ? kCrowdedStreamBytesMax : kStreamQueueBytesMax;
}

}  // namespace dray::net::http2
