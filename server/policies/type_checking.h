// SPDX-License-Identifier: Apache-2.0
// Whether the expressions of a policy fit the types of the kinds that its rules name. After
// apiserver's policy/validating/typechecking.go.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/admissionregistration_v1/policy.h"
#include "api/kind.h"
#include "api/release.h"
#include "custom/rules/shape.h"

namespace dray::server::policies {

/// Kinds of one rule that are looked at.
inline constexpr size_t kTypesToCheckMax = 10;

/// The shape of the objects of a kind, with kind and apiVersion; null: unknown.
using ShapeSource =
    std::function<std::unique_ptr<const custom::rules::Shape>(const api::KindInfo& kind)>;

/// A warning for each validation and messageExpression that does not compile when `object`,
/// `oldObject` and `params` have the types of their kinds. Rules with wildcards and subresources
/// are passed over. O(kinds × (their schemas + length of all expressions)).
std::vector<api::admissionregistration_v1::ExpressionWarning> CheckTypes(
    const api::admissionregistration_v1::ValidatingAdmissionPolicy& policy,
    const api::Scheme& scheme,
    const ShapeSource& shapes,
    api::Release release);

}  // namespace dray::server::policies
