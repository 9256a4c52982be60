// SPDX-License-Identifier: Apache-2.0
// Maps of the API, sorted by key as Kubernetes writes them: labels, attributes, capacities.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check_failed.h"

namespace dray::api::inline value {

/// Entries in the map's own memory: one allocation for all.
template <class T>
struct EntriesInPlace {
  using value_type = std::pair<std::string, T>;
  using Held = value_type;
  using iterator = typename std::vector<Held>::iterator;
  using const_iterator = typename std::vector<Held>::const_iterator;
};

/// A sorted vector behind the interface of std::map; entries that arrive in order (as they do from
/// the wire) are appended. Finding is O(log n), inserting in the middle O(n). Inserting and erasing
/// move entries: keep no pointers across them.
///
/// `Entries` says how the entries of values T are held (Map, SharedMap).
template <class T, class Entries>
class BasicMap {
 public:
  using key_type = std::string;
  using mapped_type = T;
  using value_type = typename Entries::value_type;
  using iterator = typename Entries::iterator;
  using const_iterator = typename Entries::const_iterator;

  BasicMap() = default;
  BasicMap(std::initializer_list<value_type> entries) {
    for (const value_type& entry : entries) try_emplace(entry.first, entry.second);
  }
  template <class Iterator>
  BasicMap(Iterator first, Iterator last) {
    for (; first != last; ++first) try_emplace(first->first, first->second);
  }

  iterator begin() { return iterator(entries_.begin()); }
  iterator end() { return iterator(entries_.end()); }
  const_iterator begin() const { return const_iterator(entries_.begin()); }
  const_iterator end() const { return const_iterator(entries_.end()); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  void reserve(size_t size) { entries_.reserve(size); }

  const_iterator lower_bound(std::string_view key) const {
    // Keys in order are appended.
    if (entries_.empty() || KeyOf(entries_.back()) < key) return end();
    return const_iterator(std::ranges::lower_bound(entries_, key, std::ranges::less(), KeyOf));
  }
  const_iterator find(std::string_view key) const {
    const auto at = lower_bound(key);
    return at != end() && at->first == key ? at : end();
  }
  iterator find(std::string_view key) { return iterator(PlaceOf(std::as_const(*this).find(key))); }
  bool contains(std::string_view key) const { return find(key) != end(); }
  size_t count(std::string_view key) const { return contains(key) ? 1 : 0; }

  const T& at(std::string_view key) const {
    const auto found = find(key);
    if (found == end()) CheckFailed("the map has the key", __FILE__, __LINE__);
    return found->second;
  }
  T& at(std::string_view key) {
    const auto found = find(key);
    if (found == end()) CheckFailed("the map has the key", __FILE__, __LINE__);
    return found->second;
  }
  T& operator[](std::string_view key) { return try_emplace(key).first->second; }

  /// The entry at `key`, made from `args` when there is none; whether it was made.
  template <class... Args>
  std::pair<iterator, bool> try_emplace(std::string_view key, Args&&... args) {
    const auto at = lower_bound(key);
    if (at != std::as_const(*this).end() && at->first == key) return {iterator(PlaceOf(at)), false};
    return {iterator(entries_.emplace(PlaceOf(at),
                                      std::piecewise_construct,
                                      std::forward_as_tuple(key),
                                      std::forward_as_tuple(std::forward<Args>(args)...))),
            true};
  }
  template <class Value>
  std::pair<iterator, bool> emplace(std::string_view key, Value&& value) {
    return try_emplace(key, std::forward<Value>(value));
  }
  template <class Value>
  std::pair<iterator, bool> insert_or_assign(std::string_view key, Value&& value) {
    const auto [entry, is_new] = try_emplace(key);
    entry->second = std::forward<Value>(value);
    return {entry, is_new};
  }
  std::pair<iterator, bool> insert(value_type entry) {
    return try_emplace(entry.first, std::move(entry.second));
  }

  /// For readers of documents: appends a new entry, whatever its key. Until Settle() only further
  /// Append() calls are allowed. O(1) for any order of keys.
  T& Append(std::string_view key) {
    entries_.emplace_back(
        std::piecewise_construct, std::forward_as_tuple(key), std::forward_as_tuple());
    return iterator(std::prev(entries_.end()))->second;
  }
  /// Sorts the appended entries; of several entries with one key the last stays.
  void Settle() {
    if (std::ranges::adjacent_find(entries_, std::ranges::greater_equal(), KeyOf) ==
        entries_.end()) {
      return;
    }
    // Entries may be large, so places are sorted and each entry moves once.
    std::vector<size_t> order(entries_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](size_t a, size_t b) {
      const int compared = KeyOf(entries_[a]).compare(KeyOf(entries_[b]));
      return compared != 0 ? compared < 0 : a < b;
    });
    Arrange(order);
    // From the back, unique() keeps the last of each run.
    const auto gone =
        std::ranges::unique(entries_.rbegin(), entries_.rend(), std::ranges::equal_to(), KeyOf);
    entries_.erase(entries_.begin(), gone.begin().base());
  }

  size_t erase(std::string_view key) {
    const auto found = std::as_const(*this).find(key);
    if (found == std::as_const(*this).end()) return 0;
    entries_.erase(PlaceOf(found));
    return 1;
  }
  iterator erase(const_iterator at) { return iterator(entries_.erase(PlaceOf(at))); }

  bool operator==(const BasicMap& other) const { return entries_ == other.entries_; }

  /// How each entry is held, in order; for those that share entries.
  std::span<typename Entries::Held> held() { return entries_; }

 private:
  using Held = typename Entries::Held;
  using Place = typename std::vector<Held>::iterator;

  static std::string_view KeyOf(const Held& held) {
    const value_type& entry = held;
    return entry.first;
  }

  /// Moves the entry at order[i] to i, for all i. `order` is of no use afterwards.
  void Arrange(std::vector<size_t>& order) {
    for (size_t first = 0; first < order.size(); ++first) {
      if (order[first] == first) continue;
      Held moved = std::move(entries_[first]);
      size_t to = first;
      while (order[to] != first) {
        entries_[to] = std::move(entries_[order[to]]);
        to = std::exchange(order[to], to);
      }
      entries_[to] = std::move(moved);
      order[to] = to;
    }
  }

  Place PlaceOf(const_iterator at) {
    return entries_.begin() + (at - std::as_const(*this).begin());
  }

  std::vector<Held> entries_;
};

/// A map with its entries in its own memory.
template <class T>
using Map = BasicMap<T, EntriesInPlace<T>>;

}  // namespace dray::api::inline value
