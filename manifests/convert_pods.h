// SPDX-License-Identifier: Apache-2.0
// What is not of resource.k8s.io and changes with it: how pods name their claims, also those in
// workloads, and what quotas count. Everything else in the objects stays the text it is.
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

/// To what the kinds around resource.k8s.io are converted.
struct AroundTarget {
  ClaimForm form = ClaimForm::kFlat;
  std::string version;  // of resource.k8s.io: what quotas may count
};

/// A change of one of these objects. Paths are fields of the object.
struct AroundChange {
  struct Loss {
    std::string path;
    std::string text;
  };
  std::string object;             // JSON
  std::vector<Loss> losses = {};  // what has no counterpart and is gone from `object`
};

/// Whether the kind is one of these: Pod, PodTemplate, ReplicationController, ResourceQuota, the
/// workloads of apps and batch.
bool IsAround(const api::TypeMeta& meta);

/// `json`, an object of such a kind, for the target; nothing where it stays as it is. O(json).
std::optional<AroundChange> ConvertAround(const api::TypeMeta& meta,
                                          std::string_view json,
                                          const AroundTarget& target);

}  // namespace dray::manifests
