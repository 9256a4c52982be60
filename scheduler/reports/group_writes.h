// SPDX-License-Identifier: Apache-2.0
// The scheduler's writes to groups of pods.
#pragma once

#include <string>
#include <string_view>

#include "api/object.h"
#include "api/value/time.h"
#include "base/result.h"
#include "client/client.h"

namespace dray::scheduler::inline reports {

/// The condition PodGroupInitiallyScheduled.
struct GroupCondition {
  bool is_scheduled = false;
  std::string reason, message;
};
/// Writes the condition, unless the group shows it already or it has been True before. Returns the
/// group as stored. Errors: those of the API.
Result<api::Object> ReportGroup(client::Client& client,
                                const api::Object& group,
                                const GroupCondition& condition,
                                api::Time now);

/// Removes the group from the consumers of the claim; the allocation stays. Errors: those of the
/// API.
Result<api::Object> UnreserveForGroup(client::Client& client,
                                      const api::Object& claim,
                                      std::string_view group_uid);

}  // namespace dray::scheduler::inline reports
