// SPDX-License-Identifier: Apache-2.0
// Rules of the classic generation (KEP-3063 and the first structured parameters of KEP-4381), as
// 1.30 has them: v1alpha1, v1alpha2, and PodSchedulingContext of v1alpha3. ObjectMeta has rules of
// its own, which are not here.
//
// These rules are one pass of hand-written validation: they check the elements of lists even if
// these are too long, and name duplicates by their key. Cost is linear in the object, apart from
// finding repeated names, which is O(n log n).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1alpha2.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "api/validation/options.h"

namespace dray::api::validation::inline devices {

inline constexpr size_t kClassicHandlesMax = 32;
inline constexpr size_t kClassicHandleBytesMax = 16384;
inline constexpr size_t kClassicReservedForMax = 32;
inline constexpr size_t kSchedulingNodesMax = 128;

std::vector<ErrorCause> ValidateClassicClaim(const resource_v1alpha2::ResourceClaim& claim);
std::vector<ErrorCause> ValidateClassicClaimUpdate(const resource_v1alpha2::ResourceClaim& claim,
                                                   const resource_v1alpha2::ResourceClaim& old);
/// `claim` has everything but the status from `old`. Looks at options.version: v1alpha1 has one
/// handle where v1alpha2 has a list.
std::vector<ErrorCause> ValidateClassicClaimStatusUpdate(
    const resource_v1alpha2::ResourceClaim& claim,
    const resource_v1alpha2::ResourceClaim& old,
    const Options& options);

std::vector<ErrorCause> ValidateClassicClaimTemplate(
    const resource_v1alpha2::ResourceClaimTemplate& claim_template);
std::vector<ErrorCause> ValidateClassicClaimTemplateUpdate(
    const resource_v1alpha2::ResourceClaimTemplate& changed,
    const resource_v1alpha2::ResourceClaimTemplate& old);

/// Create and update alike: everything may change.
std::vector<ErrorCause> ValidateResourceClass(
    const resource_v1alpha2::ResourceClass& resource_class);
/// Checks of their selectors only what does not depend on the attributes of 1.30.
std::vector<ErrorCause> ValidateClaimParameters(
    const resource_v1alpha2::ResourceClaimParameters& parameters, const Options& options);
std::vector<ErrorCause> ValidateClassParameters(
    const resource_v1alpha2::ResourceClassParameters& parameters, const Options& options);

/// `old` is null for a new slice.
std::vector<ErrorCause> ValidateClassicSlice(const resource_v1alpha2::ResourceSlice& slice,
                                             const resource_v1alpha2::ResourceSlice* old);

/// Create and update alike.
std::vector<ErrorCause> ValidateSchedulingContext(
    const resource_v1alpha2::PodSchedulingContext& context, const Options& options);
std::vector<ErrorCause> ValidateSchedulingContextStatus(
    const resource_v1alpha2::PodSchedulingContext& context, const Options& options);

// ----------------------------------------------------------- shared by the rules of older releases

/// The requests of a claim's owner and of its driver to release the devices.
struct DeallocationRequest {
  bool was_requested = false;
  bool is_requested = false;
  bool is_reserved = false;
  bool is_allocated = false;
};
/// For the classic generation and 1.31.
void CheckDeallocationRequest(const DeallocationRequest& request,
                              const Path& status,
                              FieldErrors& errors);

/// A reference to parameters, of a claim or a class, has a kind and a name.
template <class Reference>
void CheckParametersReference(const Reference& reference, const Path& path, FieldErrors& errors) {
  if (reference.kind.empty()) errors.Required(path.Child("kind"));
  if (reference.name.empty()) errors.Required(path.Child("name"));
}

/// Exactly one of the models of structured parameters must be set; there is only one so far.
inline void CheckModel(bool has_named_resources, const Path& path, FieldErrors& errors) {
  if (!has_named_resources) errors.Required(path, "exactly one structured model field must be set");
}

}  // namespace dray::api::validation::inline devices
