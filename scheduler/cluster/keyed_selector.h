// SPDX-License-Identifier: Apache-2.0
// A label selector compiled for many objects: the cost of a match depends on the labels of the
// object, however long the selector is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/meta_v1/label_selector.h"
#include "api/selectors/label_selector.h"

namespace dray::scheduler::inline cluster {

/// Requirements by key; those on the same key are merged. Refers to strings of the selector.
class KeyedSelector {
 public:
  /// The merged requirements on one label.
  struct Rule {
    std::string_view key;
    bool must_exist = false;
    bool must_be_absent = false;
    bool is_limited = false;                  // only `allowed` values match
    std::vector<std::string_view> allowed;    // sorted
    std::vector<std::string_view> forbidden;  // sorted
  };

  /// As in the API, an absent selector selects nothing and an empty one everything. An invalid
  /// selector, which the API server would refuse, selects nothing. `selector` must outlive this.
  /// O(size log size).
  explicit KeyedSelector(const api::Maybe<api::meta_v1::LabelSelector>& selector);
  explicit KeyedSelector(api::Maybe<api::meta_v1::LabelSelector>&& selector) = delete;

  /// O(min(labels, keys) log).
  bool Matches(const api::Labels& labels) const;
  /// The cost of Matches, in units of Work.
  uint64_t WorkOfMatching(const api::Labels& labels) const;
  bool IsEverything() const { return !nothing_ && rules_.empty(); }
  bool IsNothing() const { return nothing_; }
  /// Sorted by key.
  const std::vector<Rule>& rules() const { return rules_; }

 private:
  void Add(std::string_view key, std::string_view op, std::vector<std::string_view> values);
  void PutTogether();

  std::vector<Rule> rules_;
  size_t musts_ = 0;  // labels that are required
  bool nothing_ = false;
};

}  // namespace dray::scheduler::inline cluster
