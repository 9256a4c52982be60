// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint.h"

#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/release.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "planning/lint/known_defects.h"
#include "planning/lint/lint_claims.h"
#include "planning/lint/lint_devices.h"
#include "planning/lint/lint_references.h"
#include "planning/lint/lint_selectors.h"
#include "planning/lint/lint_slices.h"

namespace dray::planning::inline lint {
namespace {

namespace v1 = api::resource_v1;

constexpr std::string_view kGroup = "resource.k8s.io";

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

ClassesByName ClassesOf(const OfflineObjects& cluster) {
  ClassesByName classes;
  for (const auto& device_class : cluster.classes)
    classes.emplace(device_class->metadata.name, device_class.get());
  return classes;
}

class Linter {
 public:
  explicit Linter(const LintQuestion& question)
      : question_(question),
        devices_(question.cluster.slices, question.features, question.selectors),
        classes_(ClassesOf(question.cluster)),
        references_(question, findings_),
        slices_(devices_, findings_) {}

  std::vector<Finding> Run() {
    for (size_t i = 0; i < question_.objects.size(); ++i) {
      findings_.Begin(i);
      LookAt(question_.objects[i]);
    }
    LintKnownDefects(question_, classes_, devices_, findings_);
    return std::move(findings_).Take();
  }

 private:
  void LookAt(const LintObject& one) {
    Version(*one.written);
    if (const auto* claim = one.object.If<v1::ResourceClaim>()) {
      if (!claim->status.allocation.has_value()) Claim("spec.devices", claim->spec.devices);
    } else if (const auto* made = one.object.If<v1::ResourceClaimTemplate>()) {
      Claim("spec.spec.devices", made->spec.spec.devices);
    } else if (const auto* device_class = one.object.If<v1::DeviceClass>()) {
      Class(*device_class);
      references_.ExtendedName(*device_class);
    } else if (const auto* slice = one.object.If<v1::ResourceSlice>()) {
      slices_.LookAt(*slice);
    } else {
      references_.ClaimsOf(one.object);
    }
  }

  void Claim(const std::string& field, const v1::DeviceClaim& claim) {
    LintClaim(field, claim, classes_, devices_, findings_);
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
    Finding& finding =
        findings_.Report(LintRule::kDeprecatedVersion,
                         "apiVersion",
                         std::move(why),
                         fmt::format("write {}; --fix and dray convert do", newest.api_version));
    finding.severity = LintSeverity::kWarning;
    finding.fixes.push_back({std::string(written.api_version), std::string(newest.api_version)});
  }

  /// Reports an object of an API generation that was removed.
  void Gone(const api::KindInfo& written) {
    if (written.in.Has(api::Release::kNewest)) return;
    findings_
        .Report(LintRule::kDeprecatedVersion,
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
    SelectorLinter selectors(devices_, findings_);
    if (!selectors.Compile(field, device_class.spec.selectors)) return;
    if (devices_.size() == 0) return;
    const LintChoice& choice = devices_.Choose(device_class, {});
    const bool is_empty = choice.of_class.matching.Count() == 0;
    const size_t before = findings_.size();
    selectors.Names(field, device_class.spec.selectors, is_empty);
    selectors.Failures(field, choice.of_class, devices_.size(), before);
    if (!is_empty || findings_.size() > before) return;
    findings_
        .Report(
            LintRule::kClassWithoutDevices,
            field,
            fmt::format(
                "none of {} devices is of class {}", devices_.size(), device_class.metadata.name),
            "change its selectors, or install the driver; dray cel --explain says what each part "
            "of "
            "one does")
        .severity = LintSeverity::kWarning;
  }

  const LintQuestion& question_;
  LintDevices devices_;
  const ClassesByName classes_;
  FindingList findings_;
  ReferenceLinter references_;
  SliceLinter slices_;
  std::map<const api::KindInfo*, const api::KindInfo*> newest_;  // of versions met
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

}  // namespace dray::planning::inline lint
