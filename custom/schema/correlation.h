// SPDX-License-Identifier: Apache-2.0
// Which parts of an old object the parts of a new one correspond to, and which have not changed:
// what an update is forgiven depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/value/tree.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

/// Remembers what it has found for one pair of objects, which must not change meanwhile. Members
/// correspond by name, elements of lists of type map by their keys, elements of other lists not at
/// all.
class Correlation {
 public:
  /// The element of `old` that has the keys of the element at `index` of `value`, the first one if
  /// several have them; null if there is none, a key is missing or no scalar, or `list` is not of
  /// type map. Amortized O(keys), whatever order elements are asked about in.
  const api::Tree* OldElement(const Node& list,
                              const api::Tree& value,
                              const api::Tree& old,
                              size_t index);

  /// The member of `old` that the member `name` of an object at `node` corresponds to; null if
  /// there is none, or the schema does not have such a member.
  static const api::Tree* OldMember(const Node& node, std::string_view name, const api::Tree& old);

  /// Whether `value` is what `old` was. As upstream has it, the order of lists of type map does not
  /// matter, and an object with a member that the schema does not have counts as changed. All
  /// answers together take O(size of both objects). Recursion is bounded by the depth of the
  /// schema.
  bool IsUnchanged(const Node& node, const api::Tree& value, const api::Tree& old);

 private:
  bool Compare(const Node& node, const api::Tree& value, const api::Tree& old);
  bool CompareLists(const Node& node, const api::Tree& value, const api::Tree& old);
  bool CompareMembers(const Node& node, const api::Tree& value, const api::Tree& old);

  // The elements of an old list by their keys.
  using ElementsByKey = std::unordered_map<std::string, const api::Tree*>;

  // A part of the new object and the one of the old: trees share parts, so that neither is enough.
  struct Pair {
    const api::Tree* value;
    const api::Tree* old;
    bool operator==(const Pair&) const = default;
  };
  struct HashOfPair {
    size_t operator()(const Pair& pair) const;
  };

  std::unordered_map<Pair, bool, HashOfPair> unchanged_;       // lists and objects
  std::unordered_map<const api::Tree*, ElementsByKey> lists_;  // old ones
};

/// The scalars that make the key of an element of a list of type map, as one text that differs
/// where they do; empty if one is missing or no scalar.
std::string KeyOfElement(const Node& list, const api::Tree& element);

}  // namespace dray::custom::schema
