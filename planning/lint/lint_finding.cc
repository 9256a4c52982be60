// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_finding.h"

#include <algorithm>
#include <array>

namespace dray::planning::inline lint {
namespace {

constexpr std::array<LintRuleText, kLintRules> kRules = {{
    {LintRule::kDeprecatedVersion, "deprecated-version", "There is a newer version of the kind."},
    {LintRule::kUnknownClass, "unknown-class", "A request names a class that is not there."},
    {LintRule::kClassWithoutDevices,
     "class-without-devices",
     "A class selects no device of the cluster."},
    {LintRule::kInvalidSelector, "invalid-selector", "A selector does not compile."},
    {LintRule::kUnknownAttribute,
     "unknown-attribute",
     "A selector or constraint reads an attribute or capacity that no device has."},
    {LintRule::kUnknownDomain,
     "unknown-domain",
     "A selector or constraint reads a domain that no device has."},
    {LintRule::kWrongType, "wrong-type", "An attribute is compared with a value of another type."},
    {LintRule::kFailingSelector,
     "failing-selector",
     "A selector fails on some devices, which ends the search on their nodes."},
    {LintRule::kNoDevice, "no-device", "Class and selectors of a request match no device."},
    {LintRule::kIncompletePool,
     "incomplete-pool",
     "Only pools that cannot be used have devices that match."},
    {LintRule::kCountAboveNode,
     "count-above-node",
     "A request wants more devices than any node has."},
    {LintRule::kUnknownCapacity,
     "unknown-capacity",
     "A request wants some of a capacity that none of its devices has."},
    {LintRule::kCapacityAboveDevice,
     "capacity-above-device",
     "A request wants more of a capacity than any of its devices has."},
    {LintRule::kConstraintWithoutAttribute,
     "constraint-without-attribute",
     "A constraint is about an attribute that the devices of a request do not have."},
    {LintRule::kConstraintWithoutValue,
     "constraint-without-value",
     "The devices of requests that must match have no value in common."},
    {LintRule::kTolerationWithoutTaint,
     "toleration-without-taint",
     "A toleration matches no taint of any device."},
    {LintRule::kMissingTemplate,
     "missing-template",
     "A pod or workload names a ResourceClaimTemplate that is not there."},
    {LintRule::kMissingClaim,
     "missing-claim",
     "A pod or workload names a ResourceClaim that is not there."},
    {LintRule::kSharedExtendedName,
     "shared-extended-name",
     "Two classes have one extended resource name, and only the newest counts."},
    {LintRule::kSelectorTerms,
     "selector-terms",
     "The node selector of a device has several terms, which schedulers answer with an error."},
    {LintRule::kTwoSlashes, "two-slashes", "The name of an attribute or capacity has two slashes."},
    {LintRule::kPolicyWithoutSharing,
     "policy-without-sharing",
     "A capacity has rules for sharing, and its device cannot be shared."},
    {LintRule::kLongDriverName,
     "long-driver-name",
     "With the name of the driver, paths of its sockets can get too long."},
    {LintRule::kUnusedCounter, "unused-counter", "No device draws from a counter."},
    {LintRule::kUndeclaredCounter,
     "undeclared-counter",
     "A device draws from a counter that its pool does not have."},
    {LintRule::kKnownDefect,
     "known-defect",
     "The release of the cluster has a defect that this object meets."},
}};

}  // namespace

std::string_view SeverityName(LintSeverity severity) {
  switch (severity) {
    case LintSeverity::kNote: return "note";
    case LintSeverity::kWarning: return "warning";
    case LintSeverity::kError: return "error";
  }
  return {};
}

std::span<const LintRuleText, kLintRules> LintRules() {
  return kRules;
}

std::string_view RuleName(LintRule rule) {
  return kRules[static_cast<size_t>(rule)].name;
}

Finding& FindingList::Report(LintRule rule,
                             std::string field,
                             std::string why,
                             std::string advice) {
  return findings_.emplace_back(Finding{.rule = rule,
                                        .severity = LintSeverity::kError,
                                        .object = object_,
                                        .field = std::move(field),
                                        .why = std::move(why),
                                        .advice = std::move(advice)});
}

size_t FindingList::Errors() const {
  return static_cast<size_t>(
      std::ranges::count(findings_, LintSeverity::kError, &Finding::severity));
}

}  // namespace dray::planning::inline lint
