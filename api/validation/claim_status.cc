// SPDX-License-Identifier: Apache-2.0
// The status of claims: allocation, reservations and what drivers report about devices.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/names.h"
#include "api/validation/claim.h"
#include "api/validation/device_rules.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation {
namespace {

namespace v1 = resource_v1;
using References = std::vector<v1::ResourceClaimConsumerReference>;

constexpr std::array<std::string_view, 2> kConfigSources = {"FromClaim", "FromClass"};

void CheckReservations(const References& references, const Path& path, Findings& out) {
  if (!IsWithin(references.size(), kReservedForMax, path, out.declared)) return;
  for (size_t i = 0; i < references.size(); ++i) {
    const Path at = path.Index(i);
    if (references[i].resource.empty()) out.written.Required(at.Child("resource"));
    if (references[i].name.empty()) out.written.Required(at.Child("name"));
    if (references[i].uid.empty()) out.written.Required(at.Child("uid"));
  }
  CheckDistinct(
      references,
      path,
      out.declared,
      [](const auto& item) { return std::string_view(item.uid); },
      [](const auto& reference) { return ShownStruct(reference); });
}

// What tells devices of a claim apart, or consumers; views into the object.
using ItemKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

// Of results and of reports about them alike.
template <class Device>
ItemKey KeyOf(const Device& device) {
  const std::string_view share_id =
      device.share_id.has_value() ? std::string_view(*device.share_id) : std::string_view();
  return {device.driver, device.pool, device.device, share_id};
}

std::set<ItemKey> AllocatedDevices(const std::optional<v1::AllocationResult>& allocation) {
  std::set<ItemKey> keys;
  if (!allocation.has_value()) return keys;
  for (const auto& result : allocation->devices.results) keys.insert(KeyOf(result));
  return keys;
}

void CheckNetworkData(const v1::NetworkDeviceData& data, const Path& path, Findings& out) {
  const Path ips = path.Child("ips");
  if (data.interface_name.size() > kInterfaceNameMax) {
    out.declared.TooLong(path.Child("interfaceName"), kInterfaceNameMax);
  }
  if (IsWithin(data.ips.size(), kAddressesMax, ips, out.declared)) {
    for (size_t i = 0; i < data.ips.size(); ++i) {
      CheckInterfaceAddress(data.ips[i], ips.Index(i), out.written);
    }
    CheckDistinctStrings(data.ips, ips, out.declared);
  }
  if (data.hardware_address.size() > kHardwareAddressMax) {
    out.declared.TooLong(path.Child("hardwareAddress"), kHardwareAddressMax);
  }
}

void CheckDeviceStatus(const v1::AllocatedDeviceStatus& device,
                       const std::set<ItemKey>& allocated,
                       const Path& path,
                       Findings& out) {
  CheckDriver(device.driver, path.Child("driver"), out.written);
  CheckPool(device.pool, path.Child("pool"), out.written);
  CheckLabelShaped(device.device, path.Child("device"), out.written);
  if (!allocated.contains(KeyOf(device))) {
    out.written.Invalid(path,
                        fmt::format(R"({{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}})",
                                    Shown(device.driver),
                                    Shown(device.pool),
                                    Shown(device.device),
                                    Shown(device.share_id.value_or(""))),
                        "must be an allocated device in the claim");
  }
  const Path conditions = path.Child("conditions");
  IsWithin(device.conditions.size(), kDeviceConditionsMax, conditions, out.written);
  CheckConditions(device.conditions, conditions, out.written);
  if (device.data.has_value() && !device.data->IsEmpty()) {
    CheckRawObject(
        *device.data, kDeviceDataBytesMax, Origin::kNew, path.Child("data"), out.written);
  }
  if (device.share_id.has_value()) {
    out.declared.Names(path.Child("shareID"), *device.share_id, CheckUuid(*device.share_id));
  }
  if (device.network_data.has_value()) {
    CheckNetworkData(*device.network_data, path.Child("networkData"), out);
  }
}

void CheckDeviceStatuses(const v1::ResourceClaimStatus& status, const Path& path, Findings& out) {
  const std::set<ItemKey> allocated = AllocatedDevices(status.allocation);
  for (size_t i = 0; i < status.devices.size(); ++i) {
    CheckDeviceStatus(status.devices[i], allocated, path.Index(i), out);
  }
  CheckDistinct(
      status.devices,
      path,
      out.declared,
      [](const auto& device) { return KeyOf(device); },
      [](const auto& device) { return ShownStruct(device); });
}

void CheckResult(const v1::DeviceRequestAllocationResult& result,
                 const RequestNames& names,
                 const Path& path,
                 Findings& out) {
  CheckRequestReference(result.request, names, path.Child("request"), out.written);
  CheckLabelShaped(result.device, path.Child("device"), out.written);
  CheckDeclaredDriver(result.driver, path.Child("driver"), out.declared);
  CheckDeclaredPool(result.pool, path.Child("pool"), out.declared);
  CheckTolerations(result.tolerations, path.Child("tolerations"), out);
  CheckBindingConditions(result.binding_conditions, result.binding_failure_conditions, path, out);
  if (result.share_id.has_value()) {
    out.declared.Names(path.Child("shareID"), *result.share_id, CheckUuid(*result.share_id));
  }
  CheckSkippedOperations(result.skip_node_operations, path.Child("skipNodeOperations"), out);
}

void CheckAllocationConfig(const v1::DeviceAllocationConfiguration& config,
                           const RequestNames& names,
                           const Path& path,
                           Findings& out) {
  if (config.source.empty()) {
    out.declared.Required(path.Child("source"));
  } else if (std::ranges::find(kConfigSources, config.source) == kConfigSources.end()) {
    out.declared.NotSupported(path.Child("source"), config.source, kConfigSources);
  }
  CheckRequestReferences(config.requests, names, path.Child("requests"), out);
  CheckConfiguration(config.device_configuration, Origin::kNew, path, out);
}

void CheckAllocation(const v1::AllocationResult& allocation,
                     const RequestNames& names,
                     const Path& path,
                     Findings& out) {
  const Path devices = path.Child("devices");
  const Path results = devices.Child("results");
  if (IsWithin(allocation.devices.results.size(), kResultsMax, results, out.declared)) {
    for (size_t i = 0; i < allocation.devices.results.size(); ++i) {
      CheckResult(allocation.devices.results[i], names, results.Index(i), out);
    }
  }
  const Path config = devices.Child("config");
  if (IsWithin(allocation.devices.config.size(), kAllocationConfigsMax, config, out.declared)) {
    for (size_t i = 0; i < allocation.devices.config.size(); ++i) {
      CheckAllocationConfig(allocation.devices.config[i], names, config.Index(i), out);
    }
  }
  if (allocation.node_selector.has_value()) {
    CheckNodeSelector(*allocation.node_selector, path.Child("nodeSelector"), out.written);
  }
}

bool HasNewEntry(const References& references, const References& old) {
  std::set<ItemKey> before;  // the four members of a reference
  const auto key = [](const v1::ResourceClaimConsumerReference& one) {
    return ItemKey(one.api_group, one.resource, one.name, one.uid);
  };
  for (const auto& reference : old) before.insert(key(reference));
  return std::ranges::any_of(
      references, [&](const auto& reference) { return !before.contains(key(reference)); });
}

void CheckReservationsAllowed(const v1::ResourceClaim& claim,
                              const v1::ResourceClaim& old,
                              const Path& path,
                              FieldErrors& errors) {
  if (claim.status.reserved_for.empty()) return;
  if (!claim.status.allocation.has_value()) {
    errors.Forbidden(path, "may not be specified when `allocated` is not set");
  } else if (claim.metadata.deletion_timestamp.has_value() &&
             HasNewEntry(claim.status.reserved_for, old.status.reserved_for)) {
    errors.Forbidden(path,
                     "new entries may not be added while `deallocationRequested` or "
                     "`deletionTimestamp` are set");
  }
}

bool HasAdminAccess(const v1::DeviceRequestAllocationResult& result) {
  return result.admin_access.value_or(false);
}

// A claim that was allocated with admin access keeps it, whatever its namespace says now.
void CheckAdminResults(const v1::ResourceClaim& claim,
                       const v1::ResourceClaim& old,
                       const Options& options,
                       FieldErrors& errors) {
  if (!claim.status.allocation.has_value()) return;
  if (old.status.allocation.has_value() &&
      std::ranges::any_of(old.status.allocation->devices.results, HasAdminAccess)) {
    return;
  }
  const auto& results = claim.status.allocation->devices.results;
  const auto found = std::ranges::find_if(results, HasAdminAccess);
  if (found == results.end()) return;
  const Path list("status.allocation.devices.results");
  const Path result = list.Index(static_cast<size_t>(found - results.begin()));
  CheckAdminNamespace(claim.metadata.namespace_, options, result.Child("adminAccess"), errors);
}

}  // namespace

std::vector<Cause> ValidateClaimStatusUpdate(const v1::ResourceClaim& claim,
                                             const v1::ResourceClaim& old,
                                             const Options& options) {
  const Path status("status");
  const Path reserved_for = status.Child("reservedFor");
  const Path allocation = status.Child("allocation");
  FieldErrors admin;
  CheckAdminResults(claim, old, options, admin);

  // The first pass looks at reservations, devices and allocation in this order, the second one
  // begins with the allocation.
  Findings reservations;
  CheckReservations(claim.status.reserved_for, reserved_for, reservations);
  Findings devices;
  CheckDeviceStatuses(claim.status, status.Child("devices"), devices);
  FieldErrors allowed;
  CheckReservationsAllowed(claim, old, reserved_for, allowed);
  Findings allocated;
  if (claim.status.allocation.has_value()) {
    if (!old.status.allocation.has_value()) {
      const RequestNames names(claim.spec.devices.requests);
      CheckAllocation(*claim.status.allocation, names, allocation, allocated);
    } else if (claim.status.allocation != old.status.allocation) {
      allocated.declared.Invalid(allocation, "null", "field cannot be modified once set");
    }
  }

  Findings out;
  out.written.Append(std::move(admin));
  out.written.Append(std::move(reservations.written));
  out.written.Append(std::move(devices.written));
  out.written.Append(std::move(allowed));
  out.written.Append(std::move(allocated.written));
  out.declared.Append(std::move(allocated.declared));
  out.declared.Append(std::move(reservations.declared));
  out.declared.Append(std::move(devices.declared));
  return std::move(out).Take();
}

}  // namespace dray::api::validation
