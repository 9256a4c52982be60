// SPDX-License-Identifier: Apache-2.0
// Which objects of a mirror have a value, such as the name of a node.
#pragma once

#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace dray::client {

/// An index of a mirror: the values of its objects, each with the key of its object, which the
/// mirror owns.
class MirrorIndex {
  struct Entry {
    std::string value;
    const std::string* key;
  };
  /// By value, then by key.
  struct Order {
    using is_transparent = void;
    bool operator()(const Entry& a, const Entry& b) const {
      return a.value != b.value ? a.value < b.value : *a.key < *b.key;
    }
    bool operator()(const Entry& entry, std::string_view value) const {
      return entry.value < value;
    }
    bool operator()(std::string_view value, const Entry& entry) const {
      return value < entry.value;
    }
  };
  using Entries = std::set<Entry, Order>;

 public:
  /// The keys of the objects with one value, sorted. Valid until the next change.
  class Keys {
   public:
    class Iterator {
     public:
      using value_type = std::string;
      using difference_type = std::ptrdiff_t;
      using reference = const std::string&;
      using pointer = const std::string*;
      using iterator_category = std::forward_iterator_tag;

      Iterator() = default;
      explicit Iterator(Entries::const_iterator at) : at_(at) {}
      const std::string& operator*() const { return *at_->key; }
      const std::string* operator->() const { return at_->key; }
      Iterator& operator++() {
        ++at_;
        return *this;
      }
      Iterator operator++(int) { return Iterator(at_++); }
      bool operator==(const Iterator&) const = default;

     private:
      Entries::const_iterator at_;
    };
    using value_type = std::string;
    using iterator = Iterator;
    using const_iterator = Iterator;

    Keys(Entries::const_iterator begin, Entries::const_iterator end) : begin_(begin), end_(end) {}
    Iterator begin() const { return Iterator(begin_); }
    Iterator end() const { return Iterator(end_); }
    bool empty() const { return begin_ == end_; }

   private:
    Entries::const_iterator begin_, end_;
  };

  /// `key` is valid until Erase(). O(log entries), as are the others.
  void Insert(std::string value, const std::string& key);
  void Erase(std::string value, const std::string& key);
  Keys Of(std::string_view value) const;

 private:
  Entries entries_;
};

}  // namespace dray::client
