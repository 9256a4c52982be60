// SPDX-License-Identifier: Apache-2.0
// What dray lint is asked: which objects, in which cluster.
#pragma once

#include <cstdint>
#include <span>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "cel/selector_cache.h"
#include "dray/features.h"
#include "planning/objects/cluster_release.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline lint {

struct LintObject {
  api::Object object;            // as it is stored
  const api::KindInfo* written;  // the version in which it was given
};

/// Whether what the input lacks is missing.
enum class LintReach : uint8_t {
  kFiles,    // manifests alone: the rest may be elsewhere
  kCluster,  // a whole cluster
};

struct LintQuestion {
  std::span<const LintObject> objects;  // to be looked at
  // The cluster, with these objects and the taints of rules. Without slices, or classes, what needs
  // them is left out.
  const OfflineObjects& cluster;
  LintReach templates = LintReach::kCluster;  // whether all templates are known
  LintReach claims = LintReach::kCluster;
  allocator::Features features = {};
  api::FeatureGates gates = {};
  cel::SelectorCache& selectors;
  ClusterRelease release = {};  // whose defects are looked for; unknown: none
};

}  // namespace dray::planning::inline lint
