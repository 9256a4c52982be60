// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/list_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/schema/shown.h"

namespace dray::custom::schema {
namespace {

using api::Tree;
using api::validation::FieldErrors;
using api::validation::Path;

// Integers before doubles of the same value.
bool IsLess(const Tree& a, const Tree& b) {
  const auto order = Tree::Compare(a, b);
  return order != 0 ? order < 0 : a.is_integer() && b.is_double();
}

// The places of the values that are the second of their kind, in order.
std::vector<uint32_t> SecondPlaces(std::span<const Tree> values) {
  if (values.size() < 2) return {};
  std::vector<uint32_t> places(values.size());
  for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  std::ranges::sort(places, [&](uint32_t a, uint32_t b) {
    if (IsLess(values[a], values[b])) return true;
    return !IsLess(values[b], values[a]) && a < b;
  });
  std::vector<uint32_t> seconds;
  for (size_t i = 1; i < places.size(); ++i) {
    const bool repeats = !IsLess(values[places[i - 1]], values[places[i]]);
    const bool is_third = repeats && i > 1 && !IsLess(values[places[i - 2]], values[places[i - 1]]);
    if (repeats && !is_third) seconds.push_back(places[i]);
  }
  std::ranges::sort(seconds);
  return seconds;
}

class ListChecker {
 public:
  void Walk(const Tree& value, const Node& node, const Path& path) {
    if (!node.has_list_rules || errors_.is_full()) return;
    if (value.is_list()) {
      CheckList(value, node, path);
      if (node.items == nullptr) return;
      for (size_t i = 0; i < value.size(); ++i)
        Walk(value.elements()[i], *node.items, path.Index(i));
    } else if (value.is_object()) {
      for (const Tree::Member& member : value.members()) WalkMember(member, node, path);
    }
  }

  bool found_nothing() const { return errors_.empty(); }
  std::vector<ErrorCause> Take() && { return std::move(errors_).Take(); }

 private:
  void WalkMember(const Tree::Member& member, const Node& node, const Path& path) {
    if (const Node* const property = node.FindProperty(member.name()); property != nullptr) {
      Walk(member.value, *property, path.Child(member.name()));
    } else if (node.others != nullptr) {
      Walk(member.value, *node.others, path.Key(member.name()));
    }
  }

  void CheckList(const Tree& list, const Node& node, const Path& path) {
    if (node.list_type == ListType::kSet) {
      Report(list.elements(), path);
    } else if (node.list_type == ListType::kMap) {
      CheckKeys(list, node, path);
    }
  }

  void CheckKeys(const Tree& list, const Node& node, const Path& path) {
    const auto is_wrong = [](const Tree& element) {
      return !element.is_object() && !element.is_null();
    };
    const auto wrong = std::ranges::find_if(list.elements(), is_wrong);
    if (wrong != list.elements().end()) {
      errors_.Invalid(path.Index(static_cast<size_t>(wrong - list.elements().begin())),
                      ShownTree(*wrong),
                      "must be an object for an array of list-type map");
      return;
    }
    std::vector<Tree> keys;
    for (const Tree& element : list.elements()) keys.push_back(KeyOf(element, node));
    if (node.list_keys.size() != 1) return Report(keys, path);
    // A key of one member is that member, so that 1 and 1.0 differ; none is an empty object.
    std::vector<Tree> values;
    values.reserve(keys.size());
    for (const Tree& key : keys) {
      values.push_back(key.size() == 0 ? key : key.members().front().value);
    }
    for (const uint32_t place : SecondPlaces(values)) {
      errors_.Duplicate(path.Index(place), ShownTree(keys[place]));
    }
  }

  static Tree KeyOf(const Tree& element, const Node& node) {
    std::vector<Tree::Member> key;
    for (const std::string& name : node.list_keys) {
      if (const Tree* const value = element.Find(name); value != nullptr) {
        key.emplace_back(name, *value);
      }
    }
    return Tree::Object(std::move(key));
  }

  void Report(std::span<const Tree> values, const Path& path) {
    for (const uint32_t place : SecondPlaces(values)) {
      errors_.Duplicate(path.Index(place), ShownTree(values[place]));
    }
  }

  FieldErrors errors_;
};

}  // namespace

std::vector<ErrorCause> CheckLists(const Tree& object, const Tree* old, const Schema& schema) {
  ListChecker checker;
  checker.Walk(object, schema.root(), Path(""));
  if (checker.found_nothing()) return {};
  if (old != nullptr) {
    ListChecker before;
    before.Walk(*old, schema.root(), Path(""));
    if (!before.found_nothing()) return {};
  }
  return std::move(checker).Take();
}

}  // namespace dray::custom::schema
