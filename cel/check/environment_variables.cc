// SPDX-License-Identifier: Apache-2.0
#include "cel/check/environment_variables.h"

namespace dray::cel::check {
namespace {

constexpr EnvironmentVariable kDevice[] = {{"device", kDeviceType}};

constexpr EnvironmentVariable kNamedResources[] = {
    {"attributes.bool", "map(string, bool)"},
    {"attributes.int", "map(string, int)"},
    {"attributes.intslice", "map(string, list(int))"},
    {"attributes.quantity", "map(string, kubernetes.Quantity)"},
    {"attributes.string", "map(string, string)"},
    {"attributes.stringslice", "map(string, list(string))"},
    {"attributes.version", "map(string, kubernetes.Semver)"},
};

}  // namespace

std::span<const EnvironmentVariable> EnvironmentVariables(const Environment& environment) {
  switch (environment.purpose) {
    case Purpose::kSelector:
    case Purpose::kDerivedAttribute:
    case Purpose::kFree: break;
    case Purpose::kNamedResources: return kNamedResources;
    case Purpose::kAdmission: return {};
  }
  return kDevice;
}

std::optional<std::string_view> EnvironmentFieldType(std::string_view object,
                                                     std::string_view field,
                                                     const Environment& environment) {
  if (object != kDeviceType) return std::nullopt;
  if (field == "driver") return "string";
  if (field == "capacity") return "map(string, map(string, kubernetes.Quantity))";
  if (field == "attributes") {
    if (environment.has_list_attributes()) return "map(string, map(string, dyn))";
    return "map(string, map(string, google.protobuf.Any))";
  }
  if (field == "allowMultipleAllocations" && environment.has_multiple_allocations()) return "bool";
  return std::nullopt;
}

}  // namespace dray::cel::check
