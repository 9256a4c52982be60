// SPDX-License-Identifier: Apache-2.0
#include "scheduler/configuration/configuration.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_tree.h"
#include "api/codec/yaml.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "scheduler/configuration/configuration_members.h"
#include "scheduler/configuration/fixed_settings.h"

namespace dray::scheduler::inline configuration {
namespace {

using api::JsonTree;
namespace core_v1 = api::core_v1;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kBindingTimeoutMin{1};
// The speed of a slow core.
constexpr int64_t kStepsPerSecond = 2'000'000;

Result<> ReadArguments(const JsonTree& tree, const std::string& path, Profile& profile) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members arguments(tree, path);
  DRAY_TRY_VOID(arguments.MustBe("apiVersion", kConfigurationVersion));
  DRAY_TRY_VOID(arguments.MustBe("kind", "DynamicResourcesArgs"));
  DRAY_TRY(const std::optional<nanoseconds> filter, arguments.Time("filterTimeout"));
  if (filter && *filter < nanoseconds(0)) {
    return RefuseSetting(arguments.PathOf("filterTimeout"), "must be zero or greater");
  }
  if (filter) profile.filter_timeout = filter;
  if (filter == nanoseconds(0)) profile.filter_timeout.reset();
  DRAY_TRY(const std::optional<nanoseconds> binding, arguments.Time("bindingTimeout"));
  if (binding && *binding < kBindingTimeoutMin) {
    return RefuseSetting(arguments.PathOf("bindingTimeout"), "must be at least 1 second");
  }
  profile.binding_timeout = binding.value_or(profile.binding_timeout);
  return arguments.RefuseOthers();
}

Result<core_v1::TopologySpreadConstraint> ReadConstraint(const JsonTree& tree,
                                                         const std::string& path) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members members(tree, path);
  core_v1::TopologySpreadConstraint constraint;
  DRAY_TRY(const std::optional<int32_t> skew, members.Positive("maxSkew"));
  if (!skew) return RefuseSetting(members.PathOf("maxSkew"), "must be greater than zero");
  constraint.max_skew = *skew;
  DRAY_TRY(constraint.topology_key, members.Text("topologyKey"));
  if (constraint.topology_key.empty()) {
    return RefuseSetting(members.PathOf("topologyKey"), "can not be empty");
  }
  DRAY_TRY(constraint.when_unsatisfiable, members.Text("whenUnsatisfiable"));
  const bool is_known = constraint.when_unsatisfiable == "DoNotSchedule" ||
                        constraint.when_unsatisfiable == "ScheduleAnyway";
  if (!is_known) {
    return RefuseSetting(members.PathOf("whenUnsatisfiable"),
                         "must be DoNotSchedule or ScheduleAnyway");
  }
  if (members.Find("labelSelector") != nullptr) {
    return RefuseSetting(members.PathOf("labelSelector"),
                         "constraint must not define a selector, as they deduced for each pod");
  }
  DRAY_TRY_VOID(members.RefuseOthers());
  return constraint;
}

Result<> ReadSpread(const JsonTree& tree, const std::string& path, Profile& profile) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members arguments(tree, path);
  DRAY_TRY_VOID(arguments.MustBe("apiVersion", kConfigurationVersion));
  DRAY_TRY_VOID(arguments.MustBe("kind", "PodTopologySpreadArgs"));
  DRAY_TRY(const std::string type, arguments.Text("defaultingType"));
  if (!type.empty() && type != "System" && type != "List") {
    return RefuseSetting(arguments.PathOf("defaultingType"), "must be System or List");
  }
  SpreadDefaults list;
  const std::string at = arguments.PathOf("defaultConstraints");
  DRAY_TRY(const auto* constraints, arguments.List("defaultConstraints", kSpreadDefaultsMax));
  for (size_t i = 0; constraints != nullptr && i < constraints->size(); ++i) {
    DRAY_TRY(auto one, ReadConstraint((*constraints)[i], fmt::format("{}[{}]", at, i)));
    list.constraints.push_back(std::move(one));
  }
  if (type == "List") {
    profile.spread = std::move(list);
  } else if (!list.constraints.empty()) {
    return RefuseSetting(at, "when .defaultingType is \"System\", must be empty");
  }
  return arguments.RefuseOthers();
}

/// Reads the arguments of one plugin; `plugins` are those before it.
Result<> ReadPluginConfig(const JsonTree& tree,
                          const std::string& path,
                          std::vector<std::string>& plugins,
                          Profile& profile) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members plugin(tree, path);
  DRAY_TRY(const std::string_view name, PluginNameOf(plugin));
  if (std::ranges::find(plugins, name) != plugins.end()) {
    return RefuseSetting(path, fmt::format("Duplicate value: {}", api::GoQuote(name)));
  }
  plugins.emplace_back(name);
  if (const JsonTree* arguments = plugin.Find("args")) {
    const std::string at = plugin.PathOf("args");
    if (name == "PodTopologySpread") {
      DRAY_TRY_VOID(ReadSpread(*arguments, at, profile));
    } else if (name == "DynamicResources") {
      DRAY_TRY_VOID(ReadArguments(*arguments, at, profile));
    } else {
      DRAY_TRY_VOID(ReadFixedArguments(name, *arguments, at));
    }
  }
  return plugin.RefuseOthers();
}

Result<Profile> ReadProfile(const JsonTree& tree, const std::string& path) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members members(tree, path);
  Profile profile;
  DRAY_TRY(profile.name, members.Text("schedulerName"));
  if (const JsonTree* plugins = members.Find("plugins")) {
    DRAY_TRY_VOID(ReadPlugins(*plugins, members.PathOf("plugins")));
  }
  DRAY_TRY(const auto* arguments, members.List("pluginConfig", kPluginsMax));
  std::vector<std::string> seen;
  for (size_t i = 0; arguments != nullptr && i < arguments->size(); ++i) {
    const std::string at = fmt::format("{}[{}]", members.PathOf("pluginConfig"), i);
    DRAY_TRY_VOID(ReadPluginConfig((*arguments)[i], at, seen, profile));
  }
  DRAY_TRY_VOID(ReadPercentage(members));
  DRAY_TRY_VOID(members.RefuseOthers());
  return profile;
}

Result<std::vector<Profile>> ReadProfiles(Members& configuration) {
  DRAY_TRY(const auto* list, configuration.List("profiles", kProfilesMax));
  if (list == nullptr || list->empty()) return std::vector{Profile{}};
  std::vector<Profile> profiles;
  for (const JsonTree& tree : *list) {
    const std::string path = fmt::format("profiles[{}]", profiles.size());
    DRAY_TRY(Profile profile, ReadProfile(tree, path));
    // A single profile may lack a name.
    if (profile.name.empty() && list->size() == 1) profile.name = Profile{}.name;
    if (profile.name.empty()) return RefuseSetting(path + ".schedulerName", "Required value");
    if (std::ranges::find(profiles, profile.name, &Profile::name) != profiles.end()) {
      return RefuseSetting(path + ".schedulerName",
                           fmt::format("Duplicate value: {}", api::GoQuote(profile.name)));
    }
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

}  // namespace

Result<Configuration> ReadConfiguration(std::string_view text) {
  DRAY_TRY(const api::YamlDocument document, api::YamlToJson(text));
  DRAY_TRY(const JsonTree tree, api::ParseJsonTree(document.json, kConfigurationDepthMax));
  if (!tree.is_object()) return Fail(StatusReason::kInvalid, "must be an object");
  Members members(tree, {});
  DRAY_TRY(const std::string kind, members.Text("kind"));
  DRAY_TRY(const std::string version, members.Text("apiVersion"));
  if (kind != "KubeSchedulerConfiguration" || version != kConfigurationVersion) {
    return Fail(StatusReason::kInvalid,
                fmt::format("must be a KubeSchedulerConfiguration of {}", kConfigurationVersion));
  }
  Configuration configuration;
  DRAY_TRY(configuration.profiles, ReadProfiles(members));
  DRAY_TRY(const auto initial, members.Seconds("podInitialBackoffSeconds"));
  DRAY_TRY(const auto longest, members.Seconds("podMaxBackoffSeconds"));
  SchedulingQueue::Options& queue = configuration.queue;
  if (initial) queue.backoff_initial = *initial;
  if (longest) queue.backoff_max = *longest;
  if (queue.backoff_max < queue.backoff_initial) {
    return RefuseSetting("podMaxBackoffSeconds",
                         "must be greater than or equal to PodInitialBackoffSeconds");
  }
  DRAY_TRY_VOID(ReadProcessSettings(members));
  DRAY_TRY_VOID(ReadPercentage(members));
  DRAY_TRY_VOID(members.RefuseOthers());
  return configuration;
}

allocator::Budget BudgetOf(const Profile& profile) {
  if (!profile.filter_timeout.has_value()) return {};
  constexpr int64_t kNanosPerStep = std::chrono::nanoseconds(seconds(1)).count() / kStepsPerSecond;
  const int64_t steps = profile.filter_timeout->count() / kNanosPerStep;
  return {.steps_max = std::max(int64_t{1}, steps)};
}

const Profile* ProfileOf(const Configuration& configuration, const api::core_v1::Pod& pod) {
  static const std::string kUsual = Profile{}.name;
  const std::string& name = pod.spec.scheduler_name.empty() ? kUsual : pod.spec.scheduler_name;
  const auto found = std::ranges::find(configuration.profiles, name, &Profile::name);
  return found == configuration.profiles.end() ? nullptr : &*found;
}

const std::string& ReporterOf(const Configuration& configuration, const api::core_v1::Pod& pod) {
  const Profile* profile = ProfileOf(configuration, pod);
  return profile == nullptr ? configuration.profiles.front().name : profile->name;
}

}  // namespace dray::scheduler::inline configuration
