// SPDX-License-Identifier: Apache-2.0
#include "cli/allocate.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/feature_switches.h"
#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/feature_gates.h"
#include "cli/allocate_report.h"
#include "dray/profile.h"
#include "dray/taint_rules.h"
#include "manifests/objects.h"
#include "manifests/spelling.h"
#include "planning/offline_cluster.h"
#include "planning/offline_objects.h"

namespace dray::cli {
namespace {

constexpr const char* kDefaultNamespace = "default";

/// Whose rules hold: the profile's release, implementation and switches.
struct Rules {
  allocator::Features features;
  api::FeatureGates gates;
};

/// What to add to --feature-gates so that `implementation` knows all features that are on.
std::string GatesToSwitchOff(allocator::Implementation implementation,
                             const api::FeatureGates& gates) {
  std::vector<std::string> off;
  for (const allocator::FeatureSwitch& feature : allocator::FeatureSwitches()) {
    const api::Gate gate = feature.gates[0];
    if (feature.first > implementation && gates.Has(gate) && gates.Has(feature.gates[1]))
      off.push_back(fmt::format("{}=false", api::Gates()[static_cast<size_t>(gate)].name));
  }
  return fmt::format("{}", fmt::join(off, ","));
}

Result<Rules> RulesOf(const AllocateOptions& options) {
  DRAY_TRY(const allocator::Profile profile, allocator::ParseProfile(options.profile));
  Rules rules{.features = {}, .gates = api::FeatureGates::DefaultsOf(profile.release)};
  DRAY_TRY_VOID(rules.gates.Apply(options.feature_gates, profile.release));
  Result<allocator::Features> features = allocator::FeaturesOf(profile, rules.gates);
  if (!features && profile.implementation.has_value()) {
    return Fail(features.error().reason,
                fmt::format("{}; it needs --feature-gates {}",
                            features.error().message,
                            GatesToSwitchOff(*profile.implementation, rules.gates)));
  }
  DRAY_TRY(rules.features, std::move(features));
  return rules;
}

/// Taints the slices as the rules among the objects say, while the release has such rules.
void ApplyTaintRules(const Rules& rules, planning::OfflineObjects& objects) {
  if (objects.taint_rules.empty()) return;
  if (!rules.gates.Has(api::Gate::kDeviceTaintRules) || !rules.features.device_taints) {
    objects.notes.push_back(
        fmt::format("{} DeviceTaintRules have no effect: DRADeviceTaintRules is off",
                    objects.taint_rules.size()));
    return;
  }
  objects.slices = allocator::WithTaintsOf(
      objects.taint_rules, std::move(objects.slices), rules.features.release);
}

int ExitCode(const std::vector<planning::OfflineAnswer>& answers) {
  const auto any = [&](planning::Verdict verdict) {
    return std::ranges::any_of(answers, [&](const auto& a) { return a.verdict == verdict; });
  };
  if (any(planning::Verdict::kDoesNotFit) || any(planning::Verdict::kRefused)) return 1;
  return any(planning::Verdict::kUndecided) ? 3 : 0;
}

void Print(const AllocateOptions& options,
           const std::vector<planning::OfflineAnswer>& answers,
           std::FILE* out,
           std::FILE* notes) {
  if (options.output == OutputFormat::kTable) return PrintAsTable(out, answers);
  const std::string json =
      options.each_node ? NodeAnswersAsJson(answers) : AllocatedClaims(answers);
  if (options.output == OutputFormat::kJson) {
    fmt::print(out, "{}\n", api::PrettyJson(json));
  } else {
    const auto yaml = api::JsonToYaml(json);
    fmt::print(out, "{}", yaml ? *yaml : "");
  }
  PrintObstacles(notes, answers);
}

}  // namespace

int Allocate(World& world, const AllocateOptions& options, std::FILE* out, std::FILE* notes) {
  const auto refuse = [notes](std::string_view why) {
    fmt::print(notes, "dray allocate: {}\n", why);
    return 2;
  };
  const Result<Rules> rules = RulesOf(options);
  if (!rules) return refuse(rules.error().message);
  const api::Scheme scheme;
  const Result<manifests::Manifests> manifests =
      manifests::ReadManifests(world.disk, scheme, options.paths);
  if (!manifests) return refuse(manifests.error().message);
  for (const std::string& note : manifests->notes) fmt::print(notes, "note: {}\n", note);
  planning::OfflineObjects objects = planning::SortManifests(
      world, *manifests, options.name_space.empty() ? kDefaultNamespace : options.name_space);
  ApplyTaintRules(*rules, objects);
  for (const std::string& note : objects.notes) fmt::print(notes, "note: {}\n", note);
  planning::OfflineCluster cluster(
      world,
      std::move(objects),
      {.features = rules->features,
       .node = options.node,
       .name_space = options.name_space,
       .budget = {.steps_max = options.steps_max},
       .answers = options.each_node ? planning::NodeAnswers::kEach
                                    : planning::NodeAnswers::kFirstThatFits});
  const std::vector<std::string> nodes = cluster.NodeNames();
  if (!options.node.empty() && std::ranges::find(nodes, options.node) == nodes.end()) {
    return refuse(fmt::format("--node: no node {} in the input; {}",
                              options.node,
                              manifests::KnownNames(options.node, nodes)));
  }
  const std::vector<planning::OfflineAnswer> answers = cluster.AllocateAll();
  if (answers.empty())
    fmt::print(notes, "note: no pod uses a claim, and no claim waits for devices\n");
  Print(options, answers, out, notes);
  return ExitCode(answers);
}

}  // namespace dray::cli
