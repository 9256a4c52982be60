// SPDX-License-Identifier: Apache-2.0
// Inputs of rules of resource.k8s.io besides the object.
#pragma once

#include "api/core_v1/namespace.h"
#include "api/feature_gates.h"
#include "api/validation/authorizer.h"
#include "api/validation/expression_checker.h"

namespace dray::api::validation {

struct Options {
  /// The release and gates whose rules apply.
  Profile profile = {};
  /// The kind in the version of the request, or null for that of the hub. A few paths are those of
  /// the version.
  const KindInfo* version = nullptr;
  /// Null: CEL expressions are measured but not compiled.
  const ExpressionChecker* expressions = nullptr;
  /// The Namespace of a namespaced object; null when there is none.
  const core_v1::Namespace* namespace_object = nullptr;
  /// The writer and its rights; null: all rights.
  const Caller* caller = nullptr;
};

}  // namespace dray::api::validation
