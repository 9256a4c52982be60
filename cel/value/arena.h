// SPDX-License-Identifier: Apache-2.0
// Memory of one evaluation, or of the constants of one program: allocated in small pieces, freed
// all at once. Values point into arenas and never own anything.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/work.h"
#include "cel/syntax/bump.h"
#include "cel/value/value.h"

namespace dray::cel::inline value {

/// An evaluation that needs more ends with an error. Upstream has no such limit; an expression that
/// stays within the cost limit and needs this much only piles up strings and lists.
inline constexpr size_t kArenaBytesMax = size_t{64} * 1024 * 1024;

/// Instructions that the patterns of one evaluation may compile to together, where patterns are not
/// constant: 8 ms at most (cel/library/regex.h).
inline constexpr size_t kEvaluationPatternsMax = 32'768;

/// What the expressions of one request or one attempt may take together, in units of Work: a
/// quarter of a second to one. An evaluation that needs more ends with an error. It is for
/// expressions whose cost, which is upstream's, says less than they take.
inline constexpr uint64_t kWorkMax = uint64_t{1} << 28U;

/// Not for use by two threads at once.
class Arena {
 public:
  Arena() = default;
  /// `work` is what evaluations in several arenas may take together, and outlives the arena.
  explicit Arena(Work& work) : work_(&work) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  std::string_view Copy(std::string_view text) {
    bytes_ += text.size();
    return memory_.Copy(text);
  }
  /// `count` objects, default-initialised.
  template <class T>
  std::span<T> NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    T* const items = static_cast<T*>(Take(count * sizeof(T), alignof(T)));
    std::uninitialized_default_construct_n(items, count);
    return {items, count};
  }
  std::span<Value> NewValues(size_t count) { return NewArray<Value>(count); }
  std::span<MapEntry> NewEntries(size_t count) { return NewArray<MapEntry>(count); }
  std::span<uint64_t> NewNumbers(size_t count) { return NewArray<uint64_t>(count); }
  /// Room for a text of `size` bytes, to be written by the caller.
  std::span<char> NewText(size_t size) { return NewArray<char>(size); }

  /// An object that lives as long as the arena.
  template <class T>
  const T* Keep(T object) {
    return Place(std::move(object));
  }
  /// The same for an object that changes later.
  template <class T>
  T* Place(T object) {
    T* const kept =
        std::construct_at(static_cast<T*>(Take(sizeof(T), alignof(T))), std::move(object));
    if constexpr (!std::is_trivially_destructible_v<T>) {
      destructors_.push_back({kept, [](void* target) { static_cast<T*>(target)->~T(); }});
    }
    return kept;
  }

  /// Bytes allocated so far.
  size_t bytes() const { return bytes_; }
  bool is_full() const { return bytes_ > kArenaBytesMax; }

  /// Functions charge here what they take beyond looking at a few words.
  Work& work() { return work_ == nullptr ? own_work_ : *work_; }

  /// What is left of kEvaluationPatternsMax. The compiler of a pattern subtracts its instructions.
  size_t& pattern_instructions_left() { return pattern_instructions_left_; }

 private:
  struct Destructor {
    void* object;
    void (*destroy)(void*);
  };
  static constexpr size_t kFirstBytes = 1024;  // enough for nearly every selector

  void* Take(size_t size, size_t alignment) {
    bytes_ += size;
    return memory_.Take(size, alignment);
  }

  alignas(std::max_align_t) std::array<std::byte, kFirstBytes> first_;
  syntax::Bump memory_{first_};
  std::vector<Destructor> destructors_;
  size_t bytes_ = 0;
  size_t pattern_instructions_left_ = kEvaluationPatternsMax;
  Work own_work_{kWorkMax};
  Work* work_ = nullptr;  // instead of its own
};

/// A growing array of values in an arena. It doubles when it is full; what it leaves behind is
/// freed with the arena.
class ValueBuffer {
 public:
  explicit ValueBuffer(Arena& arena) : arena_(arena) {}

  void Add(const Value& value) {
    if (size_ == items_.size()) Grow();
    items_[size_++] = value;
  }
  std::span<Value> items() const { return items_.first(size_); }
  size_t size() const { return size_; }

 private:
  void Grow();

  Arena& arena_;
  std::span<Value> items_;
  size_t size_ = 0;
};

}  // namespace dray::cel::inline value
