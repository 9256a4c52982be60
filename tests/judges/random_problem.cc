// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_problem.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"
#include "tests/judges/chance.h"
#include "tests/judges/near_limit.h"
#include "tests/judges/random_claims.h"
#include "tests/judges/random_cluster.h"
#include "tests/judges/random_mistakes.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;

template <class T>
std::vector<Frozen<T>> Freeze(std::vector<T> objects) {
  std::vector<Frozen<T>> frozen;
  for (T& object : objects) frozen.push_back(std::make_shared<const T>(std::move(object)));
  return frozen;
}

/// Nearly always enables the features that the problem uses. Other features are random, so that
/// every implementation of upstream's is picked at times.
allocator::Features RandomFeatures(const Family& family, const Cluster& cluster, Chance& chance) {
  const auto on = [&](bool is_used, int otherwise) {
    return chance.Percent(is_used ? 97 : otherwise);
  };
  const Traits& traits = cluster.traits;
  allocator::Features features;
  features.admin_access = on(family.admin > 0, 80);
  features.prioritized_list = on(family.alternatives > 0, 80);
  features.device_taints = on(family.taints > 0, 80);
  features.partitionable_devices = on(traits.counters || traits.shared_pools, 80);
  features.device_binding_and_status = on(traits.binding, 50);
  features.consumable_capacity = on(traits.shares || family.distinct > 5, 50);
  features.fractional_capacity_range = features.consumable_capacity && chance.Percent(70);
  features.list_type_attributes = chance.Percent(traits.lists ? 75 : 15);
  features.derived_attributes = on(family.derived > 0, 10);
  features.compatibility_groups = on(traits.groups, 10);
  features.optional_node_operations = on(family.skip > 0, 10);
  return features;
}

/// Disables the features that the implementation lacks, and enables one that no earlier one has.
void Choose(allocator::Implementation implementation, allocator::Features& features) {
  if (implementation == allocator::Implementation::kExperimental) {
    features.compatibility_groups = true;
    return;
  }
  features.list_type_attributes = false;
  features.derived_attributes = false;
  features.compatibility_groups = false;
  features.optional_node_operations = false;
  const bool is_incubating = implementation == allocator::Implementation::kIncubating;
  features.device_binding_and_status = is_incubating;
  features.consumable_capacity = features.consumable_capacity && is_incubating;
  features.fractional_capacity_range = features.fractional_capacity_range && is_incubating;
}

}  // namespace

Problem RandomProblem(uint64_t seed, const ProblemOptions& options) {
  Chance chance(seed);
  const Family& family = options.family != nullptr ? *options.family : chance.Pick(Families());
  Problem problem{.id = fmt::format("{}/{}", family.name, seed)};
  Cluster cluster;
  std::vector<v1::ResourceClaim> claims;
  switch (family.layout) {
    case Layout::kVaried:
      cluster = RandomCluster(family, options, chance);
      claims = RandomClaims(family, options, cluster, chance);
      break;
    case Layout::kSymmetric: claims = MakeSymmetric(family, options, cluster, chance); break;
    case Layout::kTight: claims = MakeTight(family, options, cluster, chance); break;
  }
  problem.features = RandomFeatures(family, cluster, chance);
  if (options.implementation.has_value()) Choose(*options.implementation, problem.features);
  if (chance.Percent(options.cel_errors_percent)) MakeSelectorFail(cluster, claims, chance);
  if (chance.Percent(options.mistakes_percent))
    MakeMistake(cluster, claims, problem.features, chance);
  problem.nodes = std::move(cluster.nodes);
  problem.classes = Freeze(std::move(cluster.classes));
  problem.slices = Freeze(std::move(cluster.slices));
  problem.claims = Freeze(std::move(claims));
  problem.allocated = std::move(cluster.allocated);
  return problem;
}

}  // namespace dray::judges
