// SPDX-License-Identifier: Apache-2.0
// Which claims a pod uses, and whether they are all there.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"

namespace dray::scheduler {

/// The claim "namespace/name", or null.
using ClaimLookup = std::function<const api::Object*(std::string_view key)>;

/// The pod cannot be scheduled yet, in upstream's words; never shown to users.
struct Gated {
  std::string message;
};

/// The claims of `pod` in the order of its entries, each once even when two entries name it.
///
/// A named claim must exist and not be deleted; a generated one must be recorded in the status of
/// the pod and be controlled by it (KEP-4381). Entries whose status says that no claim is needed
/// are left out.
std::variant<std::vector<api::Object>, Gated> ResolveClaims(const api::core_v1::Pod& pod,
                                                            const ClaimLookup& find);

/// "namespace/name" of every claim the pod names, whether it exists or not: what may end its wait.
std::vector<std::string> ClaimKeys(const api::core_v1::Pod& pod);

/// Whether `claim` lists the pod with this uid among its consumers.
bool IsReservedFor(const api::resource_v1::ResourceClaim& claim, std::string_view pod_uid);

}  // namespace dray::scheduler
