// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/correlation.h"

#include <utility>

#include "api/codec/tree_json.h"
#include "base/hash.h"

namespace dray::custom::schema {
namespace {

using api::Tree;

bool IsScalar(const Tree& value) {
  return !value.is_null() && !value.is_list() && !value.is_object();
}

}  // namespace

std::string KeyOfElement(const Node& list, const Tree& element) {
  std::string key;
  for (const std::string& name : list.list_keys) {
    const Tree* const value = element.Find(name);
    if (value == nullptr || !IsScalar(*value)) return {};
    // 1 and 1.0 have one text, and differ to Go.
    key += value->is_double() ? 'd' : 's';
    WriteTree(*value, key);
  }
  return key;
}

size_t Correlation::HashOfPair::operator()(const Pair& pair) const {
  return Hasher()
      .Add(reinterpret_cast<uintptr_t>(pair.value))
      .Add(reinterpret_cast<uintptr_t>(pair.old))
      .value();
}

const Tree* Correlation::OldElement(const Node& list,
                                    const Tree& value,
                                    const Tree& old,
                                    size_t index) {
  if (list.list_type != ListType::kMap || list.items == nullptr || !old.is_list()) return nullptr;
  const auto [found, is_new] = lists_.try_emplace(&old);
  if (is_new) {
    for (const Tree& element : old.elements()) {
      if (std::string key = KeyOfElement(list, element); !key.empty()) {
        found->second.try_emplace(std::move(key), &element);
      }
    }
  }
  const auto element = found->second.find(KeyOfElement(list, value.elements()[index]));
  return element == found->second.end() ? nullptr : element->second;
}

const Tree* Correlation::OldMember(const Node& node, std::string_view name, const Tree& old) {
  return node.FindMember(name) == nullptr ? nullptr : old.Find(name);
}

bool Correlation::IsUnchanged(const Node& node, const Tree& value, const Tree& old) {
  // Scalars are quicker compared than remembered.
  if (!value.is_list() && !value.is_object()) return value.kind() == old.kind() && value == old;
  const Pair pair{.value = &value, .old = &old};
  const auto known = unchanged_.find(pair);
  if (known != unchanged_.end()) return known->second;
  const bool is_unchanged = Compare(node, value, old);
  unchanged_.emplace(pair, is_unchanged);
  return is_unchanged;
}

bool Correlation::Compare(const Node& node, const Tree& value, const Tree& old) {
  if (value.kind() != old.kind() || value.size() != old.size()) return false;
  return value.is_list() ? CompareLists(node, value, old) : CompareMembers(node, value, old);
}

bool Correlation::CompareLists(const Node& node, const Tree& value, const Tree& old) {
  if (node.list_type != ListType::kMap || node.items == nullptr) return value == old;
  for (size_t i = 0; i < value.size(); ++i) {
    const Tree* const element = OldElement(node, value, old, i);
    if (element == nullptr || !IsUnchanged(*node.items, value.elements()[i], *element))
      return false;
  }
  return true;
}

bool Correlation::CompareMembers(const Node& node, const Tree& value, const Tree& old) {
  for (const Tree::Member& member : value.members()) {
    const Node* const inner = node.FindMember(member.name());
    const Tree* const before = inner == nullptr ? nullptr : old.Find(member.name());
    if (before == nullptr || !IsUnchanged(*inner, member.value, *before)) return false;
  }
  return true;
}

}  // namespace dray::custom::schema
