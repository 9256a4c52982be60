// SPDX-License-Identifier: Apache-2.0
// A small cluster for tests, written down in JSON: one node "node", classes "any" and what is
// added.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/inventory/inventory.h"
#include "allocator/literal/allocate.h"
#include "api/codec/json.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"
#include "base/frozen.h"
#include "dray/allocated_state.h"
#include "dray/features.h"
#include "dray/profile.h"
#include "dray/snapshot.h"

namespace dray::allocator::testing {

template <class T>
T FromJson(std::string_view text) {
  T value;
  const Result<> decoded = api::DecodeJson(api::TypeOf<T>(), text, &value, nullptr);
  DRAY_CHECK(decoded.has_value());
  return value;
}

/// The profile with just these switches on, by their names and a blank between.
Features FeaturesWith(std::string_view profile, std::string_view switches);

class Lab {
 public:
  Lab();

  /// A slice as JSON.
  Lab& Slice(std::string_view json);
  /// A slice of the node in pool "pool" of driver "d.io": devices as a JSON list. Only one of them
  /// makes the pool complete.
  Lab& Devices(std::string_view json);
  /// The same for the counter sets of a partitionable pool of two slices.
  Lab& Partitions(std::string_view devices, std::string_view counter_sets);
  Lab& Class(std::string_view json);
  /// A claim "lab/c0", "lab/c1", … with `spec.devices` as JSON.
  Lab& Claim(std::string_view devices);
  /// A claim with one request "r" for so many devices of class "any".
  Lab& Count(int count);
  AllocatedState& state() { return state_; }

  literal::LiteralAnswer Ask(const Features& features, Budget budget = {}) const;
  /// The devices of all claims, "a b; c"; or "none", "node-error", "undecided", "error: …".
  std::string Answer(const Features& features) const;

  Frozen<inventory::Inventory> inventory() const;
  /// What there is and what is taken.
  Snapshot snapshot(const Features& features) const;
  const api::core_v1::Node& node() const { return node_; }
  const std::vector<Frozen<api::resource_v1::ResourceClaim>>& claims() const { return claims_; }

 private:
  api::core_v1::Node node_;
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices_;
  std::vector<Frozen<api::resource_v1::DeviceClass>> classes_;
  std::vector<Frozen<api::resource_v1::ResourceClaim>> claims_;
  AllocatedState state_;
};

}  // namespace dray::allocator::testing
