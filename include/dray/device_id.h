// SPDX-License-Identifier: Apache-2.0
// The names of devices.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace dray::allocator::inline v0 {

/// driver/pool/device: the name of a device in a cluster. Refers to texts that others own.
struct DeviceIdView {
  std::string_view driver, pool, device;
  auto operator<=>(const DeviceIdView&) const = default;
  std::string ToString() const {
    return std::string(driver).append("/").append(pool).append("/").append(device);
  }
};

/// The same, owning its texts.
struct DeviceId {
  std::string driver, pool, device;
  auto operator<=>(const DeviceId&) const = default;
  std::string ToString() const { return view().ToString(); }
  DeviceIdView view() const { return {driver, pool, device}; }
  static DeviceId Of(const DeviceIdView& id) {
    return {std::string(id.driver), std::string(id.pool), std::string(id.device)};
  }
};

/// One of several allocations of a device.
struct SharedDeviceId {
  DeviceId device;
  std::string share;
  auto operator<=>(const SharedDeviceId&) const = default;
};

/// Orders by driver, pool, device and share, byte by byte. Allows lookups without copying names.
struct DeviceIdLess {
  using is_transparent = void;
  static DeviceIdView View(const DeviceIdView& id) { return id; }
  static DeviceIdView View(const DeviceId& id) { return id.view(); }
  bool operator()(const auto& a, const auto& b) const { return View(a) < View(b); }
};

}  // namespace dray::allocator::inline v0
