// SPDX-License-Identifier: Apache-2.0
// The objects of one kind, by name and by indexes, for a component that wants to know of every
// change. An informer keeps one as the server has it; planning fills one from files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object.h"

namespace dray::client {

/// A resource version as a number; 0 when it is none. Versions of one server grow.
uint64_t VersionOf(std::string_view resource_version);
uint64_t VersionOf(const api::Object& object);

/// One thread. Its handlers refer to it: it stays where it is.
class Mirror {
 public:
  using Objects = std::map<std::string, api::Object, std::less<>>;
  using Keys = std::set<std::string, std::less<>>;
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
  /// The same, unless the same version of it or a newer one is there.
  void PutNewer(const api::Object& object);
  void Remove(std::string_view key);

  const Objects& objects() const { return objects_; }
  /// By "namespace/name", or "name" in cluster scope; null when there is none. Valid until the next
  /// change.
  const api::Object* Find(std::string_view key) const;
  /// Keys of the objects with that index value, sorted.
  const Keys& Indexed(size_t index, std::string_view value) const;

 private:
  void Put(const api::Object& object, bool only_newer);
  Objects::iterator PlaceOf(const std::string& key);
  void Notify(const api::Object* before, const api::Object* after);
  void ChangeIndexes(const std::string& key, const api::Object* before, const api::Object* after);

  struct Index {
    Indexer indexer;
    std::map<std::string, Keys, std::less<>> keys;
  };
  std::vector<ChangeHandler> handlers_;
  std::vector<Index> indexes_;
  Objects objects_;
  Objects::iterator last_put_ = objects_.end();  // the end: none that is still there
};

}  // namespace dray::client
