// SPDX-License-Identifier: Apache-2.0
// Objects with bytes behind them: text of any length in the same allocation as its owner.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dray {

/// How MakeWithTailRoom tells the allocator what to add; set during its call alone.
struct TailSize {
  static inline thread_local size_t extra = 0;
};

/// Allocates room for one object (and what std::shared_ptr needs) and as many bytes after it as
/// `extra` says at that moment. It has no state of its own because std::shared_ptr keeps a copy of
/// its allocator beside every object: eight bytes each, that nobody would read again.
template <class T>
struct TailAllocator {
  using value_type = T;
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  TailAllocator() = default;
  template <class U>
  explicit TailAllocator(const TailAllocator<U>& /*other*/) {}

  T* allocate(size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T) + TailSize::extra));
  }
  void deallocate(T* at, size_t /*count*/) { ::operator delete(at); }
  bool operator==(const TailAllocator& /*other*/) const = default;
};

/// The bytes behind `object`, which MakeWithTail or MakeWithTailRoom made.
template <class T>
char* TailOf(T* object) {
  return reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(object)) + sizeof(T);
}

/// A shared T, made of `arguments`, with room for `bytes` behind it, in one allocation. T remembers
/// how many there are, and fills them; its constructor must not make another one of these.
template <class T, class... Arguments>
std::shared_ptr<T> MakeWithTailRoom(size_t bytes, Arguments&&... arguments) {
  TailSize::extra = bytes;
  std::shared_ptr<T> made =
      std::allocate_shared<T>(TailAllocator<T>(), std::forward<Arguments>(arguments)...);
  TailSize::extra = 0;
  return made;
}

/// The same, with a copy of `tail` behind it.
template <class T, class... Arguments>
std::shared_ptr<T> MakeWithTail(std::string_view tail, Arguments&&... arguments) {
  std::shared_ptr<T> made = MakeWithTailRoom<T>(tail.size(), std::forward<Arguments>(arguments)...);
  if (!tail.empty()) std::memcpy(TailOf(made.get()), tail.data(), tail.size());
  return made;
}

}  // namespace dray
