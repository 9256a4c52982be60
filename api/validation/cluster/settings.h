// SPDX-License-Identifier: Apache-2.0
// Rules for ConfigMaps, Secrets, priority classes and roles. `old` is null for new objects.
#pragma once

#include <cstddef>
#include <vector>

#include "api/core_v1/config_map.h"
#include "api/core_v1/secret.h"
#include "api/rbac_v1.h"
#include "api/scheduling_v1.h"
#include "api/validation/field_error.h"

namespace dray::api::validation::inline cluster {

/// Most bytes of all values of a ConfigMap or Secret together.
inline constexpr size_t kSettingsBytesMax = size_t{1} << 20;
/// The highest priority of classes that are not the system's.
inline constexpr int32_t kUserPriorityMax = 1'000'000'000;

/// Keys are file names, and occur in only one of the maps; the data of an immutable one cannot
/// change.
std::vector<ErrorCause> ValidateConfigMap(const core_v1::ConfigMap& map,
                                          const core_v1::ConfigMap* old);
/// The same, and the keys that the type of the secret requires. The type is immutable.
std::vector<ErrorCause> ValidateSecret(const core_v1::Secret& secret, const core_v1::Secret* old);
/// The value and the policy of a class are immutable.
std::vector<ErrorCause> ValidatePriorityClass(const scheduling_v1::PriorityClass& priority_class,
                                              const scheduling_v1::PriorityClass* old);

std::vector<ErrorCause> ValidateRole(const rbac_v1::Role& role);
std::vector<ErrorCause> ValidateClusterRole(const rbac_v1::ClusterRole& role);
/// The role of a binding is immutable.
std::vector<ErrorCause> ValidateRoleBinding(const rbac_v1::RoleBinding& binding,
                                            const rbac_v1::RoleBinding* old);
std::vector<ErrorCause> ValidateClusterRoleBinding(const rbac_v1::ClusterRoleBinding& binding,
                                                   const rbac_v1::ClusterRoleBinding* old);

}  // namespace dray::api::validation::inline cluster
