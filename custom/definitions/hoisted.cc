// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/hoisted.h"

#include <algorithm>

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::CustomResourceDefinitionSpec;
using api::apiextensions_v1::CustomResourceDefinitionVersion;

template <auto kPart>
bool IsSameInAll(const CustomResourceDefinitionSpec& spec) {
  const auto& first = spec.versions.front().*kPart;
  return std::ranges::all_of(
      spec.versions.begin() + 1,
      spec.versions.end(),
      [&](const CustomResourceDefinitionVersion& version) { return version.*kPart == first; });
}

}  // namespace

Hoisted FindHoisted(const CustomResourceDefinitionSpec& spec) {
  if (spec.versions.empty()) return {};
  using Version = CustomResourceDefinitionVersion;
  return {.schema = IsSameInAll<&Version::schema>(spec),
          .subresources = IsSameInAll<&Version::subresources>(spec),
          .columns = IsSameInAll<&Version::additional_printer_columns>(spec),
          .selectable_fields = IsSameInAll<&Version::selectable_fields>(spec)};
}

}  // namespace dray::custom::definitions
