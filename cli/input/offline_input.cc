// SPDX-License-Identifier: Apache-2.0
#include "cli/input/offline_input.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocator/feature_switches.h"
#include "api/core_v1/node.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "base/text/spelling.h"
#include "base/try.h"
#include "cli/command_line/command_text.h"
#include "cli/command_line/mistakes.h"
#include "cli/terminal/progress.h"
#include "dray/profile.h"
#include "dray/taint_rules.h"
#include "manifests/defined_versions.h"
#include "manifests/objects.h"
#include "scheduler/cluster/pod_groups.h"

namespace dray::cli::inline input {
namespace {

constexpr uint64_t kWorkPerSecond = 1'000'000'000;
constexpr int64_t kSecondsMax = 1'000'000;

/// The chosen rules: the allocator's profile, and the release for the gates.
struct Chosen {
  allocator::Profile profile;
  api::Release release = api::Release::kNewest;
  /// Those of the running server; absent: the release's defaults.
  std::optional<api::FeatureGates> gates = {};
};
struct Rules {
  allocator::Features features;
  api::FeatureGates gates;
};

/// The first release with structured parameters as allocators of these profiles know them.
constexpr api::Release kFirstWithAllocator = api::Release::k1_31;

/// The choice of the options; absent: they make none. Errors: kBadRequest, kInvalid  no such
/// profile or release, or a release without such an allocator.
Result<std::optional<Chosen>> ChosenBy(const OfflineInputOptions& options) {
  if (!options.profile.empty()) {
    const Result<allocator::Profile> parsed = allocator::ParseProfile(options.profile);
    if (!parsed)
      return Fail(WithMeantName(parsed.error(), options.profile, allocator::ProfileNames()));
    return Chosen{.profile = *parsed, .release = parsed->release};
  }
  if (options.release.empty()) return std::optional<Chosen>();
  DRAY_TRY(const api::Release release, api::ParseRelease(options.release));
  if (release < kFirstWithAllocator) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("--release: {} had no allocator for devices of ResourceSlices with "
                            "attributes: that came with {}",
                            api::ReleaseName(release),
                            api::ReleaseName(kFirstWithAllocator)));
  }
  return Chosen{.profile = allocator::ProfileFor(release), .release = release};
}

/// The newest release of a node; kAny: no node has one.
api::Release ReleaseOfNodes(const planning::OfflineObjects& objects) {
  api::Release newest = api::Release::kAny;
  for (const auto& [name, object] : objects.nodes) {
    const auto& info = object.As<api::core_v1::Node>().status.node_info;
    const Result<api::Release> release = api::ParseRelease(info.kubelet_version);
    if (release && *release > newest) newest = *release;
  }
  return newest;
}

/// The newest release of a kubelet, with its patch.
planning::ClusterRelease PatchOfNodes(const planning::OfflineObjects& objects) {
  planning::ClusterRelease newest;
  for (const auto& [name, object] : objects.nodes) {
    const auto& info = object.As<api::core_v1::Node>().status.node_info;
    const planning::ClusterRelease release = planning::ReleaseIn(info.kubelet_version);
    if (std::pair(release.minor, release.patch) > std::pair(newest.minor, newest.patch))
      newest = release;
  }
  return newest;
}

/// The release for known defects; Dray itself has none of them.
planning::ClusterRelease PatchOf(const OfflineInputOptions& options,
                                 const LiveInput& live,
                                 const planning::OfflineObjects& objects) {
  if (!options.release.empty()) return planning::ReleaseIn(options.release);
  if (!options.profile.empty()) return {};
  if (live.version.empty()) return PatchOfNodes(objects);
  return live.is_upstream ? planning::ReleaseIn(live.version) : planning::ClusterRelease();
}

/// The release of the server, or else of the nodes; if neither is known, the newest.
Chosen ChosenByCluster(const LiveInput& live, const planning::OfflineObjects& objects) {
  const Result<api::Release> served = api::ParseRelease(live.version);
  const api::Release release = served ? *served : ReleaseOfNodes(objects);
  Chosen chosen;
  if (release != api::Release::kAny)
    chosen = {.profile = allocator::ProfileFor(release), .release = release};
  if (!live.gates.empty()) chosen.gates = GatesOf(live.gates, chosen.release);
  return chosen;
}

/// A note that the feature gates of the server are a guess.
std::string AboutGates(const LiveInput& live, const Chosen& chosen) {
  return fmt::format(
      "the feature gates of the server are not known ({}): those that {} has by default are "
      "assumed; --feature-gates names others",
      live.why_no_gates,
      api::ReleaseName(chosen.release));
}

/// A note about a choice that the options do not make explicitly.
std::string AboutChoice(const Chosen& chosen, bool by_cluster) {
  const std::string release = api::ReleaseName(chosen.release);
  const std::string profile = allocator::ToString(chosen.profile);
  const std::string_view who = by_cluster ? "the cluster is of" : "release";
  if (!allocator::HasOwnProfile(chosen.release)) {
    return fmt::format(
        "{} {}: devices are chosen as by {}, the nearest allocator that was measured",
        who,
        release,
        profile);
  }
  if (!by_cluster || chosen.release == api::Release::kNewest) return {};
  return fmt::format("{} {}: devices are chosen as by {}", who, release, profile);
}

/// The gates to add to --feature-gates so that `implementation` supports all enabled features.
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

Result<Rules> RulesOf(const Chosen& chosen, const OfflineInputOptions& options) {
  const allocator::Profile& profile = chosen.profile;
  Rules rules{.features = {},
              .gates = chosen.gates.value_or(api::FeatureGates::DefaultsOf(chosen.release))};
  DRAY_TRY_VOID(rules.gates.Apply(options.feature_gates, chosen.release));
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

/// Adds taints to the slices by the rules among the objects, if the release has such rules.
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

/// Returns what a server has of these group versions.
using AskServer =
    std::function<Result<std::vector<api::TypeMeta>>(const std::set<std::string>& api_versions)>;

/// Corrects notes about kinds that definitions of the input define, or that the server has. Null
/// inputs could not be read. Asks only if there are such notes.
void CorrectNotesOf(std::span<manifests::Manifests* const> inputs, const AskServer& ask) {
  manifests::DefinedVersions defined;
  for (const manifests::Manifests* input : inputs) {
    if (input != nullptr) defined.AddDefinitions(*input);
  }
  std::set<std::string> unknown;
  for (const manifests::Manifests* input : inputs) {
    if (input != nullptr) unknown.merge(manifests::UndefinedVersions(*input, defined));
  }
  if (ask && !unknown.empty()) {
    const Result<std::vector<api::TypeMeta>> served = ask(unknown);
    for (const api::TypeMeta& type : served ? *served : std::vector<api::TypeMeta>()) {
      defined.Add(type.api_version, type.kind);
    }
  }
  for (manifests::Manifests* input : inputs) {
    if (input != nullptr) manifests::CorrectNotes(defined, *input);
  }
}

}  // namespace

Option& AddFiles(Command& command, OfflineInputOptions& options) {
  return command
      .Texts("-f, --filename PATH", options.paths, "file, folder or - (standard input); repeatable")
      .InGroup(kInputGroup);
}

void AddProfile(Command& command, OfflineInputOptions& options) {
  const Option& release =
      command
          .Text("--release RELEASE",
                options.release,
                "whose answers: the scheduler's of a release, 1.31 to 1.37 (default: as "
                "the nodes say, or 1.37)")
          .Suggests(ReleaseNames(kFirstWithAllocator))
          .InGroup(kRulesGroup);
  command
      .Text("--profile PROFILE",
            options.profile,
            "whose answers: v0.31.8, v0.36.6 or v0.37.2 of "
            "k8s.io/dynamic-resource-allocation, or one of its implementations, such as "
            "v0.36.6/stable, v0.36.6/incubating or v0.36.6/experimental")
      .Excludes(release)
      .InGroup(kRulesGroup);
  command
      .Text("--feature-gates GATES",
            options.feature_gates,
            "NAME=true|false,… as for kube-scheduler (default: as in that release)")
      .InGroup(kRulesGroup);
}

void AddRules(Command& command, OfflineInputOptions& options) {
  AddProfile(command, options);
  command.Number("--steps-max", options.steps_max, "give up a search after so many candidates")
      .Between(1, std::numeric_limits<int64_t>::max())
      .ShowsDefault()
      .InGroup(kRulesGroup);
  command
      .Number("--seconds-max",
              options.seconds_max,
              "give up all searches after so much work; a second is that of a usual machine")
      .Between(1, kSecondsMax)
      .ShowsDefault()
      .InGroup(kRulesGroup);
}

void AddLiveInput(Command& command, OfflineInputOptions& options) {
  command
      .Text(
          "--kubeconfig FILE",
          [&options](const std::string& path) {
            options.kubeconfig = path;
            options.is_live = true;
          },
          "ask the cluster of this kubeconfig, besides the files (without -f: kubectl's own is the "
          "default)")
      .InGroup(kInputGroup);
  command
      .Text(
          "--context NAME",
          [&options](const std::string& context) {
            options.context = context;
            options.is_live = true;
          },
          "context of the kubeconfig (default: its current one)")
      .InGroup(kInputGroup);
}

void AddAllowNothing(Command& command, bool& allows_nothing) {
  command.Flag(
      "--allow-nothing",
      allows_nothing,
      "exit with 0 where there is nothing to decide: folders of which some want no device");
}

std::string KubeconfigOf(const OfflineInputOptions& options) {
  return options.kubeconfig.empty() ? UsualKubeconfig() : options.kubeconfig;
}

Result<OfflineInput> ReadOfflineInput(World& world,
                                      const OfflineInputOptions& options,
                                      const Output& output) {
  DRAY_TRY(const std::optional<Chosen> asked, ChosenBy(options));
  if (asked.has_value())
    DRAY_TRY_VOID(RulesOf(*asked, options));  // errors of the options come first
  LiveInput live;
  const bool is_live = options.is_live || options.paths.empty();
  const std::string kubeconfig = is_live ? KubeconfigOf(options) : "";
  Progress progress(output, world.clock);
  if (is_live) {
    progress.Now("asking the cluster");
    DRAY_TRY(live, ReadLive(world, kubeconfig, options.context, options.namespace_));
    progress.Clear();
    output.Notes(live.read.notes);
  }
  progress.Now("reading");
  const api::Scheme scheme;
  const auto read_files = [&](const std::vector<std::string>& paths) {
    return manifests::ReadManifests(world.disk,
                                    scheme,
                                    paths,
                                    manifests::kManifestObjectsMax,
                                    manifests::UnknownKinds::kPodTemplates);
  };
  DRAY_TRY(manifests::Manifests files, read_files(options.paths));
  Result<manifests::Manifests> read_work = read_files(options.work);
  progress.Clear();
  manifests::Manifests* const all[] = {&files, read_work ? &*read_work : nullptr};
  AskServer ask;
  if (is_live) {
    ask = [&](const std::set<std::string>& api_versions) {
      return ServedIn(world, kubeconfig, options.context, api_versions);
    };
  }
  CorrectNotesOf(all, ask);
  output.Notes(files.notes);
  DRAY_TRY(manifests::Manifests work, std::move(read_work));
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
  DRAY_TRY(OfflineInput input, InputOf(world, options, std::move(live)));
  input.is_known = is_known;
  input.work = std::move(work.objects);
  input.custom_work = work.custom;
  output.Notes(input.objects.notes);
  return input;
}

Result<OfflineInput> InputOf(World& world, const OfflineInputOptions& options, LiveInput live) {
  DRAY_TRY(const std::optional<Chosen> asked, ChosenBy(options));
  std::string namespace_ = options.namespace_.empty() ? live.namespace_ : options.namespace_;
  if (namespace_.empty()) namespace_ = kDefaultNamespace;
  planning::OfflineObjects objects =
      planning::SortManifests(world, std::move(live.read), namespace_);
  const Chosen chosen = asked.has_value() ? *asked : ChosenByCluster(live, objects);
  DRAY_TRY(const Rules rules, RulesOf(chosen, options));
  if (options.profile.empty()) {
    if (std::string about = AboutChoice(chosen, !asked.has_value()); !about.empty())
      objects.notes.push_back(std::move(about));
  }
  const bool is_live = !live.why_no_gates.empty();
  if (is_live && !asked.has_value() && !chosen.gates.has_value())
    objects.notes.push_back(AboutGates(live, chosen));
  ApplyTaintRules(rules, objects);
  const planning::ClusterRelease release = PatchOf(options, live, objects);
  return OfflineInput{.features = rules.features,
                      .gates = rules.gates,
                      .objects = std::move(objects),
                      .is_known = true,
                      .namespace_ = std::move(namespace_),
                      .listed = std::move(live.listed),
                      .unread = std::move(live.unread),
                      .release = release};
}

planning::OfflineOptions RulesFor(const OfflineInput& input) {
  // A cluster with groups must have the gate enabled.
  const bool has_groups = input.gates.Has(api::Gate::kGenericWorkload) ||
                          std::ranges::any_of(input.objects.looked_at, [](const api::Object& one) {
                            return one.If<scheduler::PodGroup>() != nullptr;
                          });
  return {
      .features = input.features,
      .extended_resources = input.gates.Has(api::Gate::kExtendedResource),
      .node_allocatable = input.gates.Has(api::Gate::kNodeAllocatableResources),
      .pod_groups = has_groups,
      .group_claims = has_groups && input.gates.Has(api::Gate::kWorkloadResourceClaims),
      .group_topology = has_groups && input.gates.Has(api::Gate::kTopologyAwareWorkloadScheduling)};
}

int ExitCodeOf(const std::vector<planning::Verdict>& verdicts, bool is_cut_short) {
  using planning::Verdict;
  const auto any = [&](Verdict verdict) {
    return std::ranges::find(verdicts, verdict) != verdicts.end();
  };
  if (any(Verdict::kDoesNotFit) || any(Verdict::kRefused)) return kExitNo;
  return is_cut_short || any(Verdict::kUndecided) ? kExitUndecided : kExitYes;
}

int ExitCodeOf(int code, const OfflineInput& input, const Output& output) {
  if (code != kExitYes || input.unread.empty()) return code;
  output.Notes(
      std::vector<std::string>{"not known: whether what you may not list would change the answer"});
  return kExitUndecided;
}

allocator::SharedWork SearchWorkOf(const OfflineInputOptions& options) {
  return allocator::SharedWork(static_cast<uint64_t>(options.seconds_max) * kWorkPerSecond);
}

void NoteWorkSpent(const OfflineInputOptions& options,
                   const allocator::SharedWork& work,
                   const Output& output) {
  if (!work.is_spent()) return;
  output.Notes(std::vector<std::string>{
      fmt::format("the searches were given up after the work of {} seconds; --seconds-max allows "
                  "more",
                  options.seconds_max)});
}

void NoteCutShort(const Output& output) {
  output.Notes(std::vector<std::string>{"ended early: what is printed is what was known by then"});
}

std::vector<std::string> WhatLacks(const planning::OfflineObjects& objects) {
  std::vector<std::string> notes;
  if (objects.slices.empty())
    notes.emplace_back("the input has no ResourceSlice: nothing is known of any device");
  if (objects.classes.empty())
    notes.emplace_back("the input has no DeviceClass: what requests ask for is not known");
  if (!objects.has_nodes)
    notes.emplace_back("the input has no Node: labels, taints and resources are not looked at");
  return notes;
}

void NoteWhatLacks(const planning::OfflineObjects& objects, const Output& output) {
  output.Notes(WhatLacks(objects));
}

Result<> CheckNode(const OfflineInputOptions& options, const std::vector<std::string>& nodes) {
  if (options.node.empty() || std::ranges::find(nodes, options.node) != nodes.end()) return {};
  return Fail(
      StatusReason::kBadRequest,
      fmt::format(
          "--node: no node {} in the input; {}", options.node, KnownNames(options.node, nodes)));
}

}  // namespace dray::cli::inline input
