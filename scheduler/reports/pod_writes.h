// SPDX-License-Identifier: Apache-2.0
// The scheduler's writes to pods that it does not bind, and evictions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/core_v1/pod_status.h"
#include "api/object.h"
#include "api/value/time.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"
#include "client/write_rounds.h"

namespace dray::scheduler::inline reports {

/// Why a pod is not on a node.
struct WhyNotScheduled {
  std::string reason, message;
  /// The node to nominate; empty: clears the nomination; absent: leaves it as it is.
  std::optional<std::string> nomination;
};

/// Writes the condition PodScheduled with the nomination. `known`: the pod as last seen. Writes
/// nothing if the pod shows both already, is bound, or is not the pod with `uid`. Returns the pod
/// as stored. Errors: those of the API.
Result<api::Object> ReportNotScheduled(client::Client& client,
                                       const api::Object& known,
                                       std::string_view uid,
                                       const WhyNotScheduled& why,
                                       api::Time now);
/// The same for the pod `known`, in rounds.
Task<api::Object> ReportNotScheduled(client::WriteRounds* rounds,
                                     api::Object known,
                                     WhyNotScheduled why,
                                     api::Time now);

/// The pod or group that evictions make room for.
struct Preemptor {
  std::string_view type;  // "pod", "podgroup"
  std::string uid;
  std::string scheduler;  // the scheduler that evicts
};

/// Stores the reason for the eviction in the pod, then deletes it. Succeeds if the pod is gone or
/// being deleted. Errors: those of the API.
Result<> EvictPod(client::Client& client,
                  const api::Object& pod,
                  const Preemptor& preemptor,
                  api::Time now);

}  // namespace dray::scheduler::inline reports
