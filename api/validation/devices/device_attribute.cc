// SPDX-License-Identifier: Apache-2.0
// Attributes and capacities of devices: how many, their keys and values.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/device_names.h"
#include "api/resource_v1/slice.h"
#include "api/validation/collections.h"
#include "api/validation/devices/resource_slice.h"
#include "api/validation/go_value.h"
#include "api/validation/unions.h"
#include "api/validation/value_rules.h"
#include "api/value/semver.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

// Only hand-written rules count empty lists as members.
UnionMembers MembersOf(const v1::DeviceAttribute& attribute, bool with_empty_lists) {
  UnionMembers members;
  const auto add_list = [&](const auto& list, std::string_view name) {
    if (with_empty_lists ? list.present() : !list.empty()) members.emplace_back(name);
  };
  if (attribute.int_.has_value()) members.emplace_back("int");
  if (attribute.bool_.has_value()) members.emplace_back("bool");
  if (attribute.string.has_value()) members.emplace_back("string");
  if (attribute.version.has_value()) members.emplace_back("version");
  add_list(attribute.ints, "ints");
  add_list(attribute.bools, "bools");
  add_list(attribute.strings, "strings");
  add_list(attribute.versions, "versions");
  return members;
}

// Items of lists count singly.
size_t ValuesIn(const v1::DeviceAttribute& attribute) {
  const size_t in_lists = attribute.ints.size() + attribute.bools.size() +
                          attribute.strings.size() + attribute.versions.size();
  return in_lists == 0 ? 1 : in_lists;
}

void CheckText(std::string_view text, const Path& path, FieldErrors& errors) {
  if (text.size() > kAttributeTextMax) errors.TooLong(path, kAttributeTextMax);
}

void CheckVersion(std::string_view text, const Path& path, FieldErrors& errors) {
  if (!IsSemver(text)) {
    errors.Invalid(path, Shown(text), "must be a string compatible with semver.org spec 2.0.0");
  }
  CheckText(text, path, errors);
}

template <class T>
void CheckNotEmpty(const RareList<T>& list, const Path& path, FieldErrors& errors) {
  if (list.present() && list.empty()) errors.Invalid(path, "[]", "must not be empty if specified");
}

Path::KeyEnds EndsOfKeys(const Findings& out) {
  return out.Since(36) ? Path::KeyEnds::kAlike : Path::KeyEnds::kFrontLonger;
}

void CheckOneValue(const v1::DeviceAttribute& attribute, const Path& path, Findings& out) {
  constexpr std::string_view kRule = "exactly one value must be specified";
  if (out.is_declarative()) {
    CheckUnion(MembersOf(attribute, false),
               "`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`",
               path,
               out.declared);
    return;
  }
  const size_t members = MembersOf(attribute, true).size();
  if (members > 1) {
    out.written.Invalid(path, ShownAsGo(attribute, out.profile.release), kRule);
  } else if (members == 0 && out.Since(35)) {
    out.written.Invalid(path, Shown(""), kRule);
  } else if (members == 0) {
    out.written.Required(path, kRule);
  }
}

void CheckAttribute(const v1::DeviceAttribute& attribute, const Path& path, Findings& out) {
  if (attribute.string.has_value()) CheckText(*attribute.string, path.Child("string"), out.written);
  if (attribute.version.has_value()) {
    CheckVersion(*attribute.version, path.Child("version"), out.written);
  }
  CheckNotEmpty(attribute.bools, path.Child("bools"), out.written);
  CheckNotEmpty(attribute.ints, path.Child("ints"), out.written);
  const Path strings = path.Child("strings");
  CheckNotEmpty(attribute.strings, strings, out.written);
  for (size_t i = 0; i < attribute.strings.size(); ++i) {
    CheckText(attribute.strings[i], strings.Index(i), out.written);
  }
  const Path versions = path.Child("versions");
  CheckNotEmpty(attribute.versions, versions, out.written);
  for (size_t i = 0; i < attribute.versions.size(); ++i) {
    CheckVersion(attribute.versions[i], versions.Index(i), out.written);
  }
  CheckOneValue(attribute, path, out);
}

void CheckPolicy(const v1::DeviceCapacity& capacity,
                 bool is_shareable,
                 const Path& path,
                 Findings& out) {
  if (!capacity.request_policy.has_value()) return;
  const Path policy = path.Child("requestPolicy");
  if (is_shareable) {
    CheckCapacityPolicy(capacity, policy, out);
  } else {
    out.written.Forbidden(policy, "allowMultipleAllocations must be true");
  }
}

}  // namespace

void CheckAttributes(const v1::Device& device, const Path& path, Findings& out) {
  const size_t entries = device.attributes.size() + device.capacity.size();
  if (entries > kAttributesAndCapacitiesMax) {
    out.written.Invalid(path,
                        std::to_string(entries),
                        fmt::format("the total number of attributes and capacities must not "
                                    "exceed {}",
                                    kAttributesAndCapacitiesMax));
  }
  size_t values = 0;
  for (const auto& [name, attribute] : device.attributes) values += ValuesIn(attribute);
  if (values > kAttributeValuesMax && out.Since(36)) {
    out.written.Invalid(path,
                        std::to_string(values),
                        fmt::format("the total number of attribute values must not exceed {}",
                                    kAttributeValuesMax));
  }
  const Path attributes = path.Child("attributes");
  for (const auto& [name, attribute] : device.attributes) {
    const Path entry = attributes.Key(name, kDeviceKeyMax, EndsOfKeys(out));
    CheckDeviceKeyShaped(name, KeyPath(attributes, entry, out), out.written);
    CheckAttribute(attribute, entry, out);
  }
}

void CheckCapacities(const v1::Device& device,
                     const v1::Device* old,
                     const Path& path,
                     Findings& out) {
  // Unchanged values stay valid, even when the device is no longer shared.
  if (out.Since(37) && old != nullptr && old->capacity == device.capacity) return;
  const bool is_shareable = device.allow_multiple_allocations.value_or(false);
  for (const auto& [name, capacity] : device.capacity) {
    const Path entry = path.Key(name, kDeviceKeyMax, EndsOfKeys(out));
    CheckDeviceKeyShaped(name, KeyPath(path, entry, out), out.written);
    CheckPolicy(capacity, is_shareable, entry, out);
  }
}

}  // namespace dray::api::validation::inline devices
