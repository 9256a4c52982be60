// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/vocabulary.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using vectors::TextOf;

/// The names for claims in 1.30 and 1.31: one version each.
Vocabulary ClassicVocabulary(std::string_view resource_version) {
  Vocabulary words{.shown = {{"pods", "v1"},
                             {"resourceclaims", resource_version},
                             {"podschedulingcontexts", resource_version}},
                   .versions = {}};
  for (const std::string_view kind : {"DeviceClass",
                                      "PodSchedulingContext",
                                      "ResourceClaim",
                                      "ResourceClaimParameters",
                                      "ResourceClaimTemplate",
                                      "ResourceClass",
                                      "ResourceClassParameters",
                                      "ResourceSlice"}) {
    words.versions.emplace(kind, resource_version);
  }
  return words;
}

}  // namespace

bool IsOf(const json::object& story, std::string_view minor) {
  return TextOf(story, "release").starts_with(fmt::format("{}.", minor));
}

bool IsClassic(const json::object& story) {
  return IsOf(story, "1.30") || IsOf(story, "1.31");
}

Vocabulary VocabularyOf(const json::object& story) {
  if (IsOf(story, "1.30")) return ClassicVocabulary("resource.k8s.io/v1alpha2");
  if (IsOf(story, "1.31")) return ClassicVocabulary("resource.k8s.io/v1alpha3");
  return {.shown = {{"pods", "v1"},
                    {"resourceclaims", "resource.k8s.io/v1"},
                    {"devicetaintrules", "resource.k8s.io/v1"},
                    {"resourcepoolstatusrequests", "resource.k8s.io/v1alpha3"},
                    {"podgroups", "scheduling.k8s.io/v1alpha3"},
                    {"resourcequotas", "v1", false}},
          .versions = {{"DeviceClass", "resource.k8s.io/v1"},
                       {"DeviceTaintRule", "resource.k8s.io/v1"},
                       {"PodGroup", "scheduling.k8s.io/v1alpha3"},
                       {"ResourceClaim", "resource.k8s.io/v1"},
                       {"ResourceClaimTemplate", "resource.k8s.io/v1"},
                       {"ResourcePoolStatusRequest", "resource.k8s.io/v1alpha3"},
                       {"ResourceSlice", "resource.k8s.io/v1"}}};
}

std::string ReleaseOf(const json::object& story) {
  std::string release(TextOf(story, "release"));
  release.resize(std::min(release.rfind('.'), release.size()));  // 1.37 of 1.37.0
  return release;
}

Repeat RepeatOf(const json::object& repeat) {
  const auto number = [&](std::string_view name) {
    constexpr double kMax = 1e9;
    const json::value* value = repeat.if_contains(name);
    if (value == nullptr) return int64_t{0};
    return static_cast<int64_t>(std::clamp(vectors::NumberOf(*value), -kMax, kMax));
  };
  return {.from = number("from"), .to = number("to"), .width = number("width")};
}

std::string PluralOf(std::string_view kind) {
  std::string plural(kind);
  std::ranges::transform(plural, plural.begin(), [](unsigned char c) { return std::tolower(c); });
  if (plural.ends_with("parameters") || plural == "endpoints") return plural;
  if (plural.ends_with("cy")) return plural.substr(0, plural.size() - 1) + "ies";
  return plural + (plural.ends_with('s') ? "es" : "s");
}

}  // namespace dray::stories
