// SPDX-License-Identifier: Apache-2.0
// A list of the API that hardly any object has.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "api/value/box.h"
#include "api/value/list.h"

namespace dray::api::inline value {

/// Like List, but takes a pointer until it is given: for members of structs of which an object has
/// hundreds (`rare` in a schema).
template <class T>
class RareList {
 public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = T*;

  RareList() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): any list or vector is one
  RareList(List<T> items) {
    if (items.present()) list_.emplace(std::move(items));
  }
  // NOLINTNEXTLINE(google-explicit-constructor): any list or vector is one
  RareList(std::vector<T> items) : RareList(List<T>(std::move(items))) {}
  RareList(std::initializer_list<T> items) : RareList(List<T>(items)) {}

  const List<T>& items() const {
    static const List<T> kNone;
    return list_.has_value() ? *list_ : kNone;
  }
  // NOLINTNEXTLINE(google-explicit-constructor): any of these is a list
  operator const List<T>&() const { return items(); }

  bool present() const { return items().present(); }
  void set_present() { Own().set_present(); }
  size_t size() const { return items().size(); }
  bool empty() const { return items().empty(); }
  const T* data() const { return items().data(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  T* begin() { return list_.has_value() ? list_->data() : nullptr; }
  T* end() { return list_.has_value() ? list_->data() + list_->size() : nullptr; }
  const T& operator[](size_t at) const { return items()[at]; }
  T& operator[](size_t at) { return Own()[at]; }
  const T& front() const { return items().front(); }
  const T& back() const { return items().back(); }
  T& front() { return Own().front(); }
  T& back() { return Own().back(); }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    return Own().emplace_back(std::forward<Args>(args)...);
  }
  void push_back(T item) { Own().push_back(std::move(item)); }
  void reserve(size_t size) { Own().reserve(size); }
  void clear() { list_.reset(); }

  /// Same elements.
  bool operator==(const RareList& other) const { return items() == other.items(); }
  bool operator==(const std::vector<T>& other) const { return items() == other; }

 private:
  List<T>& Own() { return list_.has_value() ? *list_ : list_.emplace(); }

  Box<List<T>> list_;
};

}  // namespace dray::api::inline value
