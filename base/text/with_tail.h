// SPDX-License-Identifier: Apache-2.0
// Objects followed by bytes: text of any length in the same allocation as its owner.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dray::inline text {

/// Allocates room for one object (and what std::shared_ptr needs), and for `tail` bytes after it.
/// std::shared_ptr stores the allocator beside the object: eight bytes, which std::allocate_shared
/// cannot avoid.
template <class T>
class TailAllocator {
 public:
  using value_type = T;

  explicit TailAllocator(size_t tail) : tail_(tail) {}
  template <class U>
  explicit TailAllocator(const TailAllocator<U>& other) : tail_(other.tail()) {}

  T* allocate(size_t count) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    return reinterpret_cast<T*>(std::allocator<char>().allocate(Bytes(count)));
  }
  void deallocate(T* at, size_t count) {
    std::allocator<char>().deallocate(reinterpret_cast<char*>(at), Bytes(count));
  }
  size_t tail() const { return tail_; }
  bool operator==(const TailAllocator& /*other*/) const = default;

 private:
  size_t Bytes(size_t count) const { return count * sizeof(T) + tail_; }

  size_t tail_;
};

/// The bytes after `object`, which was made by MakeWithTail or MakeWithTailRoom.
template <class T>
char* TailOf(T* object) {
  return reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(object)) + sizeof(T);
}

/// A shared T, made of `arguments`, followed by room for `bytes` bytes, in one allocation. T must
/// remember their number, and fill them.
template <class T, class... Arguments>
std::shared_ptr<T> MakeWithTailRoom(size_t bytes, Arguments&&... arguments) {
  return std::allocate_shared<T>(TailAllocator<T>(bytes), std::forward<Arguments>(arguments)...);
}

/// The same, followed by a copy of `tail`.
template <class T, class... Arguments>
std::shared_ptr<T> MakeWithTail(std::string_view tail, Arguments&&... arguments) {
  std::shared_ptr<T> made = MakeWithTailRoom<T>(tail.size(), std::forward<Arguments>(arguments)...);
  if (!tail.empty()) std::memcpy(TailOf(made.get()), tail.data(), tail.size());
  return made;
}

}  // namespace dray::inline text
