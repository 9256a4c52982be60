// SPDX-License-Identifier: Apache-2.0
// Many label requirements made ready: what they ask of each label together, so that an object costs
// its labels and not the selector's text.
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

  /// Whether all requirements hold, as each of them says for itself. O(log n) for each label or for
  /// each key that is asked about, whichever are fewer.
  bool Match(const Map<std::string>& labels) const;

 private:
  // Sorted, so that a look-up is a search: who chooses the texts could make hashes collide.
  using Values = std::vector<std::string_view>;

  /// All that is asked of one label.
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
