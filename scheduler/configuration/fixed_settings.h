// SPDX-License-Identifier: Apache-2.0
// Parts of kube-scheduler's configuration file that have one value here: a file that says what
// kube-scheduler does anyway (as its --write-config-to prints) is taken, another value is refused
// by name rather than passed over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/codec/json_tree.h"
#include "base/result.h"
#include "scheduler/configuration/configuration_members.h"

namespace dray::scheduler::inline configuration {

/// At most so many plugins at one extension point; upstream has no limit.
inline constexpr size_t kPluginsMax = 64;

/// The `name` of an entry of a list: one of kube-scheduler's own plugins.
/// Errors: kInvalid  a plugin from elsewhere.
Result<std::string_view> PluginNameOf(Members& entry);

/// Takes the arguments of a plugin (PluginNameOf) that has none of its own here: those that
/// kube-scheduler gives it by default, in any number.
/// Errors: kInvalid  another value; an argument that the plugin does not have.
Result<> ReadFixedArguments(std::string_view plugin,
                            const api::JsonTree& arguments,
                            const std::string& path);

/// Takes `plugins` of a profile as long as it changes nothing: those of kube-scheduler's default
/// set, with their weights, at `multiPoint`; without scores for images.
/// Errors: kInvalid  a plugin from elsewhere, another weight, another point, one switched off.
Result<> ReadPlugins(const api::JsonTree& plugins, const std::string& path);

/// Takes what says how the process of kube-scheduler runs (its client, leader election, threads,
/// profiling), and has no meaning here.
/// Errors: kInvalid  there is no such setting.
Result<> ReadProcessSettings(Members& configuration);

/// Takes `percentageOfNodesToScore` of 0, as many as kube-scheduler looks at by itself.
/// Errors: kInvalid  another percentage.
Result<> ReadPercentage(Members& configuration_or_profile);

}  // namespace dray::scheduler::inline configuration
