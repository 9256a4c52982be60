// SPDX-License-Identifier: Apache-2.0
// The question to dray lint: which objects, in which cluster.
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
  api::Object object;            // in its stored form
  const api::KindInfo* written;  // the version of the input
};

/// Whether objects that the input lacks count as missing.
enum class LintReach : uint8_t {
  kFiles,    // manifests alone: other objects may exist elsewhere
  kCluster,  // a whole cluster
};

struct LintQuestion {
  std::span<const LintObject> objects;  // to check
  // The cluster, with these objects and the taints of rules. Checks that need slices, or classes,
  // are skipped without them.
  const OfflineObjects& cluster;
  LintReach templates = LintReach::kCluster;  // whether all templates are known
  LintReach claims = LintReach::kCluster;
  allocator::Features features = {};
  api::FeatureGates gates = {};
  cel::SelectorCache& selectors;
  ClusterRelease release = {};  // its known defects are checked; unknown: none
};

}  // namespace dray::planning::inline lint
