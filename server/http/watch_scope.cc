// SPDX-License-Identifier: Apache-2.0
#include "server/http/watch_scope.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "net/http.h"
#include "net/reactor.h"
#include "server/documents/render.h"
#include "server/verbs/watches/watch_cursor.h"

namespace dray::server::http {

void WatchScope::Wake() {
  if (woken_.exchange(true)) return;
  const auto post = [this] { reactor_.Post([self = shared_from_this()] { self->OnWoken(); }); };
  if (!RanOutOfMemory(post)) return;
  woken_.store(false);  // else no later wake would be posted
  throw std::bad_alloc();
}

void WatchScope::OnWoken() {
  woken_.store(false);
  if (walking_) {
    again_ = true;
    return;
  }
  walking_ = true;
  next_ = 0;
  Walk();
}

bool WatchScope::WalkOnLater() {
  return !RanOutOfMemory([this] { reactor_.Post([self = shared_from_this()] { self->Walk(); }); });
}

void WatchScope::Walk() {
  while (true) {
    for (size_t i = 0; i < kWatchesPerTurn && next_ < members_.size(); ++i) {
      members_[next_++]->Pump();
    }
    if (next_ == members_.size()) {
      if (!std::exchange(again_, false)) break;
      next_ = 0;
    }
    if (WalkOnLater()) return;  // out of memory: continue at once
  }
  walking_ = false;
  frames_.clear();
  frame_bytes_ = 0;
}

void WatchScope::Place(ScopeMember& member, size_t place) {
  members_[place] = &member;
  member.place_ = place;
}

void WatchScope::Add(ScopeMember& member) {
  members_.push_back(nullptr);
  Place(member, members_.size() - 1);
}

/// Keeps the members that the walk has passed before those that it has not reached.
void WatchScope::Remove(const ScopeMember& member) {
  size_t gap = member.place_;
  DRAY_CHECK(members_[gap] == &member);
  if (gap < next_) {
    --next_;
    Place(*members_[next_], gap);
    gap = next_;
  }
  if (gap + 1 < members_.size()) Place(*members_.back(), gap);
  members_.pop_back();
}

net::Bytes WatchScope::FrameOf(const verbs::WatchEvent& event,
                               const documents::Rendering& rendering,
                               documents::ColumnDefinitions definitions) {
  const auto make = [&] {
    return net::Bytes(documents::WatchFrame(event, rendering, definitions));
  };
  // Not shared: tables, which have the age of an object and send columns once, and errors, which
  // belong to one watch.
  const bool is_shared = walking_ && members_.size() > 1 && event.item.forms != nullptr &&
                         rendering.form.transform != documents::Transform::kTable;
  if (!is_shared) return make();
  const FrameKey key{
      event.item.forms.get(), event.type, rendering.form.encoding, rendering.form.transform};
  if (const auto found = frames_.find(key); found != frames_.end()) return found->second.bytes;
  net::Bytes bytes = make();
  if (bytes.size() > kSharedFrameBytesMax) return bytes;
  if (frames_.size() == kSharedFramesMax || frame_bytes_ + bytes.size() > kSharedFrameBytesMax) {
    frames_.clear();
    frame_bytes_ = 0;
  }
  frame_bytes_ += bytes.size();
  frames_.emplace(key, Frame{.forms = event.item.forms, .bytes = bytes});
  return bytes;
}

std::shared_ptr<WatchScope> WatchScopes::Of(net::Reactor& reactor, std::string_view name) {
  const MutexLock lock(mutex_);
  Sweep();
  std::weak_ptr<WatchScope>& known = scopes_[{&reactor, std::string(name)}];
  std::shared_ptr<WatchScope> scope = known.lock();
  if (scope == nullptr) {
    scope = std::make_shared<WatchScope>(reactor);
    known = scope;
  }
  return scope;
}

size_t WatchScopes::size() const {
  const MutexLock lock(mutex_);
  return scopes_.size();
}

/// Removes entries without watches when they may be half of all. The cost is constant for each
/// added entry.
void WatchScopes::Sweep() {
  constexpr size_t kSizeMin = 64;
  if (scopes_.size() < std::max(kSizeMin, 2 * swept_size_)) return;
  std::erase_if(scopes_, [](const auto& entry) { return entry.second.expired(); });
  swept_size_ = scopes_.size();
}

}  // namespace dray::server::http
