// SPDX-License-Identifier: Apache-2.0
// Sets of fields: the fields of an object that one manager owns. A trie of path elements, whose
// JSON form is FieldsV1 of meta/v1.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/managed_fields/path_element.h"
#include "base/result.h"

namespace dray::api::managed_fields {

struct FieldNode;

/// A set of paths; the empty path is never in it. Every operation is linear in the sets it reads,
/// up to the sorting of steps. Subtracting a large set from a small one costs the size of the small
/// one times the logarithm of the large one.
class FieldSet {
 public:
  /// Steps inside each other; FieldsV1 that is deeper is refused.
  static constexpr size_t kDepthMax = 1'000;

  /// Reads FieldsV1. Steps of unknown kinds are dropped.
  /// Errors: kBadRequest  not JSON, no object, a step that cannot be read, or too deep.
  static Result<FieldSet> Parse(std::string_view fields_v1);
  /// FieldsV1, compact and sorted as upstream writes it.
  std::string ToJson() const;

  bool empty() const;
  size_t size() const;
  bool Has(const Path& path) const;
  bool operator==(const FieldSet& other) const;
  /// Calls `visit` for every path: on each level the members first, then the paths below them.
  void ForEach(const std::function<void(const Path&)>& visit) const;

  void Insert(const Path& path);
  FieldSet Union(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;
  /// The paths here that are not in `other`. A path of `other` removes nothing below it.
  FieldSet Difference(const FieldSet& other) const;
  /// The same, but a path of `other` takes away all below it too.
  FieldSet RecursiveDifference(const FieldSet& other) const;
  /// Whether a path is in both.
  bool Meets(const FieldSet& other) const;

  // The same in place, for sets that are not needed any more; paths that stay are not copied.

  void Add(FieldSet other);               // Union
  void Remove(const FieldSet& other);     // Difference
  void RemoveAll(const FieldSet& other);  // RecursiveDifference

  // For walks, which build sets from the bottom up.

  /// The steps of the first level, sorted once Sort() was called.
  const std::vector<FieldNode>& nodes() const { return nodes_; }
  /// The step `element`, or null. O(log n).
  const FieldNode* Find(const PathElement& element) const;
  /// The same for the step into a field.
  const FieldNode* FindField(std::string_view name) const;
  /// Adds a step, unless it is no member and has nothing below.
  void Append(FieldNode node);
  /// Makes room for so many steps.
  void Reserve(size_t size);
  /// Sorts the appended steps. If a step was appended twice, all its paths count.
  void Sort();

 private:
  template <class Change>
  void ChangeSame(const FieldSet& other, Change&& change);

  std::vector<FieldNode> nodes_;
};

/// A step of a set: whether its path is in the set, and which paths below it are.
struct FieldNode {
  PathElement element;
  bool is_member = false;
  FieldSet below = {};
};

}  // namespace dray::api::managed_fields
