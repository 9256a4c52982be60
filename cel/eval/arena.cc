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
    left = std::max(kBlockBytes, size + alignment);
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

std::span<Value> Arena::NewValues(size_t count) {
  if (count == 0) return {};
  auto* const values = static_cast<Value*>(Take(count * sizeof(Value), alignof(Value)));
  std::uninitialized_default_construct_n(values, count);
  return {values, count};
}

std::span<MapEntry> Arena::NewEntries(size_t count) {
  if (count == 0) return {};
  auto* const entries = static_cast<MapEntry*>(Take(count * sizeof(MapEntry), alignof(MapEntry)));
  std::uninitialized_default_construct_n(entries, count);
  return {entries, count};
}

std::span<uint64_t> Arena::NewNumbers(size_t count) {
  if (count == 0) return {};
  auto* const numbers = static_cast<uint64_t*>(Take(count * sizeof(uint64_t), alignof(uint64_t)));
  std::uninitialized_default_construct_n(numbers, count);
  return {numbers, count};
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
