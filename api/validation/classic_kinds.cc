// SPDX-License-Identifier: Apache-2.0
#include "api/validation/classic_kinds.h"

#include <array>

#include "api/resource_v1alpha2.h"
#include "api/validation/classic.h"

namespace dray::api::validation {
namespace {

namespace classic = resource_v1alpha2;
using Causes = std::vector<Cause>;

constexpr Rules kClaim = {
    .type = &TypeOf<classic::ResourceClaim>,
    .create =
        [](const Object& object, const Options&) {
          return ValidateClassicClaim(object.As<classic::ResourceClaim>());
        },
    .update =
        [](const Object& object, const Object& old, const Options&) {
          return ValidateClassicClaimUpdate(object.As<classic::ResourceClaim>(),
                                            old.As<classic::ResourceClaim>());
        },
    .status =
        [](const Object& object, const Object& old, const Options& options) {
          return ValidateClassicClaimStatusUpdate(
              object.As<classic::ResourceClaim>(), old.As<classic::ResourceClaim>(), options);
        }};

constexpr Rules kClaimTemplate = {
    .type = &TypeOf<classic::ResourceClaimTemplate>,
    .create =
        [](const Object& object, const Options&) {
          return ValidateClassicClaimTemplate(object.As<classic::ResourceClaimTemplate>());
        },
    .update =
        [](const Object& object, const Object& old, const Options&) {
          return ValidateClassicClaimTemplateUpdate(object.As<classic::ResourceClaimTemplate>(),
                                                    old.As<classic::ResourceClaimTemplate>());
        }};

// Kinds whose rules do not look at the object before.
template <class T, Causes (*kValidate)(const T&)>
constexpr Rules kMutable = {
    .type = &TypeOf<T>,
    .create = [](const Object& object, const Options&) { return kValidate(object.As<T>()); },
    .update = [](const Object& object,
                 const Object&,
                 const Options&) { return kValidate(object.As<T>()); }};

constexpr Rules kSlice = {.type = &TypeOf<classic::ResourceSlice>,
                          .create =
                              [](const Object& object, const Options&) {
                                return ValidateClassicSlice(object.As<classic::ResourceSlice>(),
                                                            nullptr);
                              },
                          .update =
                              [](const Object& object, const Object& old, const Options&) {
                                return ValidateClassicSlice(object.As<classic::ResourceSlice>(),
                                                            &old.As<classic::ResourceSlice>());
                              }};

constexpr Rules kSchedulingContext = {
    .type = &TypeOf<classic::PodSchedulingContext>,
    .create =
        [](const Object& object, const Options& options) {
          return ValidateSchedulingContext(object.As<classic::PodSchedulingContext>(), options);
        },
    .update =
        [](const Object& object, const Object&, const Options& options) {
          return ValidateSchedulingContext(object.As<classic::PodSchedulingContext>(), options);
        },
    .status =
        [](const Object& object, const Object&, const Options& options) {
          return ValidateSchedulingContextStatus(object.As<classic::PodSchedulingContext>(),
                                                 options);
        }};

constexpr std::array<const Rules*, 7> kClassicRules = {
    &kClaim,
    &kClaimTemplate,
    &kMutable<classic::ResourceClass, ValidateResourceClass>,
    &kMutable<classic::ResourceClaimParameters, ValidateClaimParameters>,
    &kMutable<classic::ResourceClassParameters, ValidateClassParameters>,
    &kSlice,
    &kSchedulingContext};

}  // namespace

std::span<const Rules* const> ClassicRules() {
  return kClassicRules;
}

}  // namespace dray::api::validation
