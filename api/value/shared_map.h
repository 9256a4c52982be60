// SPDX-License-Identifier: Apache-2.0
// A map of which many objects hold equal entries.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/value/map.h"

namespace dray::api::inline value {

/// An entry of a map that other maps may hold as well. A writer gets a copy of its own first.
/// Copying is O(1) and safe from any thread, as are reads.
template <class T>
class SharedEntry {
 public:
  using Entry = std::pair<std::string, T>;

  template <class Key, class Value>
  SharedEntry(std::piecewise_construct_t /*how*/, Key key, Value value)
      : counted_(new Counted(std::piecewise_construct, std::move(key), std::move(value))) {}
  SharedEntry(const SharedEntry& other) noexcept : counted_(other.counted_) {
    if (counted_ != nullptr) counted_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  SharedEntry(SharedEntry&& other) noexcept : counted_(std::exchange(other.counted_, nullptr)) {}
  SharedEntry& operator=(const SharedEntry& other) noexcept {
    SharedEntry copy(other);
    std::swap(counted_, copy.counted_);
    return *this;
  }
  SharedEntry& operator=(SharedEntry&& other) noexcept {
    std::swap(counted_, other.counted_);
    return *this;
  }
  ~SharedEntry() {
    if (counted_ != nullptr && counted_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete counted_;
  }

  /// Not after it was moved from.
  const Entry& operator*() const { return counted_->entry; }
  // NOLINTNEXTLINE(google-explicit-constructor): as an entry in place
  operator const Entry&() const { return counted_->entry; }
  /// The entry, which no other map holds from now on.
  Entry& Own() {
    if (!is_alone())
      *this = SharedEntry(std::piecewise_construct,
                          std::forward_as_tuple((**this).first),
                          std::forward_as_tuple((**this).second));
    return counted_->entry;
  }
  /// Whether nothing else holds the entry.
  bool is_alone() const { return counted_->holders.load(std::memory_order_acquire) == 1; }

  /// Same content. O(1) for one that both hold.
  bool operator==(const SharedEntry& other) const {
    return counted_ == other.counted_ || counted_->entry == other.counted_->entry;
  }

 private:
  struct Counted {
    template <class... Args>
    explicit Counted(Args&&... args) : entry(std::forward<Args>(args)...) {}

    Entry entry;
    std::atomic<uint32_t> holders = 1;
  };

  Counted* counted_;
};

/// `Base` iterates over SharedEntry<T>. A reader gets the entry that is shared, a writer its own.
template <class T, class Base, bool kWrites>
class SharedEntryIterator {
 public:
  using Entry = typename SharedEntry<T>::Entry;
  using value_type = Entry;
  using difference_type = std::ptrdiff_t;
  using reference = std::conditional_t<kWrites, Entry&, const Entry&>;
  using pointer = std::remove_reference_t<reference>*;
  using iterator_category = std::random_access_iterator_tag;

  SharedEntryIterator() = default;
  explicit SharedEntryIterator(Base at) : at_(at) {}
  // NOLINTNEXTLINE(google-explicit-constructor): an iterator is a const_iterator
  SharedEntryIterator(const auto& writer)
    requires(!kWrites && requires { Base(writer.base()); })
      : at_(writer.base()) {}

  Base base() const { return at_; }
  reference operator*() const {
    if constexpr (kWrites) {
      return at_->Own();
    } else {
      return **at_;
    }
  }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type by) const { return *(*this + by); }

  SharedEntryIterator& operator++() { return *this += 1; }
  SharedEntryIterator& operator--() { return *this -= 1; }
  SharedEntryIterator operator++(int) { return std::exchange(*this, *this + 1); }
  SharedEntryIterator operator--(int) { return std::exchange(*this, *this - 1); }
  SharedEntryIterator& operator+=(difference_type by) {
    at_ += by;
    return *this;
  }
  SharedEntryIterator& operator-=(difference_type by) { return *this += -by; }
  friend SharedEntryIterator operator+(SharedEntryIterator at, difference_type by) {
    return at += by;
  }
  friend SharedEntryIterator operator+(difference_type by, SharedEntryIterator at) {
    return at += by;
  }
  friend SharedEntryIterator operator-(SharedEntryIterator at, difference_type by) {
    return at -= by;
  }
  friend difference_type operator-(const SharedEntryIterator& a, const SharedEntryIterator& b) {
    return a.at_ - b.at_;
  }
  bool operator==(const SharedEntryIterator& other) const = default;
  auto operator<=>(const SharedEntryIterator& other) const = default;

 private:
  Base at_;
};

/// A pointer for each entry.
template <class T>
struct EntriesElsewhere {
  using value_type = typename SharedEntry<T>::Entry;
  using Held = SharedEntry<T>;
  using iterator = SharedEntryIterator<T, typename std::vector<Held>::iterator, true>;
  using const_iterator = SharedEntryIterator<T, typename std::vector<Held>::const_iterator, false>;
};

/// Like Map, but a copy shares the entries, and so may maps that were made apart
/// (claims::CompactSlices). For maps of which a cluster has hundreds of thousands of equal
/// entries (`shared` in a schema).
template <class T>
using SharedMap = BasicMap<T, EntriesElsewhere<T>>;

}  // namespace dray::api::inline value
