// SPDX-License-Identifier: Apache-2.0
// Claims that a scheduler makes for the extended resources of a pod (KEP-5004), shared by
// scheduler, controllers and quotas.
#pragma once

#include <string>
#include <string_view>

#include "api/meta_v1/object_meta.h"

namespace dray::api::claims {

/// Prefix of the default name of the resource of each class.
inline constexpr std::string_view kClassResourcePrefix = "deviceclass.resource.kubernetes.io/";
/// Annotation of such a claim; its value is "true".
inline constexpr const char* kExtendedClaimAnnotation =
    "resource.kubernetes.io/extended-resource-claim";

/// A pod, in the namespace of the claim; empty: none.
struct ExtendedOwner {
  std::string name;
  std::string uid;
};

/// The pod that the claim was made for, if it is for extended resources.
ExtendedOwner PodOfExtendedClaim(const meta_v1::ObjectMeta& claim);

}  // namespace dray::api::claims
