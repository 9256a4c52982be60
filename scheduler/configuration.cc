// SPDX-License-Identifier: Apache-2.0
#include "scheduler/configuration.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_tree.h"
#include "api/codec/yaml.h"
#include "api/text/go_quote.h"
#include "api/value/time.h"

namespace dray::scheduler {
namespace {

using api::JsonTree;
namespace core_v1 = api::core_v1;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::string_view kVersion = "kubescheduler.config.k8s.io/v1";
constexpr size_t kDepthMax = 32;
constexpr seconds kBackoffMax{24 * 3600};
constexpr seconds kTimeoutMax{365 * 24 * 3600};
constexpr seconds kBindingTimeoutMin{1};
// A slow core's.
constexpr int64_t kStepsPerSecond = 2'000'000;

std::unexpected<Error> Refuse(const std::string& path, std::string_view why) {
  return Fail(StatusReason::kInvalid, fmt::format("{}: {}", path, why));
}

/// One object of the document and where it is. Members that nobody asks for are refused.
class Members {
 public:
  Members(const JsonTree& tree, std::string path) : tree_(tree), path_(std::move(path)) {}

  std::string PathOf(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }
  /// Null when it is not there.
  const JsonTree* Find(std::string_view name) {
    asked_.emplace_back(name);
    const JsonTree* found = tree_.members().Find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  Result<std::string> Text(std::string_view name) {
    const JsonTree* found = Find(name);
    if (found == nullptr) return std::string();
    if (!found->is_string()) return Refuse(PathOf(name), "must be a string");
    return found->text;
  }
  /// Must be `text`, if it is there.
  Result<> MustBe(std::string_view name, std::string_view text) {
    DRAY_TRY(const std::string value, Text(name));
    if (value.empty() || value == text) return {};
    return Refuse(PathOf(name), fmt::format("must be {}", text));
  }
  Result<std::optional<nanoseconds>> Time(std::string_view name) {
    DRAY_TRY(const std::string text, Text(name));
    if (text.empty()) return std::optional<nanoseconds>();
    const Result<api::Duration> duration = api::Duration::Parse(text);
    if (!duration) return Refuse(PathOf(name), duration.error().message);
    const nanoseconds value(duration->nanos());
    if (value > kTimeoutMax) return Refuse(PathOf(name), "must be at most 8760h");
    return std::optional(value);
  }
  Result<std::optional<seconds>> Seconds(std::string_view name) {
    DRAY_TRY(const std::optional<int64_t> value, Whole(name, kBackoffMax.count()));
    return value ? std::optional(seconds(*value)) : std::nullopt;
  }
  Result<std::optional<int32_t>> Positive(std::string_view name) {
    DRAY_TRY(const std::optional<int64_t> value, Whole(name, std::numeric_limits<int32_t>::max()));
    return value ? std::optional(static_cast<int32_t>(*value)) : std::nullopt;
  }
  /// Once all that is known was asked for.
  Result<> RefuseOthers() const {
    for (const auto& [name, value] : tree_.members().All()) {
      if (std::ranges::find(asked_, name) == asked_.end()) {
        return Refuse(PathOf(name), "is not supported");
      }
    }
    return {};
  }

 private:
  Result<std::optional<int64_t>> Whole(std::string_view name, int64_t most) {
    const JsonTree* found = Find(name);
    if (found == nullptr) return std::optional<int64_t>();
    int64_t value = 0;
    const char* const end = found->text.data() + found->text.size();
    const auto read = std::from_chars(found->text.data(), end, value);
    if (found->kind != api::JsonKind::kNumber || read.ec != std::errc() || read.ptr != end ||
        value < 1 || value > most) {
      return Refuse(PathOf(name), fmt::format("must be a whole number from 1 to {}", most));
    }
    return std::optional(value);
  }

  const JsonTree& tree_;
  const std::string path_;
  std::vector<std::string> asked_;
};

Result<> ReadArguments(const JsonTree& tree, const std::string& path, Profile& profile) {
  if (!tree.is_object()) return Refuse(path, "must be an object");
  Members arguments(tree, path);
  DRAY_TRY_VOID(arguments.MustBe("apiVersion", kVersion));
  DRAY_TRY_VOID(arguments.MustBe("kind", "DynamicResourcesArgs"));
  DRAY_TRY(const std::optional<nanoseconds> filter, arguments.Time("filterTimeout"));
  if (filter && *filter < nanoseconds(0)) {
    return Refuse(arguments.PathOf("filterTimeout"), "must be zero or greater");
  }
  if (filter) profile.filter_timeout = filter;
  if (filter == nanoseconds(0)) profile.filter_timeout.reset();
  DRAY_TRY(const std::optional<nanoseconds> binding, arguments.Time("bindingTimeout"));
  if (binding && *binding < kBindingTimeoutMin) {
    return Refuse(arguments.PathOf("bindingTimeout"), "must be at least 1 second");
  }
  profile.binding_timeout = binding.value_or(profile.binding_timeout);
  return arguments.RefuseOthers();
}

Result<core_v1::TopologySpreadConstraint> ReadConstraint(const JsonTree& tree,
                                                         const std::string& path) {
  if (!tree.is_object()) return Refuse(path, "must be an object");
  Members members(tree, path);
  core_v1::TopologySpreadConstraint constraint;
  DRAY_TRY(const std::optional<int32_t> skew, members.Positive("maxSkew"));
  if (!skew) return Refuse(members.PathOf("maxSkew"), "must be greater than zero");
  constraint.max_skew = *skew;
  DRAY_TRY(constraint.topology_key, members.Text("topologyKey"));
  if (constraint.topology_key.empty()) {
    return Refuse(members.PathOf("topologyKey"), "can not be empty");
  }
  DRAY_TRY(constraint.when_unsatisfiable, members.Text("whenUnsatisfiable"));
  const bool is_known = constraint.when_unsatisfiable == "DoNotSchedule" ||
                        constraint.when_unsatisfiable == "ScheduleAnyway";
  if (!is_known) {
    return Refuse(members.PathOf("whenUnsatisfiable"), "must be DoNotSchedule or ScheduleAnyway");
  }
  if (members.Find("labelSelector") != nullptr) {
    return Refuse(members.PathOf("labelSelector"),
                  "constraint must not define a selector, as they deduced for each pod");
  }
  DRAY_TRY_VOID(members.RefuseOthers());
  return constraint;
}

Result<> ReadSpread(const JsonTree& tree, const std::string& path, Profile& profile) {
  if (!tree.is_object()) return Refuse(path, "must be an object");
  Members arguments(tree, path);
  DRAY_TRY_VOID(arguments.MustBe("apiVersion", kVersion));
  DRAY_TRY_VOID(arguments.MustBe("kind", "PodTopologySpreadArgs"));
  DRAY_TRY(const std::string type, arguments.Text("defaultingType"));
  if (!type.empty() && type != "System" && type != "List") {
    return Refuse(arguments.PathOf("defaultingType"), "must be System or List");
  }
  SpreadDefaults list;
  const JsonTree* constraints = arguments.Find("defaultConstraints");
  const std::string at = arguments.PathOf("defaultConstraints");
  if (constraints != nullptr) {
    if (!constraints->is_array()) return Refuse(at, "must be a list");
    if (constraints->elements().size() > kSpreadDefaultsMax) {
      return Refuse(at, fmt::format("must have at most {} items", kSpreadDefaultsMax));
    }
    for (size_t i = 0; i < constraints->elements().size(); ++i) {
      DRAY_TRY(auto one, ReadConstraint(constraints->elements()[i], fmt::format("{}[{}]", at, i)));
      list.constraints.push_back(std::move(one));
    }
  }
  if (type == "List") {
    profile.spread = std::move(list);
  } else if (!list.constraints.empty()) {
    return Refuse(at, "when .defaultingType is \"System\", must be empty");
  }
  return arguments.RefuseOthers();
}

Result<> ReadPluginConfig(const JsonTree& tree, const std::string& path, Profile& profile) {
  if (!tree.is_object()) return Refuse(path, "must be an object");
  Members plugin(tree, path);
  DRAY_TRY(const std::string name, plugin.Text("name"));
  const bool is_spread = name == "PodTopologySpread";
  if (!is_spread && name != "DynamicResources") {
    return Refuse(plugin.PathOf("name"),
                  fmt::format("{} is not supported, only DynamicResources and PodTopologySpread",
                              api::GoQuote(name)));
  }
  if (const JsonTree* arguments = plugin.Find("args")) {
    const auto read = is_spread ? ReadSpread : ReadArguments;
    DRAY_TRY_VOID(read(*arguments, plugin.PathOf("args"), profile));
  }
  return plugin.RefuseOthers();
}

Result<Profile> ReadProfile(const JsonTree& tree, const std::string& path) {
  if (!tree.is_object()) return Refuse(path, "must be an object");
  Members members(tree, path);
  Profile profile;
  DRAY_TRY(profile.name, members.Text("schedulerName"));
  if (const JsonTree* plugins = members.Find("pluginConfig")) {
    const std::string list = members.PathOf("pluginConfig");
    if (!plugins->is_array()) return Refuse(list, "must be a list");
    for (size_t i = 0; i < plugins->elements().size(); ++i) {
      DRAY_TRY_VOID(
          ReadPluginConfig(plugins->elements()[i], fmt::format("{}[{}]", list, i), profile));
    }
  }
  DRAY_TRY_VOID(members.RefuseOthers());
  return profile;
}

Result<std::vector<Profile>> ReadProfiles(const JsonTree* list) {
  std::vector<Profile> profiles;
  if (list != nullptr && !list->is_array()) return Refuse("profiles", "must be a list");
  if (list == nullptr || list->elements().empty()) return std::vector{Profile{}};
  if (list->elements().size() > kProfilesMax) {
    return Refuse("profiles", fmt::format("must have at most {} items", kProfilesMax));
  }
  for (const JsonTree& tree : list->elements()) {
    const std::string path = fmt::format("profiles[{}]", profiles.size());
    DRAY_TRY(Profile profile, ReadProfile(tree, path));
    // A single one need not be named.
    if (profile.name.empty() && list->elements().size() == 1) profile.name = Profile{}.name;
    if (profile.name.empty()) return Refuse(path + ".schedulerName", "Required value");
    if (std::ranges::find(profiles, profile.name, &Profile::name) != profiles.end()) {
      return Refuse(path + ".schedulerName",
                    fmt::format("Duplicate value: {}", api::GoQuote(profile.name)));
    }
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

}  // namespace

Result<Configuration> ReadConfiguration(std::string_view text) {
  DRAY_TRY(const api::YamlDocument document, api::YamlToJson(text));
  DRAY_TRY(const JsonTree tree, api::ParseJsonTree(document.json, kDepthMax));
  if (!tree.is_object()) return Fail(StatusReason::kInvalid, "must be an object");
  Members members(tree, {});
  DRAY_TRY(const std::string kind, members.Text("kind"));
  DRAY_TRY(const std::string version, members.Text("apiVersion"));
  if (kind != "KubeSchedulerConfiguration" || version != kVersion) {
    return Fail(StatusReason::kInvalid,
                fmt::format("must be a KubeSchedulerConfiguration of {}", kVersion));
  }
  Configuration configuration;
  DRAY_TRY(configuration.profiles, ReadProfiles(members.Find("profiles")));
  DRAY_TRY(const auto initial, members.Seconds("podInitialBackoffSeconds"));
  DRAY_TRY(const auto longest, members.Seconds("podMaxBackoffSeconds"));
  SchedulingQueue::Options& queue = configuration.queue;
  if (initial) queue.backoff_initial = *initial;
  if (longest) queue.backoff_max = *longest;
  if (queue.backoff_max < queue.backoff_initial) {
    return Refuse("podMaxBackoffSeconds",
                  "must be greater than or equal to PodInitialBackoffSeconds");
  }
  DRAY_TRY_VOID(members.RefuseOthers());
  return configuration;
}

allocator::Budget BudgetOf(const Profile& profile) {
  if (!profile.filter_timeout.has_value()) return {};
  constexpr int64_t kNanosPerStep = std::chrono::nanoseconds(seconds(1)).count() / kStepsPerSecond;
  const int64_t steps = profile.filter_timeout->count() / kNanosPerStep;
  return {.steps_max = std::max(int64_t{1}, steps)};
}

}  // namespace dray::scheduler
