// SPDX-License-Identifier: Apache-2.0
// Many label requirements, combined for each label, so that matching an object costs in proportion
// to its labels and not to the selector's text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/value/map.h"

namespace dray::api::inline selectors {

class LabelRequirement;  // api/selectors/label_selector.h

/// Immutable. Its texts are those of the requirements, which outlive it.
class LabelRules {
 public:
  /// O(n log n) in keys and values.
  explicit LabelRules(std::span<const LabelRequirement> requirements);

  /// Whether all requirements hold. O(log n) for each label of the object or each key of the
  /// requirements, whichever are fewer.
  bool Match(const Map<std::string>& labels) const;

 private:
  // Sorted for binary search. Hashing is not used, because the author of the texts could cause
  // collisions.
  using Values = std::vector<std::string_view>;

  /// All requirements on one label.
  struct Rule {
    std::string_view key;
    bool must_be_there = false;
    bool must_be_absent = false;
    std::optional<Values> among = {};  // absent: any value
    Values not_among = {};
    std::optional<int64_t> above = {}, below = {};

    void Add(const LabelRequirement& requirement);
    bool Accepts(std::string_view value) const;
  };

  const Rule* Find(std::string_view key) const;

  std::vector<Rule> rules_;  // by key
  size_t needed_ = 0;        // labels that must be there
};

/// Go's strconv.ParseInt in base 10.
std::optional<int64_t> ReadInt64(std::string_view text);

}  // namespace dray::api::inline selectors
