// SPDX-License-Identifier: Apache-2.0
// The start configuration of a story's cluster.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "api/kind.h"
#include "base/result.h"
#include "server/registry/served_kinds.h"

namespace dray::stories {

/// The configuration of the schedulers that the story was recorded with.
std::string_view SchedulerConfigOf(const boost::json::object& story);
/// The configuration of the second scheduler, which runs only where a story starts it.
std::string_view SecondSchedulerConfig();

/// Whether the story starts, kills or refuses components, which then run outside the server.
bool HasOwnComponents(const boost::json::object& story);

/// The release and gates of the server.
/// Errors: kBadRequest  gates that the release lacks.
Result<server::registry::Emulation> EmulationOf(const boost::json::object& story);

/// The kinds that the story's server serves; none where EmulationOf fails.
std::vector<const api::KindInfo*> KindsOf(const boost::json::object& story);

/// The namespace of deeds that name none.
std::string DefaultNamespaceOf(const boost::json::object& story);

/// The default one, and others in which the story creates something.
std::set<std::string> NamespacesOf(const boost::json::object& story);

/// Options of `dray serve`. `scheduler_config` is the file with the scheduler's configuration.
std::vector<std::string> FlagsOf(const boost::json::object& story,
                                 const std::string& scheduler_config);

}  // namespace dray::stories
