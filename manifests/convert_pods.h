// SPDX-License-Identifier: Apache-2.0
// Converts objects of other groups that depend on the version of resource.k8s.io: how pods, also
// those in workloads, name their claims, and what quotas count. The rest of the objects keeps its
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"

namespace dray::manifests {

/// How an entry of a pod's resourceClaims names its claim.
enum class ClaimForm : uint8_t {
  kSource,  // source.resourceClaimName, up to 1.30
  kFlat,    // resourceClaimName, since 1.31
};

/// The target of the conversion of these kinds.
struct AroundTarget {
  ClaimForm form = ClaimForm::kFlat;
  std::string version;  // of resource.k8s.io: what quotas may count
};

/// A changed object. Paths are fields of the object.
struct AroundChange {
  struct Loss {
    std::string path;
    std::string text;
  };
  std::string object;             // JSON
  std::vector<Loss> losses = {};  // parts of the source without a counterpart
};

/// Whether the kind is one of these: Pod, PodTemplate, ReplicationController, ResourceQuota, the
/// workloads of apps and batch.
bool IsAround(const api::TypeMeta& meta);

/// `json`, an object of such a kind, for the target; absent: it does not change. O(json).
std::optional<AroundChange> ConvertAround(const api::TypeMeta& meta,
                                          std::string_view json,
                                          const AroundTarget& target);

}  // namespace dray::manifests
