// SPDX-License-Identifier: Apache-2.0
// Upstream's rules for Namespaces; those for metadata are common to all kinds.
#pragma once

#include <vector>

#include "api/core_v1/namespace.h"
#include "api/validation/field_error.h"

namespace dray::api::validation::inline cluster {

/// Finalizers in the spec must have a domain or be one of the few that need none.
std::vector<ErrorCause> ValidateNamespace(const core_v1::Namespace& space, const Profile& profile);
/// The phase must be Active, or Terminating once the namespace is being deleted.
std::vector<ErrorCause> ValidateNamespaceStatus(const core_v1::Namespace& space,
                                                const Profile& profile);
/// As ValidateNamespace, for the subresource that changes finalizers; causes name the element.
std::vector<ErrorCause> ValidateNamespaceFinalize(const core_v1::Namespace& space,
                                                  const Profile& profile);

}  // namespace dray::api::validation::inline cluster
