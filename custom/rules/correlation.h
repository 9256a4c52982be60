// SPDX-License-Identifier: Apache-2.0
// Which parts of an object were which parts of it before, and whether they changed. After
// apiserver's pkg/cel/common (equality.go, maplist.go).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/value/tree.h"
#include "base/work.h"
#include "custom/rules/shape.h"

namespace dray::custom::rules {

/// A part of an object with its earlier value. None if there was none, or if it is unknown which
/// part it was.
struct Pair {
  const api::Tree* now = nullptr;
  const api::Tree* before = nullptr;
  const Shape* shape = nullptr;

  bool is_none() const { return now == nullptr; }
};

/// The pairs of one object. Remembers what it compared, so that all comparisons of a run take
/// O(object) together. For one thread at a time; the trees outlive it.
class Correlation {
 public:
  explicit Correlation(Work& work) : work_(work) {}

  /// The member `name`. None, too, where the schema does not declare it.
  static Pair Member(const Pair& object, std::string_view name);
  /// The element at `index`, found by its keys. None in a list without keys.
  Pair Element(const Pair& list, size_t index);
  /// What the element of a list with keys was in `before`; nullptr if there was none, or the list
  /// has no keys.
  const api::Tree* ElementBefore(const Shape& list,
                                 const api::Tree& before,
                                 const api::Tree& element);

  /// Whether the part is what it was: members with members, elements with those of the same keys,
  /// other lists as they are. Members that the schema does not have are never what they were.
  bool IsUnchanged(const Pair& pair);

 private:
  using ElementsByKey = std::unordered_map<std::string, const api::Tree*>;

  bool Compare(const Pair& pair);
  bool CompareLists(const Pair& pair);
  bool CompareObjects(const Pair& pair);

  // Trees share parts, so one address does not identify the pair.
  struct Addresses {
    const api::Tree* now;
    const api::Tree* before;
    bool operator==(const Addresses&) const = default;
  };
  struct HashOfAddresses {
    size_t operator()(const Addresses& pair) const;
  };

  Work& work_;
  std::unordered_map<Addresses, bool, HashOfAddresses> unchanged_;  // of lists and objects
  std::unordered_map<const api::Tree*, ElementsByKey> elements_;    // of lists before
};

}  // namespace dray::custom::rules
