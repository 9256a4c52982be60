// SPDX-License-Identifier: Apache-2.0
// Resolves the claims that a pod uses, and checks that all exist.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/object.h"

namespace dray::scheduler::inline cycle {

/// The pod cannot be scheduled yet. The reason is in upstream's words and never shown to users.
struct Gated {
  std::string message;
};

/// The claims of `pod` in the order of its entries, each once even when two entries name it.
///
/// A named claim must exist and not be deleted; a generated one must be recorded in the status of
/// the pod and be controlled by it, or by its group (KEP-4381, KEP-5729). Entries whose status says
/// that no claim is needed are left out.
std::variant<std::vector<api::Object>, Gated> ResolveClaims(const api::core_v1::Pod& pod,
                                                            const api::claims::Lookup& find);

}  // namespace dray::scheduler::inline cycle
