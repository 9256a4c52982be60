// SPDX-License-Identifier: Apache-2.0
// Who wants devices while things go wrong: users with pods, and schedulers of somebody else.
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

/// A scheduler of somebody else: gives a random device to the claim `name`, or takes it back, again
/// and again, without looking what others have.
void TakeAtRandom(client::Client& client,
                  const std::string& name,
                  uint64_t seed,
                  const std::atomic<bool>& is_over);

/// What users do. The client outlives them.
class Users {
 public:
  explicit Users(client::Client& client) : client_(client) {}

  /// The class, and kNodes nodes with a slice of kDevicesPerNode devices each.
  void MakeDevices();
  /// A claim of one device.
  void MakeClaim(const std::string& name);
  /// Pods with a claim each come; some go, and what they had is freed.
  void UseAtRandom(uint64_t seed);
  void Free(const std::string& name);
  /// As many pods as there are devices come; returns when so many claims are allocated. Fails the
  /// test when that takes ten minutes.
  void AwaitUseOfAllDevices();

 private:
  /// A creation that was not answered is tried again.
  void Make(const api::Object& object);
  void MakePod(const std::string& name);
  size_t allocated();

  client::Client& client_;
};

}  // namespace dray::exclusive_devices
