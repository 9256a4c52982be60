// SPDX-License-Identifier: Apache-2.0
// PersistentMap: a map from strings whose copies are cheap, because they share their equal parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/persistent_node.h"

namespace dray {

/// A hash trie of two levels with buckets. Copying is O(1); finding is a hash and four loads while
/// there are up to some 100 000 entries; changing a map that was copied copies 128 pointers and one
/// bucket. No order.
///
/// Thread-safe like a value: one thread may change a copy while others read theirs.
template <class T>
class PersistentMap {
 public:
  size_t size() const { return size_; }

  /// Returns null if there is no such entry.
  const T* Find(std::string_view key) const {
    if (root_ == nullptr) return nullptr;
    const size_t hash = std::hash<std::string_view>()(key);
    const Branch* const branch = root_->branches[hash % kFan].get();
    if (branch == nullptr) return nullptr;
    const Bucket* const bucket = branch->buckets[hash / kFan % kFan].get();
    if (bucket == nullptr) return nullptr;
    const auto at = std::ranges::find(*bucket, key, &Entry::first);
    return at == bucket->end() ? nullptr : &at->second;
  }

  /// The entry of `key`, made with a default value if there is none. Change it at once: the
  /// reference is valid until the next copy of the map is made.
  T& operator[](std::string_view key) {
    Bucket& bucket = OwnBucket(key);
    auto at = std::ranges::find(bucket, key, &Entry::first);
    if (at == bucket.end()) {
      bucket.emplace_back(std::string(key), T());
      at = bucket.end() - 1;
      ++size_;
    }
    return at->second;
  }

  void Erase(std::string_view key) {
    if (Find(key) == nullptr) return;
    std::erase_if(OwnBucket(key), [&](const Entry& entry) { return entry.first == key; });
    --size_;
  }

  /// Calls visit(key, value) for every entry, in no order.
  template <class Visit>
  void ForEach(Visit visit) const {
    if (root_ == nullptr) return;
    for (const auto& branch : root_->branches) {
      if (branch == nullptr) continue;
      for (const auto& bucket : branch->buckets) {
        if (bucket == nullptr) continue;
        for (const Entry& entry : *bucket) visit(entry.first, entry.second);
      }
    }
  }

 private:
  static constexpr size_t kFan = 64;
  using Entry = std::pair<std::string, T>;
  using Bucket = std::vector<Entry>;
  struct Branch {
    std::array<std::shared_ptr<Bucket>, kFan> buckets;
  };
  struct Root {
    std::array<std::shared_ptr<Branch>, kFan> branches;
  };

  Bucket& OwnBucket(std::string_view key) {
    const size_t hash = std::hash<std::string_view>()(key);
    return Own(Own(Own(root_).branches[hash % kFan]).buckets[hash / kFan % kFan]);
  }

  std::shared_ptr<Root> root_;
  size_t size_ = 0;
};

}  // namespace dray
