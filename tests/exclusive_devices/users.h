// SPDX-License-Identifier: Apache-2.0
// Users of devices during faults: users with pods, and foreign schedulers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "client/client.h"

namespace dray::exclusive_devices {

inline constexpr size_t kNodes = 2;
inline constexpr size_t kDevicesPerNode = 2;
inline constexpr size_t kDevices = kNodes * kDevicesPerNode;

/// A foreign scheduler: repeatedly allocates a random device to the claim `name`, or frees it,
/// without reading the allocations of other claims.
void TakeAtRandom(client::Client& client,
                  const std::string& name,
                  uint64_t seed,
                  const std::atomic<bool>& is_over);

/// The actions of users. The client outlives them.
class Users {
 public:
  explicit Users(client::Client& client) : client_(client) {}

  /// The class, and kNodes nodes with a slice of kDevicesPerNode devices each.
  void MakeDevices();
  /// A claim of one device.
  void MakeClaim(const std::string& name);
  /// Creates pods with a claim each; deletes some, which frees their devices.
  void UseAtRandom(uint64_t seed);
  void Free(const std::string& name);
  /// Creates as many pods as there are devices; returns when as many claims are allocated. Fails
  /// the test after ten minutes.
  void AwaitUseOfAllDevices();

 private:
  /// Creates an object; tries again if the request was not answered.
  void Make(const api::Object& object);
  void MakePod(const std::string& name);
  size_t allocated();

  client::Client& client_;
};

}  // namespace dray::exclusive_devices
