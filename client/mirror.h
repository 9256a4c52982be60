// SPDX-License-Identifier: Apache-2.0
// The objects of one kind, by name and by indexes, for a component that wants to know of every
// change. An informer keeps one as the server has it; planning fills one from files.
//
// Where an object can be had again (client/object_source.h) the mirror does not hold its struct:
// it borrows it for a reader, and gives it back when its owner begins the next step. So what a
// mirror costs does not depend on how large objects are once they are decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/frozen.h"
#include "client/mirror_index.h"
#include "client/object_source.h"

namespace dray::client {

/// A resource version as a number; 0 when it is none. Versions of one server grow.
uint64_t VersionOf(std::string_view resource_version);
uint64_t VersionOf(const api::Object& object);

/// What is in a mirror, by key. Valid until the next change.
class MirroredObjects {
 public:
  using Map = std::map<std::string, Frozen<ObjectSource>, std::less<>>;
  /// Holds the object that it is at, and no other.
  class Iterator {
   public:
    using value_type = std::pair<const std::string&, api::Object>;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Map::const_iterator at) : at_(at) {}
    value_type operator*() const { return {at_->first, at_->second->Get()}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Map::const_iterator at_;
  };

  explicit MirroredObjects(const Map& objects) : objects_(objects) {}
  Iterator begin() const { return Iterator(objects_.begin()); }
  Iterator end() const { return Iterator(objects_.end()); }
  Iterator lower_bound(std::string_view key) const { return Iterator(objects_.lower_bound(key)); }
  size_t size() const { return objects_.size(); }
  bool empty() const { return objects_.empty(); }
  bool contains(std::string_view key) const { return objects_.contains(key); }

 private:
  const Map& objects_;
};

/// One thread. Its handlers refer to it: it stays where it is.
class Mirror {
 public:
  using Objects = MirroredObjects;
  using IndexedKeys = MirrorIndex::Keys;
  /// An object was added (`before` null), changed, or deleted (`after` null). An object replaced by
  /// one with another uid is deleted, then added. The mirror already shows the change.
  using ChangeHandler = std::function<void(const api::Object* before, const api::Object* after)>;
  /// Appends the index values of an object.
  using Indexer = std::function<void(const api::Object& object, std::vector<std::string>& values)>;

  Mirror() = default;
  ~Mirror() = default;
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  // Before the first object. Handlers are called in the order in which they came.
  void OnChange(ChangeHandler handler) { handlers_.push_back(std::move(handler)); }
  /// Returns the number to ask Indexed() with.
  size_t AddIndex(Indexer indexer);

  /// The object is there, as it is now. O(log objects), O(1) for one that follows the last by name.
  void Put(const api::Object& object);
  /// The same, unless the same version of it or a newer one is there. With a source, the mirror
  /// does not hold the object.
  void PutNewer(const api::Object& object, Frozen<ObjectSource> source = nullptr);
  void Remove(std::string_view key);
  /// What Find() returned is no longer needed.
  void GiveBack() { borrowed_.clear(); }

  Objects objects() const { return Objects(objects_); }
  /// By "namespace/name", or "name" in cluster scope; null when there is none. Valid until the next
  /// change or GiveBack().
  const api::Object* Find(std::string_view key) const;
  /// Keys of the objects that are not in `listed`, sorted.
  std::vector<std::string> KeysBut(const std::set<std::string>& listed) const;
  /// Keys of the objects with that index value, sorted. Valid until the next change.
  IndexedKeys Indexed(size_t index, std::string_view value) const {
    return indexes_[index].entries.Of(value);
  }

 private:
  using Map = Objects::Map;

  void Put(const api::Object& object, Frozen<ObjectSource> source, bool only_newer);
  Map::iterator PlaceOf(const std::string& key);
  void Notify(const api::Object* before, const api::Object* after);
  void ChangeIndexes(const std::string& key, const api::Object* before, const api::Object* after);

  struct Index {
    Indexer indexer;
    MirrorIndex entries;
  };
  std::vector<ChangeHandler> handlers_;
  std::vector<Index> indexes_;
  Map objects_;
  Map::iterator last_put_ = objects_.end();   // the end: none that is still there
  mutable std::deque<api::Object> borrowed_;  // a deque, so that addresses are stable
};

}  // namespace dray::client
