// SPDX-License-Identifier: Apache-2.0
// The findings of dray lint, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::planning::inline lint {

enum class LintSeverity : uint8_t {
  kNote,     // may be intended
  kWarning,  // works today, or other alternatives do
  kError,    // cannot work in this cluster
};
/// "note", "warning", "error".
std::string_view SeverityName(LintSeverity severity);

enum class LintRule : uint8_t {
  kDeprecatedVersion,
  kUnknownClass,
  kClassWithoutDevices,
  kInvalidSelector,
  kUnknownAttribute,
  kUnknownDomain,
  kWrongType,
  kFailingSelector,
  kNoDevice,
  kIncompletePool,
  kCountAboveNode,
  kUnknownCapacity,
  kCapacityAboveDevice,
  kConstraintWithoutAttribute,
  kConstraintWithoutValue,
  kTolerationWithoutTaint,
  kMissingTemplate,
  kMissingClaim,
  kSharedExtendedName,
  kSelectorTerms,
  kTwoSlashes,
  kPolicyWithoutSharing,
  kLongDriverName,
  kUnusedCounter,
  kUndeclaredCounter,
  kKnownDefect,
};
inline constexpr size_t kLintRules = 26;

struct LintRuleText {
  LintRule rule;
  std::string_view name;  // "unknown-attribute"
  std::string_view says;  // in a sentence
};
/// All of them, in the order of LintRule.
std::span<const LintRuleText, kLintRules> LintRules();
std::string_view RuleName(LintRule rule);

/// A replacement in the text of the field: for `before`, where it is a whole word.
struct TextFix {
  std::string before, after;
  bool operator==(const TextFix&) const = default;
};

struct Finding {
  LintRule rule = LintRule::kDeprecatedVersion;
  LintSeverity severity = LintSeverity::kError;
  size_t object = 0;       // its index
  std::string field = {};  // spec.devices.requests[0].exactly.deviceClassName
  std::string why = {};
  std::string advice = {};          // the remedy
  std::vector<TextFix> fixes = {};  // apply the first that can be; empty: no automatic fix
};

/// Findings about one object after another.
class FindingList {
 public:
  /// The next findings are about the object at that index.
  void Begin(size_t object) { object_ = object; }

  /// Adds an error; the caller may change the severity. Valid until the next call.
  Finding& Report(LintRule rule, std::string field, std::string why, std::string advice);

  size_t size() const { return findings_.size(); }
  size_t Errors() const;
  /// The findings from the index `from` on.
  std::span<Finding> Since(size_t from) { return std::span(findings_).subspan(from); }
  std::vector<Finding> Take() && { return std::move(findings_); }

 private:
  size_t object_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace dray::planning::inline lint
