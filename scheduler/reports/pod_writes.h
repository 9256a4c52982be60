// SPDX-License-Identifier: Apache-2.0
// What the scheduler says in the status of pods that it does not bind, and how it makes pods go.
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
  /// The node to nominate, empty for none any more; nothing leaves that as it is.
  std::optional<std::string> nomination;
};

/// Writes the condition PodScheduled, and the nomination with it. `known` is what is written on;
/// nothing is written when it says so already, or when the pod is bound, or another one than that
/// with `uid`. Returns the pod as it is stored. Errors: those of the API.
Result<api::Object> TellWhyNotScheduled(client::Client& client,
                                        const api::Object& known,
                                        std::string_view uid,
                                        const WhyNotScheduled& why,
                                        api::Time now);
/// The same for the pod `known`, in rounds.
Task<api::Object> TellWhyNotScheduled(client::WriteRounds* rounds,
                                      api::Object known,
                                      WhyNotScheduled why,
                                      api::Time now);

/// For whom room is made.
struct Preemptor {
  std::string_view type;  // "pod", "podgroup"
  std::string uid;
  std::string scheduler;  // who makes it
};

/// Stores why the pod must go, then deletes it. One that is gone, or going, is fine. Errors: those
/// of the API.
Result<> EvictPod(client::Client& client,
                  const api::Object& pod,
                  const Preemptor& preemptor,
                  api::Time now);

}  // namespace dray::scheduler::inline reports
