// SPDX-License-Identifier: Apache-2.0
#include "manifests/places.h"

#include <array>
#include <vector>

#include <fmt/format.h>

namespace dray::manifests {
namespace {

/// A name that differs between errors and documents: after `behind`, `in_error` may be
/// `in_document`.
struct Renaming {
  std::string_view behind;
  std::string_view in_error;
  std::string_view in_document;
};
constexpr std::array kRenamings = {
    Renaming{"spec.devices.requests[", "].exactly.", "]."},    // v1alpha3, v1beta1
    Renaming{"spec.devices.requests[", "].", "].exactly."},    // admin access, in all versions
    Renaming{"spec.devices[", "].", "].basic."},               // v1alpha3, v1beta1
    Renaming{"", "status.claims[", "status.resourceClaims["},  // PodSchedulingContext
    Renaming{"", "suitableNodes", "spec.suitableNodes"},       // DeviceClass of 1.31
};

/// `path` with one name replaced; empty if it does not have the name.
std::string Renamed(std::string_view path, const Renaming& renaming) {
  const size_t start = path.find(renaming.behind);
  if (start == std::string_view::npos) return {};
  const size_t at = path.find(renaming.in_error, start + renaming.behind.size());
  if (at == std::string_view::npos) return {};
  return fmt::format("{}{}{}",
                     path.substr(0, at),
                     renaming.in_document,
                     path.substr(at + renaming.in_error.size()));
}

}  // namespace

size_t DocumentPlaces::LineOf(std::string_view field) const {
  std::vector<std::string> names = {std::string(field)};
  if (field.starts_with("spec.devices.")) names.push_back(fmt::format("spec.{}", field));
  // Each renaming applies to all names found so far, so they combine.
  for (const Renaming& renaming : kRenamings) {
    for (size_t i = 0, size = names.size(); i < size; ++i) {
      std::string renamed = Renamed(names[i], renaming);
      if (!renamed.empty()) names.push_back(std::move(renamed));
    }
  }
  // Take the name of which the longest part exists; of equal ones the one in errors.
  size_t line = 0;
  size_t missing = std::string::npos;
  for (const std::string& name : names) {
    const std::string path = object_.empty() ? name
                             : name.empty()  ? object_
                                             : fmt::format("{}.{}", object_, name);
    const api::YamlLines::Place place = lines_.Find(path);
    if (path.size() - place.matched < missing) {
      missing = path.size() - place.matched;
      line = place.line;
    }
  }
  return line;
}

}  // namespace dray::manifests
