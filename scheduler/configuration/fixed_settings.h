// SPDX-License-Identifier: Apache-2.0
// Parts of kube-scheduler's configuration file that have one supported value here. A file that
// states kube-scheduler's default (as its --write-config-to prints) is accepted. Any other value is
// refused by name instead of being ignored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/codec/json_tree.h"
#include "base/result.h"
#include "scheduler/configuration/configuration_members.h"

namespace dray::scheduler::inline configuration {

/// The limit of plugins at one extension point; upstream has none.
inline constexpr size_t kPluginsMax = 64;

/// The `name` of an entry of a list, which must be one of kube-scheduler's own plugins. Errors:
/// kInvalid  an out-of-tree plugin.
Result<std::string_view> PluginNameOf(Members& entry);

/// Accepts the arguments of a plugin (PluginNameOf) that is not configurable here, if they equal
/// kube-scheduler's defaults; any of them may be missing. Errors: kInvalid  another value; an
/// argument that the plugin does not have.
Result<> ReadFixedArguments(std::string_view plugin,
                            const api::JsonTree& arguments,
                            const std::string& path);

/// Accepts `plugins` of a profile if it changes nothing: the plugins of kube-scheduler's default
/// set, with their weights, at `multiPoint`; the score for images may be missing. Errors: kInvalid
/// an out-of-tree plugin, another weight, another point, a disabled plugin.
Result<> ReadPlugins(const api::JsonTree& plugins, const std::string& path);

/// Accepts settings of kube-scheduler's process (its client, leader election, threads, profiling),
/// which have no meaning here. Errors: kInvalid  there is no such setting.
Result<> ReadProcessSettings(Members& configuration);

/// Accepts `percentageOfNodesToScore` of 0, which is kube-scheduler's own choice.
/// Errors: kInvalid  another percentage.
Result<> ReadPercentage(Members& configuration_or_profile);

}  // namespace dray::scheduler::inline configuration
