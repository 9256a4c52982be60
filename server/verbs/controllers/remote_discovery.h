// SPDX-License-Identifier: Apache-2.0
// What another server says it serves, as clients of aggregated discovery read it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::server::verbs::inline controllers {

/// A longer answer of another server is not read: some 4000 resources.
inline constexpr size_t kDiscoveryBytesMax = size_t{1} << 20;

/// The resources of `list`, an APIResourceList, as the list `resources` of a version in
/// apidiscovery.k8s.io/v2. A member that is not of its type counts as absent. O(n log n).
///
/// Errors: kBadRequest  no JSON, or no list of resources; past kDiscoveryBytesMax; a subresource
///                      that is namespaced while its resource is not, or the other way round.
Result<std::string> AggregatedResources(std::string_view list);

}  // namespace dray::server::verbs::inline controllers
