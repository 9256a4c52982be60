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

// Of some kinds upstream asks the rules of new objects twice when one is replaced, and answers with
// both lists.
Causes Twice(const Causes& causes) {
  Causes all = causes;
  all.insert(all.end(), causes.begin(), causes.end());
  return all;
}

constexpr Rules kClass = {
    .type = &TypeOf<classic::ResourceClass>,
    .create =
        [](const Object& object, const Options&) {
          return ValidateResourceClass(object.As<classic::ResourceClass>());
        },
    .update =
        [](const Object& object, const Object&, const Options&) {
          return Twice(ValidateResourceClass(object.As<classic::ResourceClass>()));
        }};

// Parameters may change in any way.
template <class T, Causes (*kValidate)(const T&, const Options&)>
constexpr Rules kParameters = {
    .type = &TypeOf<T>,
    .create = [](const Object& object,
                 const Options& options) { return kValidate(object.As<T>(), options); },
    .update = [](const Object& object,
                 const Object&,
                 const Options& options) { return kValidate(object.As<T>(), options); }};

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
          return Twice(
              ValidateSchedulingContext(object.As<classic::PodSchedulingContext>(), options));
        },
    .status =
        [](const Object& object, const Object&, const Options& options) {
          return ValidateSchedulingContextStatus(object.As<classic::PodSchedulingContext>(),
                                                 options);
        }};

constexpr std::array<const Rules*, 7> kClassicRules = {
    &kClaim,
    &kClaimTemplate,
    &kClass,
    &kParameters<classic::ResourceClaimParameters, ValidateClaimParameters>,
    &kParameters<classic::ResourceClassParameters, ValidateClassParameters>,
    &kSlice,
    &kSchedulingContext};

}  // namespace

std::span<const Rules* const> ClassicRules() {
  return kClassicRules;
}

}  // namespace dray::api::validation
