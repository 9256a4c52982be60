// SPDX-License-Identifier: Apache-2.0
// PodSchedulingContexts: how scheduler and drivers agreed on a node up to 1.31.
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/validation/devices/classic.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace classic = resource_v1alpha2;

FieldErrors ErrorsOf(const Options& options) {
  return FieldErrors(options.profile.release == Release::k1_31 ? Release::k1_31 : Release::k1_30);
}

// Names of nodes, each once. 1.30 checks every item once and reports duplicates separately from
// invalid names; 1.31 checks for duplicates after everything else.
void CheckNodes(const std::vector<std::string>& nodes, const Path& path, FieldErrors& errors) {
  const bool is_one_pass = !errors.Since(31);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (is_one_pass && !seen.insert(nodes[i]).second) {
      errors.Duplicate(path.Index(i), Shown(nodes[i]));
    } else {
      CheckSubdomainShaped(nodes[i], path.Index(i), errors);
    }
  }
  if (nodes.size() > kSchedulingNodesMax) errors.TooMany(path, nodes.size(), kSchedulingNodesMax);
  if (!is_one_pass) CheckDistinctStrings(nodes, path, errors);
}

}  // namespace

std::vector<ErrorCause> ValidateSchedulingContext(const classic::PodSchedulingContext& context,
                                                  const Options& options) {
  FieldErrors errors = ErrorsOf(options);
  CheckNodes(context.spec.potential_nodes, Path("spec.potentialNodes"), errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateSchedulingContextStatus(
    const classic::PodSchedulingContext& context, const Options& options) {
  FieldErrors errors = ErrorsOf(options);
  // Upstream's name for what is called resourceClaims everywhere else.
  const Path claims("status.claims");
  std::set<std::string_view> names;
  for (size_t i = 0; i < context.status.resource_claims.size(); ++i) {
    const classic::ResourceClaimSchedulingStatus& claim = context.status.resource_claims[i];
    const Path at = claims.Index(i);
    CheckNodes(claim.unsuitable_nodes, at.Child("unsuitableNodes"), errors);
    if (!names.insert(claim.name).second) errors.Duplicate(at, Shown(claim.name));
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline devices
