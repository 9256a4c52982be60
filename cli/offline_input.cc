// SPDX-License-Identifier: Apache-2.0
#include "cli/offline_input.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/feature_switches.h"
#include "api/kind.h"
#include "cli/mistakes.h"
#include "cli/progress.h"
#include "dray/profile.h"
#include "dray/taint_rules.h"
#include "manifests/objects.h"
#include "manifests/spelling.h"

namespace dray::cli {
namespace {

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

Result<Rules> RulesOf(const OfflineInputOptions& options) {
  const Result<allocator::Profile> parsed = allocator::ParseProfile(options.profile);
  if (!parsed)
    return Fail(WithMeantName(parsed.error(), options.profile, allocator::ProfileNames()));
  const allocator::Profile& profile = *parsed;
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

}  // namespace

void AddFiles(CLI::App& command, OfflineInputOptions& options) {
  command
      .add_option("-f,--filename", options.paths, "file, folder or - (standard input); repeatable")
      ->type_name("PATH")
      ->required()
      ->allow_extra_args(false)
      ->group(kInputGroup);
}

void AddOfflineInput(CLI::App& command, OfflineInputOptions& options) {
  AddFiles(command, options);
  AddRules(command, options);
}

void AddProfile(CLI::App& command, OfflineInputOptions& options) {
  command
      .add_option("--profile",
                  options.profile,
                  "whose answers: v0.31.8, v0.36.6 or v0.37.2 of "
                  "k8s.io/dynamic-resource-allocation, or one of its implementations, such as "
                  "v0.36.6/stable, v0.36.6/incubating or v0.36.6/experimental")
      ->type_name("PROFILE")
      ->capture_default_str()
      ->group(kRulesGroup);
  command
      .add_option("--feature-gates",
                  options.feature_gates,
                  "NAME=true|false,… as for kube-scheduler (default: as in that release)")
      ->type_name("GATES")
      ->group(kRulesGroup);
}

void AddRules(CLI::App& command, OfflineInputOptions& options) {
  AddProfile(command, options);
  command.add_option("--steps-max", options.steps_max, "give up a search after so many candidates")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str()
      ->group(kRulesGroup);
}

void AddLiveInput(CLI::App& command, OfflineInputOptions& options) {
  command.get_option("--filename")->required(false);
  command
      .add_option_function<std::string>(
          "--kubeconfig",
          [&options](const std::string& path) {
            options.kubeconfig = path;
            options.is_live = true;
          },
          "ask the cluster of this kubeconfig, besides the files (without -f: kubectl's own is the "
          "default)")
      ->type_name("FILE")
      ->group(kInputGroup);
  command
      .add_option_function<std::string>(
          "--context",
          [&options](const std::string& context) {
            options.context = context;
            options.is_live = true;
          },
          "context of the kubeconfig (default: its current one)")
      ->type_name("NAME")
      ->group(kInputGroup);
}

std::string KubeconfigOf(const OfflineInputOptions& options) {
  return options.kubeconfig.empty() ? UsualKubeconfig() : options.kubeconfig;
}

Result<OfflineInput> ReadOfflineInput(World& world,
                                      const OfflineInputOptions& options,
                                      const Output& output) {
  DRAY_TRY(const Rules rules, RulesOf(options));
  Progress progress(output);
  LiveInput live;
  const bool is_live = options.is_live || options.paths.empty();
  if (is_live) {
    progress.Now("asking the cluster");
    DRAY_TRY(live, ReadLive(world, KubeconfigOf(options), options.context));
    progress.Clear();
    output.Notes(live.read.notes);
  }
  progress.Now("reading");
  const api::Scheme scheme;
  DRAY_TRY(manifests::Manifests files, manifests::ReadManifests(world.disk, scheme, options.paths));
  progress.Clear();
  output.Notes(files.notes);
  DRAY_TRY(manifests::Manifests work, manifests::ReadManifests(world.disk, scheme, options.work));
  output.Notes(work.notes);
  manifests::Manifests& read = live.read;
  const bool is_known = is_live || !files.objects.empty();
  if (options.live_is_work) work.objects = planning::CopiesOf(read.objects);
  read.objects.insert(read.objects.end(),
                      std::make_move_iterator(files.objects.begin()),
                      std::make_move_iterator(files.objects.end()));
  if (!options.live_is_work) {
    for (manifests::ManifestObject& copy : planning::CopiesOf(work.objects))
      read.objects.push_back(std::move(copy));
  }
  std::string namespace_ = options.namespace_.empty() ? live.namespace_ : options.namespace_;
  if (namespace_.empty()) namespace_ = kDefaultNamespace;
  planning::OfflineObjects objects = planning::SortManifests(world, std::move(read), namespace_);
  ApplyTaintRules(rules, objects);
  output.Notes(objects.notes);
  return OfflineInput{.features = rules.features,
                      .gates = rules.gates,
                      .objects = std::move(objects),
                      .is_known = is_known,
                      .namespace_ = std::move(namespace_),
                      .listed = std::move(live.listed),
                      .work = std::move(work.objects)};
}

void NoteWhatLacks(const planning::OfflineObjects& objects, const Output& output) {
  std::vector<std::string> notes;
  if (objects.slices.empty())
    notes.emplace_back("the input has no ResourceSlice: nothing is known of any device");
  if (objects.classes.empty()) notes.emplace_back("the input has no DeviceClass");
  if (!objects.has_nodes)
    notes.emplace_back("the input has no Node: labels, taints and resources are not looked at");
  output.Notes(notes);
}

Result<> CheckNode(const OfflineInputOptions& options, const std::vector<std::string>& nodes) {
  if (options.node.empty() || std::ranges::find(nodes, options.node) != nodes.end()) return {};
  return Fail(StatusReason::kBadRequest,
              fmt::format("--node: no node {} in the input; {}",
                          options.node,
                          manifests::KnownNames(options.node, nodes)));
}

}  // namespace dray::cli
