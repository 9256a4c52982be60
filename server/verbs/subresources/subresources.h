// SPDX-License-Identifier: Apache-2.0
// The verbs of subresources that are objects of other kinds.
#pragma once

#include <string_view>

#include "base/task.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::inline subresources {

/// Create on "pods/binding" and on "bindings".
Task<Outcome> Bind(Call call);
/// Get, update and patch of the subresource "scale".
Task<Outcome> ServeScale(Call call);
/// Create on "pods/eviction".
Task<Outcome> Evict(Call call);
/// Whether only running containers can answer for the subresource (log, exec, proxy, …).
bool NeedsRunningContainers(std::string_view subresource);
/// Refuses such a subresource of an object that exists.
Task<Outcome> RefuseSimulated(Call call);

}  // namespace dray::server::verbs::inline subresources
