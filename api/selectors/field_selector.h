// SPDX-License-Identifier: Apache-2.0
// Field selectors: conditions on single fields of objects (?fieldSelector=), in their text form.
// The caller provides the fields of a kind and their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dray::api::inline selectors {

enum class FieldOperator : uint8_t { kEquals, kNotEquals };

/// One condition. An absent field compares as the empty string.
struct FieldRequirement {
  std::string path;  // metadata.name
  FieldOperator op = FieldOperator::kEquals;
  std::string value;

  bool Accepts(std::string_view actual) const {
    return (actual == value) == (op == FieldOperator::kEquals);
  }
  bool operator==(const FieldRequirement&) const = default;
};

/// Conditions that must all hold; none select everything.
class FieldSelector {
 public:
  FieldSelector() = default;
  explicit FieldSelector(std::vector<FieldRequirement> requirements);

  /// Reads "a=b,c==d,e!=f"; in values \\ \, and \= stand for the second character. Empty terms are
  /// skipped. The requirements are sorted by their text, as upstream does.
  ///
  /// Errors: kBadRequest with upstream's words; also past kSelectorTextMax and
  /// kSelectorRequirementsMax, with the limit.
  static Result<FieldSelector> Parse(std::string_view text);

  /// Whether all requirements accept the values of value_of(path), which is called once for each
  /// path. O(log n) besides those calls.
  template <class ValueOf>
  bool Matches(ValueOf value_of) const {
    for (const Rule& rule : rules_) {
      if (!Accepts(rule, value_of(requirements_[rule.first].path))) return false;
    }
    return true;
  }

  /// The value that `path` must have, if there is one: callers look it up in an index.
  std::optional<std::string_view> RequiredValue(std::string_view path) const;

  bool IsEverything() const { return requirements_.empty(); }
  const std::vector<FieldRequirement>& requirements() const { return requirements_; }
  /// The text form, with values escaped.
  std::string ToString() const;

  bool operator==(const FieldSelector& other) const { return requirements_ == other.requirements_; }

 private:
  /// All requirements on one path, by their numbers.
  struct Rule {
    size_t first;                            // one of that path
    std::vector<size_t> equals, not_equals;  // each value once, sorted
  };
  void MakeRules();
  bool Accepts(const Rule& rule, std::string_view actual) const;

  std::vector<FieldRequirement> requirements_;
  std::vector<Rule> rules_;
};

}  // namespace dray::api::inline selectors
