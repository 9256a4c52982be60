// SPDX-License-Identifier: Apache-2.0
// Groups that belong to the Kubernetes community: a definition in one must say where it was
// approved, in an annotation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"

namespace dray::custom::definitions {

inline constexpr std::string_view kApprovalAnnotation = "api-approved.kubernetes.io";

enum class ApprovalState : uint8_t { kInvalid, kApproved, kBypassed, kMissing };

struct Approval {
  ApprovalState state;
  std::string text;  // of errors and conditions
};

/// k8s.io, kubernetes.io, and what ends in them.
bool IsProtectedGroup(std::string_view group);

/// What the annotation says. A URL approves; a text that begins with "unapproved" goes without.
Approval ReadApproval(const api::apiextensions_v1::CustomResourceDefinition& definition);

/// Checks the annotation of `next`, which replaces `old` (null: it is new). What was wrong before
/// in the same way may stay so.
void CheckApproval(const api::apiextensions_v1::CustomResourceDefinition& next,
                   const api::apiextensions_v1::CustomResourceDefinition* old,
                   api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
