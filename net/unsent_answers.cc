// SPDX-License-Identifier: Apache-2.0
#include "net/unsent_answers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "net/request_tracker.h"

namespace dray::net {

/// The answer of `stream` that is not all in the output.
std::vector<UnsentAnswers::Answer>::iterator UnsentAnswers::FindOpen(uint64_t stream) {
  return std::ranges::find_if(answers_,
                              [&](const Answer& one) { return one.stream == stream && !one.end; });
}

void UnsentAnswers::Add(uint64_t stream, TrackedRequest request) {
  if (!request) return;
  request.Set(socket_is_full_ ? RequestProgress::kPeerSlow : RequestProgress::kWriting);
  answers_.push_back({.stream = stream, .request = std::move(request)});
}

void UnsentAnswers::EndOutput(uint64_t stream, size_t pending) {
  const auto found = FindOpen(stream);
  if (found == answers_.end()) return;
  if (pending == 0) {
    answers_.erase(found);
    return;
  }
  found->end = consumed_ + pending;
  if (!socket_is_full_) found->request.Set(RequestProgress::kWriting);
}

void UnsentAnswers::OnClosed(uint64_t stream) {
  const auto found = FindOpen(stream);
  if (found != answers_.end()) answers_.erase(found);
}

void UnsentAnswers::OnConsumed(size_t size) {
  if (size == 0) return;
  consumed_ += size;
  const bool was_full = std::exchange(socket_is_full_, false);
  std::erase_if(answers_, [&](const Answer& one) { return one.end && *one.end <= consumed_; });
  if (!was_full) return;
  for (Answer& one : answers_) one.request.Set(RequestProgress::kWriting);
}

void UnsentAnswers::OnSocketFull() {
  socket_is_full_ = true;
  for (Answer& one : answers_) one.request.Set(RequestProgress::kPeerSlow);
}

void UnsentAnswers::OnWindowsShut() {
  for (Answer& one : answers_) {
    if (!one.end) one.request.Set(RequestProgress::kPeerSlow);
  }
}

}  // namespace dray::net
