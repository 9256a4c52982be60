// SPDX-License-Identifier: Apache-2.0
// Label selectors: requirements on labels, from their text form (?labelSelector=) or from the parts
// of metav1.LabelSelector, and whether labels meet them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/selectors/label_rules.h"
#include "api/text/names.h"
#include "api/value/map.h"
#include "base/result.h"

namespace dray::api::inline selectors {

using Labels = Map<std::string>;

/// Limits of the text of a label or field selector, its requirements, and their values, because a
/// watch keeps them as long as it lasts.
inline constexpr size_t kSelectorTextMax = size_t{64} << 10;
inline constexpr size_t kSelectorRequirementsMax = 1000;
inline constexpr size_t kSelectorValuesMax = 4000;

enum class LabelOperator : uint8_t {
  kIn,
  kNotIn,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kExists,
  kDoesNotExist,
  kGreaterThan,
  kLessThan,
};

/// One condition on one label.
class LabelRequirement {
 public:
  /// `path` is the field of the requirement in error texts; empty for none. `word` is the unit of
  /// lengths in them.
  ///
  /// Errors: kBadRequest with all problems in upstream's words: key no label key, wrong number of
  /// values for the operator, values no label values, or no numbers for greater and less.
  static Result<LabelRequirement> Create(std::string_view key,
                                         LabelOperator op,
                                         std::vector<std::string> values,
                                         std::string_view path = "",
                                         LengthWord word = LengthWord::kBytes);

  /// Reports no errors: a label that is no number is neither greater nor less. NotIn and NotEquals
  /// hold where the label is absent.
  bool Matches(const Labels& labels) const;
  /// The text of the requirement in a selector, with sorted values.
  std::string ToString() const;

  const std::string& key() const { return key_; }
  LabelOperator op() const { return op_; }
  const std::vector<std::string>& values() const { return values_; }
  bool operator==(const LabelRequirement&) const = default;

 private:
  std::string key_;
  LabelOperator op_ = LabelOperator::kExists;
  std::vector<std::string> values_;
  int64_t bound_ = 0;  // the value of kGreaterThan and kLessThan
};

/// All errors of a requirement, one text each (see LabelRequirement::Create).
std::vector<std::string> CheckLabelRequirement(std::string_view key,
                                               LabelOperator op,
                                               std::span<const std::string> values,
                                               std::string_view path,
                                               LengthWord word = LengthWord::kBytes);

/// Several error texts as upstream's aggregate writes them: one alone, or "[a, b]", each once.
std::string JoinErrors(std::span<const std::string> errors);

/// Requirements that must all hold. The default one selects everything.
class LabelSelector {
 public:
  /// One condition as metav1.LabelSelector spells it: In, NotIn, Exists, DoesNotExist.
  struct Expression {
    std::string_view key;
    std::string_view op;
    std::span<const std::string> values;
  };

  LabelSelector() = default;
  /// Selects no object, like an absent metav1.LabelSelector.
  static LabelSelector Nothing();

  /// Reads "a=b,c!=d,e in (f,g),!h,i>5". Empty text selects everything. `word` as above.
  ///
  /// Errors: kBadRequest with upstream's words; also past kSelectorTextMax,
  /// kSelectorRequirementsMax and kSelectorValuesMax, with the limit.
  static Result<LabelSelector> Parse(std::string_view text, LengthWord word = LengthWord::kBytes);

  /// From a metav1.LabelSelector that is present; if it is empty, it selects everything.
  ///
  /// Errors: kBadRequest with upstream's words.
  static Result<LabelSelector> FromParts(const Labels& match_labels,
                                         std::span<const Expression> match_expressions);

  /// O(requirements) if they are few, else O(log n) for each label of the object or each key of the
  /// requirements, whichever are fewer.
  bool Matches(const Labels& labels) const;
  bool IsEverything() const { return !nothing_ && requirements().empty(); }
  /// Sorted by key; equal keys in the order given.
  const std::vector<LabelRequirement>& requirements() const;
  std::string ToString() const;

  bool operator==(const LabelSelector& other) const {
    return nothing_ == other.nothing_ && requirements() == other.requirements();
  }

 private:
  /// Immutable, and shared by copies: the rules point into the requirements.
  struct Parts {
    std::vector<LabelRequirement> requirements;
    std::optional<LabelRules> rules = {};  // of those that are many
  };
  static LabelSelector Of(std::vector<LabelRequirement> requirements);

  std::shared_ptr<const Parts> parts_ = nullptr;  // null: no requirements
  bool nothing_ = false;
};

}  // namespace dray::api::inline selectors
