// SPDX-License-Identifier: Apache-2.0
#include "server/http/watch_stream.h"

#include <new>
#include <utility>

#include "base/out_of_memory.h"

namespace dray::server::http {
namespace {

constexpr int kOk = 200;  // the code of every watch that began

}  // namespace

void WatchStream::Run(std::unique_ptr<verbs::WatchCursor> cursor,
                      std::shared_ptr<net::Responder> responder,
                      WatchAnswer answer,
                      const WatchWorld& world) {
  auto scope = world.scopes.Of(responder->reactor(), cursor->scope());
  const auto stream = std::make_shared<WatchStream>(
      std::move(cursor), std::move(responder), answer, std::move(scope), world.clock);
  stream->Begin(std::move(answer.head));
}

WatchStream::WatchStream(std::unique_ptr<verbs::WatchCursor> cursor,
                         std::shared_ptr<net::Responder> responder,
                         WatchAnswer& answer,
                         std::shared_ptr<WatchScope> scope,
                         const Clock& clock)
    : cursor_(std::move(cursor)),
      responder_(std::move(responder)),
      rendering_(answer.rendering),
      counted_(std::move(answer.counted)),
      queued_(std::move(answer.queued)),
      audited_(std::move(answer.audited)),
      scope_(std::move(scope)),
      clock_(clock) {}

WatchStream::~WatchStream() {
  LeaveScope();
  if (audited_ != nullptr) audited_->Complete(kOk);
}

void WatchStream::Begin(net::ResponseHead head) {
  net::Reactor& reactor = responder_->reactor();
  // The responder keeps the stream alive through this callback until the answer is over.
  responder_->OnClose([self = shared_from_this()] { self->Finish(); });
  responder_->OnShutdown([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Finish();
  });
  responder_->Start(std::move(head));
  const std::chrono::seconds end{cursor_->timeout_seconds()};
  end_ = reactor.RunAfter(end, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Finish();
  });
  if (end > kBookmarkBeforeEnd) {
    last_bookmark_ = reactor.RunAfter(end - kBookmarkBeforeEnd, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->SendBookmark();
    });
  }
  RepeatBookmark();
  // From here on a commit wakes the stream; Pump() takes the events of earlier commits.
  scope_->Add(*this);
  in_scope_ = true;
  cursor_->WakeOnChange(scope_);
  Pump();
}

void WatchStream::LeaveScope() {
  if (std::exchange(in_scope_, false)) scope_->Remove(*this);
}

void WatchStream::GoOnSoon() {
  if (continues_) return;
  responder_->reactor().Post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->continues_ = false;
    self->Pump();
  });
  continues_ = true;
}

void WatchStream::Pump() {
  // Out of memory, the stream ends: the client continues from the last event that it received.
  if (RanOutOfMemory([this] { TakeTurn(); })) Finish();
}

void WatchStream::TakeTurn() {
  size_t lines = 0;
  const size_t sent = sent_bytes_;
  while (responder_ != nullptr && !held_) {
    if (lines++ == kWatchBatchMax || sent_bytes_ - sent > kWatchTurnBytes) {
      GoOnSoon();
      return;
    }
    if (next_ == events_.size()) {
      events_ = cursor_->Next(kWatchBatchMax);
      next_ = 0;
      if (events_.empty()) {
        if (cursor_->has_more()) {
          GoOnSoon();
        } else if (cursor_->is_over()) {
          Finish();
        }
        return;
      }
    }
    const verbs::WatchEvent event = std::move(events_[next_++]);
    const bool last = event.type == verbs::WatchEventType::kError;
    if (!Send(event)) return;
    if (last) Finish();
  }
}

// Sends one event; false when the stream is over.
bool WatchStream::Send(const verbs::WatchEvent& event) {
  rendering_.table.now = clock_.Now();
  const auto definitions =
      columns_sent_ ? documents::ColumnDefinitions::kNull : documents::ColumnDefinitions::kShown;
  if (!event.status) columns_sent_ = true;
  net::Bytes frame = scope_->FrameOf(event, rendering_, definitions);
  counted_.CountEvent(frame.size());
  return Write(std::move(frame));
}

bool WatchStream::Write(net::Bytes line) {
  sent_bytes_ += line.size();
  switch (responder_->Write(line)) {
    case net::WriteOutcome::kQueued: return HoldQueued();
    case net::WriteOutcome::kFull:
      held_ = std::move(line);
      responder_->OnWritable([weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self != nullptr) self->WriteHeld();
      });
      return true;
    case net::WriteOutcome::kClosed: Finish(); return false;
  }
  return false;
}

// Called when the queue has room. Out of memory, the stream ends, so that no line is skipped.
void WatchStream::WriteHeld() {
  if (responder_ == nullptr || !held_) return;
  bool continues = false;
  const auto write = [&] { continues = Write(*std::exchange(held_, std::nullopt)); };
  if (RanOutOfMemory(write)) return Finish();
  if (continues) Pump();
}

// Sends a bookmark of the cursor's revision, unless events before that revision are still unsent.
void WatchStream::SendBookmark() {
  if (responder_ == nullptr || held_ || next_ != events_.size()) return;
  const auto bookmark = cursor_->Bookmark();
  if (bookmark) Send(*bookmark);
}

void WatchStream::RepeatBookmark() {
  if (responder_ == nullptr) return;
  bookmark_ = responder_->reactor().RunAfter(kBookmarkInterval, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->Pump();  // sends events whose wake ran out of memory
    const auto send = [&self] {
      self->SendBookmark();
      self->RepeatBookmark();
    };
    if (RanOutOfMemory(send)) self->Finish();
  });
}

// Counts a slow client's queue against its share. Beyond the share the connection is aborted with
// its queue, and the result is false: the client continues from the last event that it received.
bool WatchStream::HoldQueued() {
  const size_t queued = responder_->queued_bytes();
  if (queued <= kWatchFreeBytes) {
    if (queued_.amount() > 0) queued_.Release();
    return true;
  }
  if (queued_.Resize(queued)) return true;
  EndBy(&net::Responder::Abort);
  return false;
}

void WatchStream::Finish() {
  EndBy(&net::Responder::Finish);
}

void WatchStream::EndBy(void (net::Responder::*end)()) {
  if (responder_ == nullptr) return;
  (*responder_.*end)();
  cursor_.reset();
  LeaveScope();
  // The caller may be a callback of a timer or of the responder: destroy them after it has
  // returned.
  net::Reactor& reactor = responder_->reactor();
  reactor.Post([responder = std::move(responder_), self = shared_from_this()] {
    self->bookmark_ = net::Timer();
    self->last_bookmark_ = net::Timer();
    self->end_ = net::Timer();
  });
  responder_ = nullptr;
}

}  // namespace dray::server::http
