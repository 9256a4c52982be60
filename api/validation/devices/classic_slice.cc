// SPDX-License-Identifier: Apache-2.0
// ResourceSlices of v1alpha2: the instances of one driver on one node.
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/validation/devices/classic.h"
#include "api/validation/field_error.h"
#include "api/validation/value_rules.h"
#include "api/value/semver.h"

namespace dray::api::validation::inline devices {
namespace {

namespace classic = resource_v1alpha2;

// How upstream writes the path of the object itself.
constexpr std::string_view kObject = "<nil>";

// The members that are set, by name.
std::vector<std::string> MembersOf(const classic::NamedResourcesAttributeValue& value) {
  std::vector<std::string> members;
  if (value.bool_.has_value()) members.push_back(Shown("bool"));
  if (value.int_.has_value()) members.push_back(Shown("int"));
  if (value.int_slice.has_value()) members.push_back(Shown("intSlice"));
  if (value.quantity.has_value()) members.push_back(Shown("quantity"));
  if (value.string.has_value()) members.push_back(Shown("string"));
  if (value.string_slice.has_value()) members.push_back(Shown("stringSlice"));
  if (value.version.has_value()) members.push_back(Shown("version"));
  return members;
}

void CheckValue(const classic::NamedResourcesAttributeValue& value,
                const Path& path,
                FieldErrors& errors) {
  if (value.version.has_value() && !IsSemver(*value.version)) {
    errors.Invalid(path.Child("version"),
                   Shown(*value.version),
                   "must be a string compatible with semver.org spec 2.0.0");
  }
  const std::vector<std::string> members = MembersOf(value);
  if (members.empty()) {
    errors.Required(path, "exactly one value must be set");
  } else if (members.size() > 1) {
    errors.Invalid(path,
                   fmt::format("[]string{{{}}}", fmt::join(members, ", ")),
                   "exactly one field must be set, not several");
  }
}

// Instances and attributes have names that are DNS subdomains, each once in its list.
class NamesSeen {
 public:
  void Check(std::string_view name, const Path& entry, FieldErrors& errors) {
    const Path path = entry.Child("name");
    CheckSubdomainShaped(name, path, errors);
    if (!seen_.insert(name).second) errors.Duplicate(path, Shown(name));
  }

 private:
  std::set<std::string_view> seen_;
};

void CheckInstances(const std::vector<classic::NamedResourcesInstance>& instances,
                    const Path& path,
                    FieldErrors& errors) {
  NamesSeen instance_names;
  for (size_t i = 0; i < instances.size(); ++i) {
    const Path at = path.Index(i);
    instance_names.Check(instances[i].name, at, errors);
    const Path attributes = at.Child("attributes");
    NamesSeen attribute_names;
    for (size_t j = 0; j < instances[i].attributes.size(); ++j) {
      const classic::NamedResourcesAttribute& attribute = instances[i].attributes[j];
      const Path attribute_path = attributes.Index(j);
      attribute_names.Check(attribute.name, attribute_path, errors);
      CheckValue(attribute.attribute_value, attribute_path, errors);
    }
  }
}

void CheckImmutable(std::string_view value,
                    std::string_view old,
                    const Path& path,
                    FieldErrors& errors) {
  if (value != old) errors.Invalid(path, Shown(value), kImmutable);
}

}  // namespace

std::vector<ErrorCause> ValidateClassicSlice(const classic::ResourceSlice& slice,
                                             const classic::ResourceSlice* old) {
  FieldErrors errors(Release::k1_30);
  const Path node("nodeName");
  const Path driver("driverName");
  if (!slice.node_name.empty()) CheckSubdomainShaped(slice.node_name, node, errors);
  CheckDriver(slice.driver_name, driver, errors);
  const auto& named = slice.resource_model.named_resources;
  if (named.has_value()) {
    CheckInstances(named->instances, Path("namedResources.instances"), errors);
  }
  CheckModel(named.has_value(), Path(kObject), errors);
  if (old != nullptr) {
    CheckImmutable(slice.node_name, old->node_name, node, errors);
    CheckImmutable(slice.driver_name, old->driver_name, driver, errors);
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline devices
