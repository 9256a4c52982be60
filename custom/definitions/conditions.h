// SPDX-License-Identifier: Apache-2.0
// Conditions of definitions: reading and setting them.
#pragma once

#include <string_view>

#include "api/apiextensions_v1.h"
#include "base/world.h"

namespace dray::custom::definitions {

inline constexpr std::string_view kNamesAccepted = "NamesAccepted";
inline constexpr std::string_view kEstablished = "Established";
inline constexpr std::string_view kApprovalConformant = "KubernetesAPIApprovalPolicyConformant";
inline constexpr std::string_view kNonStructuralSchema = "NonStructuralSchema";
inline constexpr std::string_view kTerminating = "Terminating";

using Condition = api::apiextensions_v1::CustomResourceDefinitionCondition;

/// The condition of this type; null if there is none.
const Condition* FindCondition(const api::apiextensions_v1::CustomResourceDefinition& definition,
                               std::string_view type);

/// Whether the condition is there and its status "True".
bool IsConditionTrue(const api::apiextensions_v1::CustomResourceDefinition& definition,
                     std::string_view type);

/// Sets status, reason and message of the condition of `condition.type`, at its place or at the
/// end. Its time becomes `now` when its status changes, or when it has none.
void SetCondition(Condition condition,
                  WallTime now,
                  api::apiextensions_v1::CustomResourceDefinition& definition);

/// Removes the condition; whether there was one.
bool RemoveCondition(std::string_view type,
                     api::apiextensions_v1::CustomResourceDefinition& definition);

/// Whether both say the same, whenever they said it first.
bool AreAlike(const Condition& a, const Condition& b);

}  // namespace dray::custom::definitions
