// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/arena.h"

#include <algorithm>
#include <cstring>

namespace dray::cel {

Arena::~Arena() {
  for (const Destructor& destructor : destructors_) destructor.destroy(destructor.object);
}

void* Arena::Take(size_t size, size_t alignment) {
  bytes_ += size;
  void* start = free_.data();
  size_t left = free_.size();
  if (std::align(alignment, size, start, left) == nullptr) {
    left = std::max(next_block_, size + alignment);
    next_block_ = std::min(2 * next_block_, kBlockBytesMax);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(left));
    start = blocks_.back().get();
    std::align(alignment, size, start, left);
  }
  free_ = std::span(static_cast<std::byte*>(start), left).subspan(size);
  return start;
}

std::string_view Arena::Copy(std::string_view text) {
  if (text.empty()) return {};
  char* const copy = static_cast<char*>(Take(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

std::span<char> Arena::NewText(size_t size) {
  if (size == 0) return {};
  return {static_cast<char*>(Take(size, 1)), size};
}

void ValueBuffer::Grow() {
  constexpr size_t kFirst = 8;
  const std::span<Value> bigger = arena_.NewValues(std::max(kFirst, 2 * items_.size()));
  std::ranges::copy(items(), bigger.begin());
  items_ = bigger;
}

}  // namespace dray::cel
