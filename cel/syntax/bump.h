// SPDX-License-Identifier: Apache-2.0
// A bump allocator: many small objects that are freed together, such as those of one compiled
// expression.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dray::cel::syntax {

/// Allocates from blocks that never move, even when the Bump itself is moved. For objects without
/// destructors only.
class Bump {
 public:
  Bump() = default;
  /// Uses `first` before it asks for memory of its own.
  explicit Bump(std::span<std::byte> first) : free_(first) {}
  ~Bump() = default;
  Bump(const Bump&) = delete;
  Bump& operator=(const Bump&) = delete;
  Bump(Bump&&) = default;
  Bump& operator=(Bump&&) = default;

  /// Uninitialised memory.
  void* Take(size_t size, size_t alignment) {
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

  template <class T, class... Arguments>
  T* Make(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    return std::construct_at(static_cast<T*>(Take(sizeof(T), alignof(T))),
                             std::forward<Arguments>(arguments)...);
  }

  /// `count` values, each T().
  template <class T>
  std::span<T> MakeArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may well be a pointer
    T* const items = static_cast<T*>(Take(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(items, count);
    return {items, count};
  }

  template <class T>
  std::span<T> Copy(std::span<const T> items) {
    const std::span<T> copy = MakeArray<T>(items.size());
    std::ranges::copy(items, copy.begin());
    return copy;
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* const copy = static_cast<char*>(Take(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

 private:
  static constexpr size_t kFirstBlockBytes = 2048;
  static constexpr size_t kBlockBytesMax = size_t{64} * 1024;

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::span<std::byte> free_;
  size_t next_block_ = kFirstBlockBytes;
};

}  // namespace dray::cel::syntax
