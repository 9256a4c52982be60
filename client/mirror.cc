// SPDX-License-Identifier: Apache-2.0
#include "client/mirror.h"

#include <charconv>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

namespace dray::client {
namespace {

// An object that a mirror holds itself.
class HeldObject final : public ObjectSource {
 public:
  explicit HeldObject(api::Object object) : object_(std::move(object)) {}
  api::Object Get() const override { return object_; }
  const api::Object* held() const override { return &object_; }

 private:
  const api::Object object_;
};

}  // namespace

uint64_t VersionOf(std::string_view resource_version) {
  uint64_t version = 0;
  const char* const last = resource_version.data() + resource_version.size();
  const auto [end, error] = std::from_chars(resource_version.data(), last, version);
  return error == std::errc() && end == last ? version : 0;
}

uint64_t VersionOf(const api::Object& object) {
  return VersionOf(object.metadata().resource_version);
}

size_t Mirror::AddIndex(Indexer indexer) {
  indexes_.push_back({.indexer = std::move(indexer), .entries = {}});
  return indexes_.size() - 1;
}

const api::Object* Mirror::Find(std::string_view key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return nullptr;
  const ObjectSource& source = *found->second;
  if (const api::Object* const held = source.held(); held != nullptr) return held;
  return &borrowed_.emplace_back(source.Get());
}

std::vector<std::string> Mirror::KeysBut(const std::set<std::string>& listed) const {
  std::vector<std::string> keys;
  for (const auto& [key, source] : objects_) {
    if (!listed.contains(key)) keys.push_back(key);
  }
  return keys;
}

// The first object whose key is not less. Objects that come one after the other mostly have keys
// that do, so the place behind the last object is tried first.
Mirror::Map::iterator Mirror::PlaceOf(const std::string& key) {
  if (last_put_ != objects_.end() && last_put_->first < key) {
    const auto next = std::next(last_put_);
    if (next == objects_.end() || next->first >= key) return next;
  }
  return objects_.lower_bound(key);
}

void Mirror::Put(const api::Object& object) {
  Put(object, nullptr, false);
}

void Mirror::PutNewer(const api::Object& object, Frozen<ObjectSource> source) {
  Put(object, std::move(source), true);
}

void Mirror::Put(const api::Object& object, Frozen<ObjectSource> source, bool only_newer) {
  std::string key = api::ObjectKey(object.metadata());
  const auto known = PlaceOf(key);
  const bool is_held = source == nullptr;
  if (is_held) source = std::make_shared<const HeldObject>(object);
  if (known == objects_.end() || known->first != key) {
    const auto added = last_put_ = objects_.emplace_hint(known, std::move(key), std::move(source));
    ChangeIndexes(added->first, nullptr, &object);
    return Notify(nullptr, &object);
  }
  const api::Object before = known->second->Get();
  const uint64_t version = only_newer ? VersionOf(object) : 0;
  if (version != 0 && VersionOf(before) >= version) {
    // The same version again: from now on it can be borrowed.
    if (!is_held && VersionOf(before) == version) known->second = std::move(source);
    return;
  }
  if (before.metadata().uid != object.metadata().uid) {
    Remove(key);
    return Put(object, std::move(source), only_newer);
  }
  known->second = std::move(source);
  ChangeIndexes(known->first, &before, &object);
  Notify(&before, &object);
}

void Mirror::Remove(std::string_view key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  if (found == last_put_) last_put_ = objects_.end();
  const auto node = objects_.extract(found);
  const api::Object before = node.mapped()->Get();
  ChangeIndexes(node.key(), &before, nullptr);
  Notify(&before, nullptr);
}

void Mirror::Notify(const api::Object* before, const api::Object* after) {
  for (const ChangeHandler& handler : handlers_) handler(before, after);
}

void Mirror::ChangeIndexes(const std::string& key,
                           const api::Object* before,
                           const api::Object* after) {
  std::vector<std::string> values;
  for (Index& index : indexes_) {
    values.clear();
    if (before != nullptr) index.indexer(*before, values);
    for (std::string& value : values) index.entries.Erase(std::move(value), key);
    values.clear();
    if (after != nullptr) index.indexer(*after, values);
    for (std::string& value : values) index.entries.Insert(std::move(value), key);
  }
}

}  // namespace dray::client
