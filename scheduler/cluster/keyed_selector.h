// SPDX-License-Identifier: Apache-2.0
// A label selector made ready for many objects: what it costs to ask about one follows from the
// labels of that object, however long the selector is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/meta_v1/label_selector.h"
#include "api/selectors/label_selector.h"

namespace dray::scheduler::inline cluster {

/// Requirements by key; several on one key are put together. Refers to the texts of the selector.
class KeyedSelector {
 public:
  /// What all requirements on one label come to.
  struct Rule {
    std::string_view key;
    bool must_exist = false;
    bool must_be_absent = false;
    bool is_limited = false;                  // to `allowed`
    std::vector<std::string_view> allowed;    // sorted
    std::vector<std::string_view> forbidden;  // sorted
  };

  /// As the API means it: absent selects nothing, empty everything. One that cannot be read selects
  /// nothing: the API server refuses it. `selector` outlives this. O(size log size).
  explicit KeyedSelector(const std::optional<api::meta_v1::LabelSelector>& selector);

  /// O(min(labels, keys) log).
  bool Matches(const api::Labels& labels) const;
  /// What Matches takes, in units of Work.
  uint64_t WorkOfMatching(const api::Labels& labels) const;
  bool IsEverything() const { return !nothing_ && rules_.empty(); }
  bool IsNothing() const { return nothing_; }
  /// Sorted by key.
  const std::vector<Rule>& rules() const { return rules_; }

 private:
  void Add(std::string_view key, std::string_view op, std::vector<std::string_view> values);
  void PutTogether();

  std::vector<Rule> rules_;
  size_t musts_ = 0;  // labels that must be there
  bool nothing_ = false;
};

}  // namespace dray::scheduler::inline cluster
