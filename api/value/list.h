// SPDX-License-Identifier: Apache-2.0
// A list of the API: a vector that also knows whether it was given at all.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

namespace dray::api::inline value {

/// `[]` and an absent list are the same for nearly all code, so they are equal. They differ on the
/// wire (`"requests":[]`, `"requests":null`) and in a few rules of upstream that check for a nil
/// list. So a list that was given as `[]` is present() although it is empty.
template <class T>
class List : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  List() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): any vector is a list
  List(std::vector<T> items) : std::vector<T>(std::move(items)) {}

  bool present() const { return is_given_ || !this->empty(); }
  void set_present() { is_given_ = true; }

  /// Same elements.
  bool operator==(const List& other) const { return *this == other.items(); }
  bool operator==(const std::vector<T>& other) const { return items() == other; }

  const std::vector<T>& items() const { return *this; }

 private:
  bool is_given_ = false;
};

}  // namespace dray::api::inline value
