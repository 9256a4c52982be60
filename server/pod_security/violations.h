// SPDX-License-Identifier: Apache-2.0
// Where a pod does not meet a standard of pod security.
#pragma once

#include <string>
#include <vector>

#include "api/core_v1/pod_spec.h"
#include "api/meta_v1/object_meta.h"
#include "api/release.h"
#include "server/pod_security/checks.h"
#include "server/pod_security/levels.h"

namespace dray::server::pod_security {

/// In upstream's order: what the level baseline forbids first, each by the name of its check. A
/// standard newer than `newest` is taken as that of `newest`. O(size of the pod).
std::vector<Violation> ViolationsOf(const Standard& standard,
                                    api::Release newest,
                                    const api::meta_v1::ObjectMeta& metadata,
                                    const api::core_v1::PodSpec& spec);

/// "host namespaces (hostPID=true), hostPort (…)".
std::string Details(const std::vector<Violation>& violations);
/// "host namespaces, hostPort".
std::string Reasons(const std::vector<Violation>& violations);

}  // namespace dray::server::pod_security
