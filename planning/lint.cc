// SPDX-License-Identifier: Apache-2.0
#include "planning/lint.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/rules/taints.h"
#include "api/feature_gates.h"
#include "api/release.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "base/spelling.h"
#include "cel/device_names.h"
#include "cel/eval/program.h"
#include "cel/syntax/conjuncts.h"
#include "planning/lint_devices.h"
#include "planning/lint_types.h"

namespace dray::planning {
namespace {

namespace v1 = api::resource_v1;
using cel::DeviceName;
using cel::DeviceSection;
using cel::NamedComparison;
using cel::ValueKind;

constexpr std::string_view kGroup = "resource.k8s.io";

// --------------------------------------------------------------------------------------- versions

/// v1 before v1beta2 before v1beta1 before v1alpha3.
std::tuple<int, int, int> RankOf(std::string_view version) {
  const auto number = [](std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const size_t beta = version.find("beta");
  const size_t alpha = version.find("alpha");
  const int major = number(version.substr(1));
  if (beta != std::string_view::npos) return {1, major, number(version.substr(beta + 4))};
  if (alpha != std::string_view::npos) return {0, major, number(version.substr(alpha + 5))};
  return {2, major, 0};
}

// ---------------------------------------------------------------------------------------- a field

/// One request, or an alternative of one.
struct Way {
  std::string field;  // spec.devices.requests[0].exactly
  std::string name;   // gpu, gpu/large
  const std::string* device_class;
  std::span<const v1::DeviceSelector> selectors;
  bool wants_all = false;
  int64_t count = 1;
  std::span<const v1::DeviceToleration> tolerations;
  const v1::CapacityRequirements* capacity = nullptr;
  std::span<const v1::DeviceDerivedAttribute> derived;
};

template <class Request>
Way WayOf(const std::string& field, const std::string& name, const Request& request) {
  return {.field = field,
          .name = name,
          .device_class = &request.device_class_name,
          .selectors = request.selectors,
          .wants_all = request.allocation_mode == "All",
          .count = request.count,
          .tolerations = request.tolerations,
          .capacity = request.capacity.has_value() ? &*request.capacity : nullptr,
          .derived = request.derived_attributes};
}

class Linter {
 public:
  explicit Linter(const LintQuestion& question)
      : question_(question), devices_(question.slices, question.features, question.selectors) {
    for (const auto& device_class : question.classes) {
      if (classes_.emplace(device_class->metadata.name, device_class.get()).second)
        class_names_.push_back(device_class->metadata.name);
    }
  }

  std::vector<Finding> Run() {
    for (object_ = 0; object_ < question_.objects.size(); ++object_)
      LookAt(question_.objects[object_]);
    return std::move(findings_);
  }

 private:
  /// `field` and the rest are of the finding.
  Finding& Say(LintRule rule, std::string field, std::string why, std::string advice) {
    return findings_.emplace_back(Finding{.rule = rule,
                                          .severity = LintSeverity::kError,
                                          .object = object_,
                                          .field = std::move(field),
                                          .why = std::move(why),
                                          .advice = std::move(advice)});
  }

  void LookAt(const LintObject& one) {
    Version(*one.written);
    if (const auto* claim = one.object.If<v1::ResourceClaim>()) {
      if (!claim->status.allocation.has_value()) Claim("spec.devices", claim->spec.devices);
    } else if (const auto* made = one.object.If<v1::ResourceClaimTemplate>()) {
      Claim("spec.spec.devices", made->spec.spec.devices);
    } else if (const auto* device_class = one.object.If<v1::DeviceClass>()) {
      Class(*device_class);
    }
  }

  void Version(const api::KindInfo& written) {
    if (written.group != kGroup) return;
    const auto [known, is_new] = newest_.try_emplace(&written);
    if (is_new) known->second = &NewestVersion(written);
    const api::KindInfo& newest = *known->second;
    if (newest.version == written.version) return Gone(written);
    std::string why = fmt::format("{} is an old version of {}", written.api_version, written.kind);
    if (written.deprecated_in != 0)
      why += fmt::format(", deprecated since 1.{}", written.deprecated_in);
    if (written.removed_in != 0) why += fmt::format(", gone in 1.{}", written.removed_in);
    Finding& finding = Say(LintRule::kDeprecatedVersion,
                           "apiVersion",
                           std::move(why),
                           fmt::format("write {}; --fix and dray convert do", newest.api_version));
    finding.severity = LintSeverity::kWarning;
    finding.fixes.push_back({std::string(written.api_version), std::string(newest.api_version)});
  }

  /// Of a generation that was given up.
  void Gone(const api::KindInfo& written) {
    if (written.in.Has(api::Release::kNewest)) return;
    Say(LintRule::kDeprecatedVersion,
        "apiVersion",
        fmt::format("{} {} is no more: {} does not serve it",
                    written.api_version,
                    written.kind,
                    api::ReleaseName(api::Release::kNewest)),
        "dray convert proposes what stands for it now")
        .severity = LintSeverity::kWarning;
  }

  void Class(const v1::DeviceClass& device_class) {
    const std::string field = "spec.selectors";
    if (!Selectors(field, device_class.spec.selectors)) return;
    if (devices_.size() == 0) return;
    const LintChoice& choice = devices_.Choose(device_class, {});
    const bool is_empty = choice.of_class.matching.Count() == 0;
    const size_t before = findings_.size();
    Names(field, device_class.spec.selectors, is_empty);
    Failures(field, choice.of_class, devices_.size(), before);
    if (!is_empty || findings_.size() > before) return;
    Say(LintRule::kClassWithoutDevices,
        field,
        fmt::format(
            "none of {} devices is of class {}", devices_.size(), device_class.metadata.name),
        "change its selectors, or install the driver; dray cel --explain says what each part of "
        "one does")
        .severity = LintSeverity::kWarning;
  }

  // --------------------------------------------------------------------------------- selectors

  std::string FieldOf(const std::string& selectors, size_t place) const {
    return fmt::format("{}[{}].cel.expression", selectors, place);
  }

  /// Whether all compile.
  bool Selectors(const std::string& field, std::span<const v1::DeviceSelector> selectors) {
    bool compile = true;
    for (size_t i = 0; i < selectors.size(); ++i) {
      if (!selectors[i].cel.has_value()) continue;
      const Result<cel::Selector> selector =
          question_.selectors.Compile(selectors[i].cel->expression);
      if (selector) continue;
      const std::string& message = selector.error().message;
      Say(LintRule::kInvalidSelector,
          FieldOf(field, i),
          message.substr(0, message.find('\n')),
          "mend the expression; dray cel shows the place");
      compile = false;
    }
    return compile;
  }

  /// What selectors that compile read. It is an error where they match nothing.
  void Names(const std::string& field,
             std::span<const v1::DeviceSelector> selectors,
             bool match_nothing) {
    const LintSeverity severity = match_nothing ? LintSeverity::kError : LintSeverity::kWarning;
    for (size_t i = 0; i < selectors.size(); ++i) {
      if (!selectors[i].cel.has_value()) continue;
      const Result<cel::Selector> selector =
          question_.selectors.Compile(selectors[i].cel->expression);
      if (!selector) continue;
      const cel::check::CheckedAst& checked = selector->program().checked();
      const std::vector<DeviceName> tested = cel::TestedNamesIn(checked);
      for (const DeviceName& name : cel::NamesIn(checked)) {
        if (devices_.Has(name)) continue;
        const bool is_tested = std::ranges::find(tested, name) != tested.end();
        UnknownName(FieldOf(field, i), name, name.ToExpression()).severity =
            is_tested && !match_nothing ? LintSeverity::kNote : severity;
      }
      std::set<std::pair<DeviceName, std::string>> said;
      for (const NamedComparison& comparison : cel::ComparisonsIn(checked)) {
        const std::string literal = LiteralText(comparison.literal);
        if (said.emplace(comparison.name, literal).second)
          Type(FieldOf(field, i), comparison, literal, severity);
      }
    }
  }

  /// `written` is how the field spells the name.
  Finding& UnknownName(std::string field, const DeviceName& name, const std::string& written) {
    const std::vector<CountedName> near = devices_.Near(name);
    const bool is_domain = !devices_.HasDomain(name.section, name.domain);
    std::string advice =
        "name what the devices publish; kubectl get resourceslices -o yaml shows it";
    if (!near.empty()) {
      std::vector<std::string> names;
      names.reserve(near.size());
      for (const CountedName& one : near)
        names.push_back(
            fmt::format("{} (on {} of {})", one.name.ToExpression(), one.devices, devices_.size()));
      advice = fmt::format("did you mean {}?", fmt::join(names, " or "));
    }
    Finding& finding =
        Say(is_domain ? LintRule::kUnknownDomain : LintRule::kUnknownAttribute,
            std::move(field),
            is_domain
                ? fmt::format("no device has anything in the domain {} ({})", name.domain, written)
                : fmt::format("no device has {}", written),
            std::move(advice));
    if (near.size() != 1 || near.front().name.section != name.section) return finding;
    const DeviceName& meant = near.front().name;
    if (meant.domain == name.domain) finding.fixes.push_back({name.id, meant.id});
    if (meant.id == name.id) finding.fixes.push_back({name.domain, meant.domain});
    return finding;
  }

  void Type(const std::string& field,
            const NamedComparison& comparison,
            const std::string& literal,
            LintSeverity severity) {
    const std::set<ValueKind> kinds = devices_.KindsOf(comparison.name);
    const bool can_hold = std::ranges::any_of(
        kinds, [&](ValueKind kind) { return AreComparable(kind, comparison.literal); });
    if (kinds.empty() || can_hold) return;
    std::vector<std::string_view> names;
    names.reserve(kinds.size());
    for (const ValueKind kind : kinds) names.push_back(KindName(kind));
    const std::optional<std::string> meant =
        kinds.size() == 1 ? AsKind(*kinds.begin(), comparison.literal) : std::nullopt;
    std::string advice = "compare it with a value of its type";
    if (kinds.contains(ValueKind::kList))
      advice = "ask whether the value is in the list: \"x\" in …";
    if (meant.has_value()) advice = fmt::format("write {}", *meant);
    Finding& finding = Say(LintRule::kWrongType,
                           field,
                           fmt::format("{} is {}, and never {}",
                                       comparison.name.ToExpression(),
                                       fmt::join(names, " or "),
                                       literal),
                           std::move(advice));
    finding.severity = severity;
    if (!meant.has_value()) return;
    finding.fixes = FixesFor(comparison.literal, *meant);
  }

  /// A selector that has no answer on some devices, unless what was found since `before` says why.
  void Failures(const std::string& field,
                const DevicePopulation::Choice& choice,
                size_t asked,
                size_t before) {
    if (choice.error.empty() || !choice.compiles) return;
    const std::string at = FieldOf(field, choice.failed_selector);
    const bool is_told = std::any_of(findings_.begin() + static_cast<ptrdiff_t>(before),
                                     findings_.end(),
                                     [&](const Finding& finding) { return finding.field == at; });
    if (is_told) return;
    const bool is_key = choice.error.starts_with("no such key");
    const bool is_type = choice.error.starts_with("no such overload");
    std::string advice = "guard it with a condition before it: … && …";
    if (is_key)
      advice = "ask first whether it is there: \"name\" in device.attributes[\"domain\"] && …";
    if (is_type) advice = "compare it with a value of its type";
    Say(is_type ? LintRule::kWrongType : LintRule::kFailingSelector,
        at,
        fmt::format("it fails on {} of {} devices, and with it every search on their nodes: {}",
                    choice.failing.Count(),
                    asked,
                    cel::syntax::OneLine(choice.error)),
        std::move(advice));
  }

  // ---------------------------------------------------------------------------------- requests

  void Claim(const std::string& field, const v1::DeviceClaim& claim) {
    std::vector<std::pair<Way, const LintChoice*>> ways;
    for (size_t i = 0; i < claim.requests.size(); ++i) {
      const v1::DeviceRequest& request = claim.requests[i];
      const std::string at = fmt::format("{}.requests[{}]", field, i);
      if (request.exactly.has_value()) {
        Way way = WayOf(at + ".exactly", request.name, *request.exactly);
        const LintChoice* const choice = Request(way);
        ways.emplace_back(std::move(way), choice);
        continue;
      }
      const size_t before = findings_.size();
      size_t good = 0;
      for (size_t j = 0; j < request.first_available.size(); ++j) {
        const auto& alternative = request.first_available[j];
        Way way = WayOf(fmt::format("{}.firstAvailable[{}]", at, j),
                        fmt::format("{}/{}", request.name, alternative.name),
                        alternative);
        const size_t errors = Errors();
        const LintChoice* const choice = Request(way);
        if (Errors() == errors) ++good;
        ways.emplace_back(std::move(way), choice);
      }
      if (good > 0) Soften(before);
    }
    if (devices_.size() == 0) return;
    for (size_t i = 0; i < claim.constraints.size(); ++i)
      Constraint(fmt::format("{}.constraints[{}]", field, i), claim.constraints[i], ways);
  }

  size_t Errors() const {
    return static_cast<size_t>(
        std::ranges::count(findings_, LintSeverity::kError, &Finding::severity));
  }

  /// Another alternative works. That there is nothing for this one is what the list is for; what
  /// reads like a mistake stays a warning.
  void Soften(size_t from) {
    for (size_t i = from; i < findings_.size(); ++i) {
      Finding& finding = findings_[i];
      const bool is_lack =
          finding.rule == LintRule::kClassWithoutDevices || finding.rule == LintRule::kNoDevice ||
          finding.rule == LintRule::kIncompletePool || finding.rule == LintRule::kCountAboveNode ||
          finding.rule == LintRule::kCapacityAboveDevice;
      finding.severity =
          std::min(finding.severity, is_lack ? LintSeverity::kNote : LintSeverity::kWarning);
    }
  }

  /// The devices it may get; null when that is not known.
  const LintChoice* Request(const Way& way) {
    const bool compile = Selectors(way.field + ".selectors", way.selectors);
    if (classes_.empty()) return nullptr;
    const auto found = classes_.find(*way.device_class);
    if (found == classes_.end()) {
      UnknownClass(way);
      return nullptr;
    }
    if (!compile || devices_.size() == 0) return nullptr;
    const LintChoice& choice = devices_.Choose(*found->second, way.selectors);
    if (!choice.of_class.compiles) return nullptr;
    const size_t before = findings_.size();
    const size_t of_class = choice.of_class.matching.Count();
    if (of_class == 0) {
      Say(LintRule::kClassWithoutDevices,
          way.field + ".deviceClassName",
          fmt::format("none of {} devices is of class {}", devices_.size(), *way.device_class),
          "take another class, or install the driver");
      return &choice;
    }
    Names(way.field + ".selectors", way.selectors, choice.matching == 0);
    Failures(way.field + ".selectors", choice.chosen, of_class, before);
    Amount(way, choice, of_class, before);
    if (choice.matching == 0) return &choice;
    Capacity(way, choice);
    Tolerations(way, choice);
    return &choice;
  }

  void UnknownClass(const Way& way) {
    Finding& finding = Say(LintRule::kUnknownClass,
                           way.field + ".deviceClassName",
                           fmt::format("there is no class {}", *way.device_class),
                           KnownNames(*way.device_class, class_names_));
    const auto distance = [&](const std::string& name) {
      return SpellingDistance(name, *way.device_class);
    };
    const auto nearest = std::ranges::min_element(class_names_, {}, distance);
    if (distance(*nearest) <= way.device_class->size() / 3)
      finding.fixes.push_back({*way.device_class, *nearest});
  }

  void Amount(const Way& way, const LintChoice& choice, size_t of_class, size_t before) {
    if (choice.matching == 0) {
      if (findings_.size() > before) return;  // it was said why
      Say(LintRule::kNoDevice,
          way.field + ".selectors",
          fmt::format("none of the {} devices of class {} matches", of_class, *way.device_class),
          "dray explain says which part of the selectors keeps them out");
    } else if (choice.usable == 0) {
      Say(LintRule::kIncompletePool,
          way.field,
          fmt::format("all {} devices that match are in pools that cannot be used: {}",
                      choice.matching,
                      choice.troubled_pool),
          "wait for the driver to publish all slices, or mend it");
    } else if (!way.wants_all && !choice.has_shareable &&
               std::cmp_greater(way.count, choice.most_on_node)) {
      Say(LintRule::kCountAboveNode,
          way.field + ".count",
          fmt::format("{} devices are wanted, and no node has more than {} that match",
                      way.count,
                      choice.most_on_node),
          fmt::format("ask for {} or fewer, or split the pod", choice.most_on_node));
    }
  }

  void Capacity(const Way& way, const LintChoice& choice) {
    if (way.capacity == nullptr) return;
    const std::map<std::string, api::Quantity>& there = devices_.CapacityOf(choice);
    for (const auto& [name, wanted] : way.capacity->requests) {
      const std::string field = fmt::format("{}.capacity.requests[{}]", way.field, name);
      const auto found = there.find(name);
      if (found == there.end()) {
        std::vector<std::string> names;
        names.reserve(there.size());
        for (const auto& [known, most] : there) names.push_back(known);
        Say(LintRule::kUnknownCapacity,
            field,
            fmt::format("none of its {} devices has the capacity {}", choice.matching, name),
            KnownNames(name, names));
      } else if (wanted > found->second) {
        Say(LintRule::kCapacityAboveDevice,
            field,
            fmt::format("{} of {} is wanted, and no device has more than {}",
                        wanted.ToString(),
                        name,
                        found->second.ToString()),
            fmt::format("ask for {} or less", found->second.ToString()));
      }
    }
  }

  void Tolerations(const Way& way, const LintChoice& choice) {
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
      Finding& finding =
          Say(LintRule::kTolerationWithoutTaint,
              fmt::format("{}.tolerations[{}]", way.field, i),
              fmt::format("none of its {} devices has such a taint", choice.matching),
              keys.empty()
                  ? "leave it out, unless such taints are to come"
                  : fmt::format("of keys of taints {}", KnownNames(way.tolerations[i].key, keys)));
      finding.severity = is_kept_out ? LintSeverity::kWarning : LintSeverity::kNote;
    }
  }

  // ------------------------------------------------------------------------------- constraints

  using Ways = std::vector<std::pair<Way, const LintChoice*>>;

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
    std::vector<const std::pair<Way, const LintChoice*>*> concerned;
    for (const auto& way : ways) {
      const bool is_derived = std::ranges::any_of(
          way.first.derived, [&](const auto& derived) { return derived.name == *attribute; });
      if (is_derived) return;  // its values are not known before the search
      if (IsConcerned(constraint, way.first.name)) concerned.push_back(&way);
    }
    const std::string at = field + (is_match ? ".matchAttribute" : ".distinctAttribute");
    if (!devices_.Has(name)) {
      UnknownName(at, name, *attribute);
      return;
    }
    if (Attributes(at, name, concerned) && is_match) Values(at, name, concerned);
  }

  static bool IsConcerned(const v1::DeviceConstraint& constraint, const std::string& way) {
    const auto& requests = constraint.requests;
    if (requests.empty()) return true;
    return std::ranges::any_of(requests, [&](const std::string& request) {
      return request == way || way.starts_with(request + "/");
    });
  }

  /// Whether all requests have devices with the attribute.
  bool Attributes(const std::string& field,
                  const DeviceName& name,
                  const std::vector<const std::pair<Way, const LintChoice*>*>& ways) {
    bool all = true;
    for (const auto* way : ways) {
      const LintChoice* const choice = way->second;
      if (choice == nullptr || choice->matching == 0) {
        all = false;
        continue;
      }
      if (devices_.ValuesOf(*choice, name).devices > 0) continue;
      all = false;
      Finding& finding = Say(LintRule::kConstraintWithoutAttribute,
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
              const std::vector<const std::pair<Way, const LintChoice*>*>& ways) {
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
    Say(LintRule::kConstraintWithoutValue,
        field,
        fmt::format(
            "the devices of its requests have no value of {}/{} in common", name.domain, name.id),
        "match another attribute, or fewer requests");
  }

  const LintQuestion& question_;
  LintDevices devices_;
  std::map<std::string_view, const v1::DeviceClass*> classes_;
  std::vector<std::string> class_names_;
  std::map<const api::KindInfo*, const api::KindInfo*> newest_;  // of versions met
  size_t object_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace

const api::KindInfo& NewestVersion(const api::KindInfo& kind) {
  const api::KindInfo* newest = &kind;
  for (const api::KindInfo* other : api::BuiltinKinds()) {
    const bool is_same = other->group == kind.group && other->kind == kind.kind &&
                         &other->storage() == &kind.storage();
    if (!is_same || !other->served || !other->in.Has(api::Release::kNewest)) continue;
    if (RankOf(other->version) > RankOf(newest->version)) newest = other;
  }
  return *newest;
}

std::vector<Finding> Lint(const LintQuestion& question) {
  return Linter(question).Run();
}

}  // namespace dray::planning
