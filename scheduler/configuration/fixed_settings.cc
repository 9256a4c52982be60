// SPDX-License-Identifier: Apache-2.0
#include "scheduler/configuration/fixed_settings.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/yaml.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "scheduler/plugins/table.h"

namespace dray::scheduler::inline configuration {
namespace {

using api::JsonTree;

struct ProcessSetting {
  std::string_view name;
  std::span<const std::string_view> members = {};  // of an object; empty: it is a value
};
constexpr std::array<std::string_view, 5> kConnection = {
    "acceptContentTypes", "burst", "contentType", "kubeconfig", "qps"};
constexpr std::array<std::string_view, 7> kElection = {"leaderElect",
                                                       "leaseDuration",
                                                       "renewDeadline",
                                                       "resourceLock",
                                                       "resourceName",
                                                       "resourceNamespace",
                                                       "retryPeriod"};
constexpr std::array kProcessSettings = {
    ProcessSetting{.name = "clientConnection", .members = kConnection},
    ProcessSetting{.name = "leaderElection", .members = kElection},
    ProcessSetting{.name = "enableContentionProfiling"},
    ProcessSetting{.name = "enableProfiling"},
    ProcessSetting{.name = "parallelism"},
};

constexpr std::array<std::string_view, 15> kPoints = {"preEnqueue",
                                                      "queueSort",
                                                      "preFilter",
                                                      "filter",
                                                      "postFilter",
                                                      "preScore",
                                                      "score",
                                                      "reserve",
                                                      "permit",
                                                      "preBind",
                                                      "bind",
                                                      "postBind",
                                                      "placementGenerate",
                                                      "placementScore",
                                                      "podGroupPostFilter"};

std::string TextOf(const JsonTree& tree) {
  std::string text;
  api::WriteJsonTree(tree, text, api::MemberOrder::kByName);
  return text;
}

Result<const Plugin*> PluginOf(Members& entry) {
  DRAY_TRY(const std::string name, entry.Text("name"));
  if (const Plugin* found = FindPlugin(name)) return found;
  return RefuseSetting(
      entry.PathOf("name"),
      fmt::format("{} is not supported, only kube-scheduler's own plugins", api::GoQuote(name)));
}

Result<> ReadEnabled(const JsonTree& tree, const std::string& path, bool is_everywhere) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members entry(tree, path);
  DRAY_TRY(const Plugin* plugin, PluginOf(entry));
  const std::string name = api::GoQuote(plugin->name);
  if (!is_everywhere || !plugin->is_default) {
    return RefuseSetting(path, fmt::format("{} cannot be enabled here", name));
  }
  const JsonTree* weight = entry.Find("weight");
  const std::string said = weight == nullptr ? "0" : weight->text;
  if (said != fmt::to_string(plugin->weight)) {
    return RefuseSetting(entry.PathOf("weight"),
                         fmt::format("of {} must be {}", name, plugin->weight));
  }
  return entry.RefuseOthers();
}

Result<> ReadDisabled(const JsonTree& tree, const std::string& path) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members entry(tree, path);
  DRAY_TRY(const std::string all, entry.Text("name"));
  if (all == "*") return RefuseSetting(path, "plugins cannot be disabled");
  DRAY_TRY(const Plugin* plugin, PluginOf(entry));
  if (!plugin->may_be_disabled) {
    return RefuseSetting(path, fmt::format("{} cannot be disabled", api::GoQuote(plugin->name)));
  }
  (void)entry.Find("weight");
  return entry.RefuseOthers();
}

Result<> ReadPoint(const JsonTree& tree, const std::string& path, bool is_everywhere) {
  if (!tree.is_object()) return RefuseSetting(path, "must be an object");
  Members point(tree, path);
  DRAY_TRY(const auto* enabled, point.List("enabled", kPluginsMax));
  for (size_t i = 0; enabled != nullptr && i < enabled->size(); ++i) {
    const std::string at = fmt::format("{}[{}]", point.PathOf("enabled"), i);
    DRAY_TRY_VOID(ReadEnabled((*enabled)[i], at, is_everywhere));
  }
  DRAY_TRY(const auto* disabled, point.List("disabled", kPluginsMax));
  for (size_t i = 0; disabled != nullptr && i < disabled->size(); ++i) {
    const std::string at = fmt::format("{}[{}]", point.PathOf("disabled"), i);
    DRAY_TRY_VOID(ReadDisabled((*disabled)[i], at));
  }
  return point.RefuseOthers();
}

}  // namespace

Result<std::string_view> PluginNameOf(Members& entry) {
  DRAY_TRY(const Plugin* plugin, PluginOf(entry));
  return plugin->name;
}

Result<> ReadFixedArguments(std::string_view plugin,
                            const JsonTree& arguments,
                            const std::string& path) {
  if (!arguments.is_object()) return RefuseSetting(path, "must be an object");
  Members members(arguments, path);
  DRAY_TRY_VOID(members.MustBe("apiVersion", kConfigurationVersion));
  DRAY_TRY_VOID(members.MustBe("kind", fmt::format("{}Args", plugin)));
  const std::string_view usual = FindPlugin(plugin)->arguments;
  if (!usual.empty()) {
    DRAY_TRY(const api::YamlDocument document, api::YamlToJson(usual));
    DRAY_TRY(const JsonTree tree, api::ParseJsonTree(document.json, kConfigurationDepthMax));
    for (const auto& [name, value] : tree.members().All()) {
      const JsonTree* found = members.Find(name);
      const std::string wanted = TextOf(*value);
      if (found == nullptr || TextOf(*found) == wanted) continue;
      return RefuseSetting(members.PathOf(name), fmt::format("must be {}", wanted));
    }
  }
  return members.RefuseOthers();
}

Result<> ReadPlugins(const JsonTree& plugins, const std::string& path) {
  if (!plugins.is_object()) return RefuseSetting(path, "must be an object");
  Members points(plugins, path);
  if (const JsonTree* all = points.Find("multiPoint")) {
    DRAY_TRY_VOID(ReadPoint(*all, points.PathOf("multiPoint"), true));
  }
  for (const std::string_view name : kPoints) {
    const JsonTree* point = points.Find(name);
    if (point != nullptr) DRAY_TRY_VOID(ReadPoint(*point, points.PathOf(name), false));
  }
  return points.RefuseOthers();
}

Result<> ReadProcessSettings(Members& configuration) {
  for (const ProcessSetting& setting : kProcessSettings) {
    const JsonTree* found = configuration.Find(setting.name);
    if (found == nullptr || setting.members.empty()) continue;
    const std::string path = configuration.PathOf(setting.name);
    if (!found->is_object()) return RefuseSetting(path, "must be an object");
    Members members(*found, path);
    for (const std::string_view name : setting.members) (void)members.Find(name);
    DRAY_TRY_VOID(members.RefuseOthers());
  }
  return {};
}

Result<> ReadPercentage(Members& configuration_or_profile) {
  const std::string_view name = "percentageOfNodesToScore";
  const JsonTree* percentage = configuration_or_profile.Find(name);
  if (percentage == nullptr || percentage->text == "0") return {};
  return RefuseSetting(configuration_or_profile.PathOf(name), "must be 0");
}

}  // namespace dray::scheduler::inline configuration
