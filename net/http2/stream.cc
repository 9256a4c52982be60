// SPDX-License-Identifier: Apache-2.0
#include "net/http2/stream.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "net/http.h"

namespace dray::net::http2 {

void OutputQueue::Add(Bytes piece) {
  if (piece.empty()) return;
  bytes_ += piece.size();
  pieces_.push_back(std::move(piece));
}

void OutputQueue::MoveTo(std::string& out, size_t size) {
  DRAY_CHECK(size <= bytes_);
  bytes_ -= size;
  while (size > 0) {
    Bytes& piece = pieces_[first_];
    const std::string_view part = piece.view().substr(offset_, size);
    out.append(part);
    size -= part.size();
    offset_ += part.size();
    if (offset_ < piece.size()) return;
    piece = Bytes();
    offset_ = 0;
    ++first_;
  }
  // Those that are gone make room when they are the larger part: each piece moves once.
  if (first_ * 2 < pieces_.size()) return;
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
  if (pieces_.empty()) pieces_ = {};  // thousands of idle streams own no memory
}

}  // namespace dray::net::http2
