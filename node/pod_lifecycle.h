// SPDX-License-Identifier: Apache-2.0
// What a simulated node does with a pod that is bound to it.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/value/time.h"

namespace dray::node {

/// Whole seconds a pod with this annotation runs until it succeeds; others run until deleted.
inline constexpr const char* kRunSecondsAnnotation = "dray.dev/run-seconds";
/// Longest run time that is honoured: ten years.
inline constexpr int64_t kRunSecondsMax = 10LL * 365 * 24 * 3600;

struct WriteStatus {
  api::core_v1::PodStatus status;
};
/// The containers are gone: the object may go too.
struct Remove {};
struct RequeueAt {
  api::Time time;
};
/// The pod cannot start; a change of its claims brings it back here.
struct CannotStart {
  std::string why;
};
struct Nothing {};
using PodAction = std::variant<Nothing, WriteStatus, Remove, RequeueAt, CannotStart>;

struct NodeFacts {
  std::string pod_ip, host_ip;
  api::Time now;
};

/// The next thing to do for a bound pod. It starts only when every claim is allocated and reserved
/// for it (KEP-4381); then all its containers run at once.
PodAction NextAction(const api::core_v1::Pod& pod,
                     const api::claims::Lookup& find,
                     const NodeFacts& facts);

}  // namespace dray::node
