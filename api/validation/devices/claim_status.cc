// SPDX-License-Identifier: Apache-2.0
// The status of claims: allocation, reservations and the device status of drivers.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/resource_v1/claim.h"
#include "api/text/names.h"
#include "api/validation/collections.h"
#include "api/validation/devices/claim.h"
#include "api/validation/devices/claim_access.h"
#include "api/validation/devices/classic.h"
#include "api/validation/devices/device_rules.h"
#include "api/validation/go_value.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;
using References = std::vector<v1::ResourceClaimConsumerReference>;

constexpr std::array<std::string_view, 2> kConfigSources = {"FromClaim", "FromClass"};

void CheckReservations(const References& references, const Path& path, Findings& out) {
  const auto check = [&](const v1::ResourceClaimConsumerReference& reference, const Path& at) {
    if (reference.resource.empty()) out.written.Required(at.Child("resource"));
    if (reference.name.empty()) out.written.Required(at.Child("name"));
    if (reference.uid.empty()) out.written.Required(at.Child("uid"));
  };
  const size_t max = out.Since(32) ? kReservedForMax : kReservedForMaxBefore32;
  if (!CheckItems(references, max, Pass::kCovered, path, out, check)) return;
  CheckDistinctNames(references, {.member = "uid"}, path, out, [](const auto& reference) {
    return std::string_view(reference.uid);
  });
}

// The identity of devices of a claim, or of consumers; views into the object.
using ItemKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

// For results and for the device status alike.
template <class Device>
ItemKey KeyOf(const Device& device) {
  const std::string_view share_id =
      device.share_id.has_value() ? std::string_view(*device.share_id) : std::string_view();
  return {device.driver, device.pool, device.device, share_id};
}

// As upstream prints it; in 1.32 and 1.34 its strings were missing.
std::string ShownKey(const v1::AllocatedDeviceStatus& device, const FieldErrors& errors) {
  if (errors.release() == Release::k1_33)
    return fmt::format("{}/{}/{}", device.driver, device.pool, device.device);
  if (!errors.Since(34)) return R"({"Driver":{},"Pool":{},"Device":{}})";
  if (!errors.Since(35)) return R"({"Driver":{},"Pool":{},"Device":{},"ShareID":{}})";
  return fmt::format(R"({{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}})",
                     Shown(device.driver),
                     Shown(device.pool),
                     Shown(device.device),
                     Shown(device.share_id.value_or("")));
}

std::set<ItemKey> AllocatedDevices(const Maybe<v1::AllocationResult>& allocation) {
  std::set<ItemKey> keys;
  if (!allocation.has_value()) return keys;
  for (const auto& result : allocation->devices.results) keys.insert(KeyOf(result));
  return keys;
}

void CheckNetworkData(const v1::NetworkDeviceData& data, const Path& path, Findings& out) {
  if (data.interface_name.size() > kInterfaceNameMax) {
    out.covered().TooLong(path.Child("interfaceName"), kInterfaceNameMax);
  }
  // Hand-written rules check them last.
  Findings addresses = out.Part();
  CheckStringSet(data.ips,
                 kAddressesMax,
                 path.Child("ips"),
                 addresses,
                 [&](const std::string& address, const Path& at) {
                   CheckInterfaceAddress(address, at, addresses.written);
                 });
  out.declared.Append(std::move(addresses.declared));
  if (data.hardware_address.size() > kHardwareAddressMax) {
    out.covered().TooLong(path.Child("hardwareAddress"), kHardwareAddressMax);
  }
  out.written.Append(std::move(addresses.written));
}

void CheckDeviceStatus(const v1::AllocatedDeviceStatus& device,
                       const std::set<ItemKey>& allocated,
                       const Path& path,
                       Findings& out) {
  CheckDriver(device.driver, path.Child("driver"), out.written);
  CheckPool(device.pool, path.Child("pool"), out.written);
  CheckLabelShaped(device.device, path.Child("device"), out.written);
  if (device.share_id.has_value()) CheckCoveredUuid(*device.share_id, path.Child("shareID"), out);
  if (!allocated.contains(KeyOf(device))) {
    out.written.Invalid(
        path, ShownKey(device, out.written), "must be an allocated device in the claim");
  }
  const Path conditions = path.Child("conditions");
  IsWithin(device.conditions.size(), kDeviceConditionsMax, conditions, out.written);
  CheckConditions(device.conditions, conditions, out.written);
  if (device.data.has_value() && !device.data->IsEmpty()) {
    CheckRawObject(
        *device.data, kDeviceDataBytesMax, Origin::kNew, path.Child("data"), out.written);
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
      {.member = "deviceID", .item_since = 34},
      path,
      out,
      [](const auto& device) { return KeyOf(device); },
      [&](const auto& device) {
        return out.is_declarative() ? ShownStruct(device) : ShownKey(device, out.written);
      });
}

void CheckResult(const v1::DeviceRequestAllocationResult& result,
                 const RequestNames& names,
                 const Path& path,
                 Findings& out) {
  CheckRequestReference(result.request, names, path.Child("request"), out.written);
  CheckCoveredDriver(result.driver, path.Child("driver"), out);
  CheckCoveredPool(result.pool, path.Child("pool"), out);
  CheckLabelShaped(result.device, path.Child("device"), out.written);
  // The first pass checks them after the binding conditions, the second one before.
  Findings tolerations = out.Part();
  if (out.Since(37)) CheckTolerations(result.tolerations, path.Child("tolerations"), tolerations);
  out.declared.Append(std::move(tolerations.declared));
  CheckBindingConditions(result.binding_conditions, result.binding_failure_conditions, path, out);
  out.written.Append(std::move(tolerations.written));
  if (result.share_id.has_value()) CheckCoveredUuid(*result.share_id, path.Child("shareID"), out);
  CheckSkippedOperations(result.skip_node_operations, path.Child("skipNodeOperations"), out);
}

void CheckAllocationConfig(const v1::DeviceAllocationConfiguration& config,
                           const RequestNames& names,
                           const Path& path,
                           Findings& out) {
  if (config.source.empty()) {
    out.covered().Required(path.Child("source"));
  } else if (std::ranges::find(kConfigSources, config.source) == kConfigSources.end()) {
    out.covered().NotSupported(path.Child("source"), config.source, kConfigSources);
  }
  CheckRequestReferences(config.requests, names, path.Child("requests"), out);
  CheckConfiguration(config.device_configuration, Origin::kNew, path, out);
}

void CheckAllocation(const v1::AllocationResult& allocation,
                     const RequestNames& names,
                     const Path& path,
                     Findings& out) {
  const Path devices = path.Child("devices");
  CheckItems(allocation.devices.results,
             kResultsMax,
             Pass::kCovered,
             devices.Child("results"),
             out,
             [&](const v1::DeviceRequestAllocationResult& result, const Path& at) {
               CheckResult(result, names, at, out);
             });
  CheckItems(allocation.devices.config,
             kAllocationConfigsMax,
             Pass::kCovered,
             devices.Child("config"),
             out,
             [&](const v1::DeviceAllocationConfiguration& config, const Path& at) {
               CheckAllocationConfig(config, names, at, out);
             });
  if (allocation.node_selector.has_value()) {
    CheckNodeSelector(*allocation.node_selector, path.Child("nodeSelector"), out.written);
  }
  if (!allocation.controller.empty()) {
    CheckDriver(allocation.controller, path.Child("controller"), out.written);
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
  } else if ((claim.metadata.deletion_timestamp.has_value() ||
              claim.status.deallocation_requested) &&
             HasNewEntry(claim.status.reserved_for, old.status.reserved_for)) {
    errors.Forbidden(path,
                     "new entries may not be added while `deallocationRequested` or "
                     "`deletionTimestamp` are set");
  }
}

void RefuseOtherAllocation(const v1::AllocationResult& allocation,
                           const Path& path,
                           Findings& out) {
  if (out.is_declarative()) {
    out.declared.Invalid(path, "null", "field cannot be modified once set");
  } else {
    out.written.Invalid(path, ShownAsGo(allocation, out.profile.release), "field is immutable");
  }
}

bool HasAdminAccess(const v1::DeviceRequestAllocationResult& result) {
  return result.admin_access.value_or(false);
}

// A claim that was allocated with admin access keeps it, even if the label of its namespace
// changed.
void CheckAdminResults(const v1::ResourceClaim& claim,
                       const v1::ResourceClaim& old,
                       const Options& options,
                       FieldErrors& errors) {
  if (!errors.Since(33) || !claim.status.allocation.has_value()) return;
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

// For 1.31, where a controller in the control plane could allocate, and deallocate on request. One
// pass in another order, which checks the allocation every time.
std::vector<ErrorCause> ValidateStatusWithController(const v1::ResourceClaim& claim,
                                                     const v1::ResourceClaim& old,
                                                     const Options& options) {
  const Path status("status");
  const Path reserved_for = status.Child("reservedFor");
  const Path allocation = status.Child("allocation");
  const auto& given = claim.status.allocation;
  Findings out(options.profile, options.version);
  if (given.has_value()) {
    CheckAllocation(*given, RequestNames(claim.spec.devices.requests), allocation, out);
  }
  CheckReservations(claim.status.reserved_for, reserved_for, out);
  CheckReservationsAllowed(claim, old, reserved_for, out.written);
  if (given.has_value() && old.status.allocation.has_value() && given != old.status.allocation) {
    RefuseOtherAllocation(*given, allocation, out);
  }
  CheckDeallocationRequest({.was_requested = old.status.deallocation_requested,
                            .is_requested = claim.status.deallocation_requested,
                            .is_reserved = !claim.status.reserved_for.empty(),
                            .is_allocated = given.has_value()},
                           status,
                           out.written);
  return std::move(out).Take();
}

}  // namespace

std::vector<ErrorCause> ValidateClaimStatusUpdate(const v1::ResourceClaim& claim,
                                                  const v1::ResourceClaim& old,
                                                  const Options& options) {
  if (!options.profile.Since(32)) return ValidateStatusWithController(claim, old, options);
  const Path status("status");
  const Path reserved_for = status.Child("reservedFor");
  const Path allocation = status.Child("allocation");
  const Profile& profile = options.profile;
  FieldErrors admin(profile.release);
  CheckAdminResults(claim, old, options, admin);

  // The first pass checks reservations, devices and allocation in this order; the second one begins
  // with the allocation.
  Findings reservations(profile, options.version);
  CheckReservations(claim.status.reserved_for, reserved_for, reservations);
  Findings devices(profile, options.version);
  CheckDeviceStatuses(claim.status, status.Child("devices"), devices);
  FieldErrors allowed(profile.release);
  CheckReservationsAllowed(claim, old, reserved_for, allowed);
  Findings allocated(profile, options.version);
  if (claim.status.allocation.has_value()) {
    if (!old.status.allocation.has_value()) {
      const RequestNames names(claim.spec.devices.requests);
      CheckAllocation(*claim.status.allocation, names, allocation, allocated);
    } else if (claim.status.allocation != old.status.allocation) {
      RefuseOtherAllocation(*claim.status.allocation, allocation, allocated);
    }
  }

  Findings out(profile, options.version);
  out.written.Append(std::move(admin));
  out.written.Append(std::move(reservations.written));
  out.written.Append(std::move(devices.written));
  out.written.Append(std::move(allowed));
  out.written.Append(std::move(allocated.written));
  CheckAccess(claim, old, options, out.written);
  out.declared.Append(std::move(allocated.declared));
  out.declared.Append(std::move(reservations.declared));
  out.declared.Append(std::move(devices.declared));
  return std::move(out).Take();
}

}  // namespace dray::api::validation::inline devices
