// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

bool HasNoGates(const api::core_v1::Pod& pod) {
  return pod.spec.scheduling_gates.empty();
}

}  // namespace

/// A pod with scheduling gates does not enter the queue.
extern const Plugin kSchedulingGates{.name = "SchedulingGates", .pre_enqueue = HasNoGates};

}  // namespace dray::scheduler::inline plugins
