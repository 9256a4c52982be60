// SPDX-License-Identifier: Apache-2.0
// The priority of new pods and pod groups, as upstream's admission plug-in Priority decides it.
#pragma once

#include <cstdint>
#include <string>

#include "api/object.h"
#include "base/result.h"

namespace dray::server::registry {

/// What the PriorityClass of a pod says; the default is that of pods without any.
struct PodPriority {
  std::string class_name = {};
  int32_t value = 0;
  std::string preemption_policy = "PreemptLowerPriority";
};

/// Gives `pod`, which is new, its class, priority and preemption policy; or a new pod group its
/// class and priority.
///
/// Errors: kForbidden  the pod brings a priority or policy that is not that of its class.
Result<> AdmitPriority(const PodPriority& priority, api::Object& pod);

}  // namespace dray::server::registry
