// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_claims.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/rules/taints.h"
#include "base/text/spelling.h"
#include "cel/device_names.h"
#include "planning/lint/request_ways.h"

namespace dray::planning::inline lint {
namespace {

namespace v1 = api::resource_v1;
using cel::DeviceName;
using cel::DeviceSection;

using Ways = std::vector<std::pair<RequestWay, const LintChoice*>>;

class ClaimLinter {
 public:
  ClaimLinter(const ClassesByName& classes, LintDevices& devices, FindingList& findings)
      : classes_(classes), devices_(devices), findings_(findings), selectors_(devices, findings) {}

  void Claim(const std::string& field, const v1::DeviceClaim& claim) {
    Ways ways;
    std::map<size_t, Alternatives> lists;
    ForEachWay(field, claim, [&](RequestWay way) {
      const size_t before = findings_.size();
      const size_t errors = findings_.Errors();
      const LintChoice* const choice = Request(way);
      if (way.alternative.has_value()) {
        Alternatives& list =
            lists.try_emplace(way.request, Alternatives{.from = before}).first->second;
        list.to = findings_.size();
        list.is_good = list.is_good || findings_.Errors() == errors;
      }
      ways.emplace_back(std::move(way), choice);
    });
    for (const auto& [request, list] : lists) {
      if (list.is_good) Soften(findings_.Since(list.from).first(list.to - list.from));
    }
    if (devices_.size() == 0) return;
    for (size_t i = 0; i < claim.constraints.size(); ++i)
      Constraint(fmt::format("{}.constraints[{}]", field, i), claim.constraints[i], ways);
  }

 private:
  /// Findings about a prioritized list, and whether an alternative has no error.
  struct Alternatives {
    size_t from = 0, to = 0;
    bool is_good = false;
  };

  /// Call if another alternative works. A list exists for alternatives without devices, so those
  /// findings go; likely mistakes stay as warnings.
  static void Soften(std::span<Finding> findings) {
    for (Finding& finding : findings) {
      const bool is_lack =
          finding.rule == LintRule::kClassWithoutDevices || finding.rule == LintRule::kNoDevice ||
          finding.rule == LintRule::kIncompletePool || finding.rule == LintRule::kCountAboveNode ||
          finding.rule == LintRule::kCapacityAboveDevice;
      finding.severity =
          std::min(finding.severity, is_lack ? LintSeverity::kNote : LintSeverity::kWarning);
    }
  }

  /// The devices that the request may get, or could get if its class existed; null: unknown.
  const LintChoice* Request(const RequestWay& way) {
    const bool compile = selectors_.Compile(way.field + ".selectors", way.selectors);
    const auto found = classes_.find(*way.device_class);
    const bool is_known = found != classes_.end();
    if (!is_known && !classes_.empty()) UnknownClass(way);
    if (!compile || devices_.size() == 0) return nullptr;
    const LintChoice& choice =
        devices_.Choose(is_known ? *found->second : v1::DeviceClass(), way.selectors);
    if (!choice.of_class.compiles) return nullptr;
    const size_t before = findings_.size();
    const size_t of_class = choice.of_class.matching.Count();
    if (of_class == 0) {
      findings_.Report(
          LintRule::kClassWithoutDevices,
          way.field + ".deviceClassName",
          fmt::format("none of {} devices is of class {}", devices_.size(), *way.device_class),
          "take another class, or install the driver");
      return &choice;
    }
    selectors_.Names(way.field + ".selectors", way.selectors, choice.matching == 0);
    // The class may exclude the devices on which a selector fails.
    if (is_known) selectors_.Failures(way.field + ".selectors", choice.chosen, of_class, before);
    Amount(way, choice, before);
    if (choice.matching == 0) return &choice;
    Capacity(way, choice);
    if (is_known) Tolerations(way, choice);
    return &choice;
  }

  void UnknownClass(const RequestWay& way) {
    std::vector<std::string> names;
    names.reserve(classes_.size());
    for (const auto& [name, device_class] : classes_) names.push_back(name);
    Finding& finding = findings_.Report(LintRule::kUnknownClass,
                                        way.field + ".deviceClassName",
                                        fmt::format("there is no class {}", *way.device_class),
                                        KnownNames(*way.device_class, names));
    const auto distance = [&](const std::string& name) {
      return SpellingDistance(name, *way.device_class);
    };
    const auto nearest = std::ranges::min_element(names, {}, distance);
    if (distance(*nearest) <= way.device_class->size() / 3)
      finding.fixes.push_back({*way.device_class, *nearest});
  }

  void Amount(const RequestWay& way, const LintChoice& choice, size_t before) {
    if (choice.matching == 0) {
      if (findings_.size() > before) return;  // the reason is reported already
      const std::string of_class =
          classes_.contains(*way.device_class) ? " of class " + *way.device_class : "";
      findings_.Report(
          LintRule::kNoDevice,
          way.field + ".selectors",
          fmt::format(
              "none of the {} devices{} matches", choice.of_class.matching.Count(), of_class),
          "dray explain says which part of the selectors keeps them out");
    } else if (choice.usable == 0) {
      findings_.Report(LintRule::kIncompletePool,
                       way.field,
                       fmt::format("all {} devices that match are in pools that cannot be used: {}",
                                   choice.matching,
                                   choice.troubled_pool),
                       "wait for the driver to publish all slices, or mend it");
    } else if (!way.wants_all && !choice.has_shareable &&
               std::cmp_greater(way.count, choice.most_on_node)) {
      findings_.Report(LintRule::kCountAboveNode,
                       way.field + ".count",
                       fmt::format("{} devices are wanted, and no node has more than {} that match",
                                   way.count,
                                   choice.most_on_node),
                       fmt::format("ask for {} or fewer, or split the pod", choice.most_on_node));
    }
  }

  void Capacity(const RequestWay& way, const LintChoice& choice) {
    if (way.capacity == nullptr) return;
    const std::map<std::string, api::Quantity>& there = devices_.CapacityOf(choice);
    for (const auto& [name, wanted] : way.capacity->requests) {
      const std::string field = fmt::format("{}.capacity.requests[{}]", way.field, name);
      const auto found = there.find(name);
      if (found == there.end()) {
        std::vector<std::string> names;
        names.reserve(there.size());
        for (const auto& [known, most] : there) names.push_back(known);
        findings_.Report(
            LintRule::kUnknownCapacity,
            field,
            fmt::format("none of its {} devices has the capacity {}", choice.matching, name),
            KnownNames(name, names));
      } else if (wanted > found->second) {
        findings_.Report(LintRule::kCapacityAboveDevice,
                         field,
                         fmt::format("{} of {} is wanted, and no device has more than {}",
                                     wanted.ToString(),
                                     name,
                                     found->second.ToString()),
                         fmt::format("ask for {} or less", found->second.ToString()));
      }
    }
  }

  void Tolerations(const RequestWay& way, const LintChoice& choice) {
    const LintDevices::Taints& there = devices_.TaintsOf(choice);
    const auto tolerates = [](const v1::DeviceToleration& toleration) {
      return [&](const v1::DeviceTaint& taint) {
        return allocator::rules::Tolerates(toleration, taint);
      };
    };
    const bool is_kept_out = std::ranges::any_of(there.taints, [&](const v1::DeviceTaint& taint) {
      return taint.effect != "None" && std::ranges::none_of(way.tolerations, [&](const auto& one) {
               return allocator::rules::Tolerates(one, taint);
             });
    });
    for (size_t i = 0; i < way.tolerations.size(); ++i) {
      if (std::ranges::any_of(there.taints, tolerates(way.tolerations[i]))) continue;
      const std::vector<std::string> keys(there.keys.begin(), there.keys.end());
      Finding& finding = findings_.Report(
          LintRule::kTolerationWithoutTaint,
          fmt::format("{}.tolerations[{}]", way.field, i),
          fmt::format("none of its {} devices has such a taint", choice.matching),
          keys.empty()
              ? "leave it out, unless such taints are to come"
              : fmt::format("of keys of taints {}", KnownNames(way.tolerations[i].key, keys)));
      finding.severity = is_kept_out ? LintSeverity::kWarning : LintSeverity::kNote;
    }
  }

  void Constraint(const std::string& field,
                  const v1::DeviceConstraint& constraint,
                  const Ways& ways) {
    const bool is_match = constraint.match_attribute.has_value();
    const auto& attribute = is_match ? constraint.match_attribute : constraint.distinct_attribute;
    if (!attribute.has_value()) return;
    const size_t slash = attribute->find('/');
    if (slash == std::string::npos) return;
    const DeviceName name{
        DeviceSection::kAttributes, attribute->substr(0, slash), attribute->substr(slash + 1)};
    std::vector<const std::pair<RequestWay, const LintChoice*>*> concerned;
    for (const auto& way : ways) {
      const bool is_derived = std::ranges::any_of(
          way.first.derived, [&](const auto& derived) { return derived.name == *attribute; });
      if (is_derived) return;  // the search computes its values
      if (IsConcerned(constraint.requests, way.first.name)) concerned.push_back(&way);
    }
    const std::string at = field + (is_match ? ".matchAttribute" : ".distinctAttribute");
    if (!devices_.Has(name)) {
      selectors_.UnknownName(at, name, *attribute);
      return;
    }
    if (Attributes(at, name, concerned) && is_match) Values(at, name, concerned);
  }

  /// Checks that all requests have devices with the attribute.
  bool Attributes(const std::string& field,
                  const DeviceName& name,
                  const std::vector<const std::pair<RequestWay, const LintChoice*>*>& ways) {
    bool all = true;
    for (const auto* way : ways) {
      const LintChoice* const choice = way->second;
      if (choice == nullptr || choice->matching == 0) {
        all = false;
        continue;
      }
      if (devices_.ValuesOf(*choice, name).devices > 0) continue;
      all = false;
      Finding& finding =
          findings_.Report(LintRule::kConstraintWithoutAttribute,
                           field,
                           fmt::format("none of the {} devices of request {} has {}/{}",
                                       choice->matching,
                                       way->first.name,
                                       name.domain,
                                       name.id),
                           "constrain only requests whose devices have it: requests: […]");
      if (way->first.name.contains('/')) finding.severity = LintSeverity::kWarning;
    }
    return all;
  }

  void Values(const std::string& field,
              const DeviceName& name,
              const std::vector<const std::pair<RequestWay, const LintChoice*>*>& ways) {
    std::optional<std::set<uint32_t>> common;
    for (const auto* way : ways) {
      const LintDevices::Values& values = devices_.ValuesOf(*way->second, name);
      if (values.has_lists || way->first.name.contains('/')) return;  // sets, or a choice
      if (!common.has_value()) {
        common = values.codes;
      } else {
        std::erase_if(*common, [&](uint32_t code) { return !values.codes.contains(code); });
      }
    }
    if (!common.has_value() || !common->empty()) return;
    findings_.Report(
        LintRule::kConstraintWithoutValue,
        field,
        fmt::format(
            "the devices of its requests have no value of {}/{} in common", name.domain, name.id),
        "match another attribute, or fewer requests");
  }

  const ClassesByName& classes_;
  LintDevices& devices_;
  FindingList& findings_;
  SelectorLinter selectors_;
};

}  // namespace

void LintClaim(const std::string& field,
               const v1::DeviceClaim& claim,
               const ClassesByName& classes,
               LintDevices& devices,
               FindingList& findings) {
  ClaimLinter(classes, devices, findings).Claim(field, claim);
}

}  // namespace dray::planning::inline lint
