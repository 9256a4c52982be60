// SPDX-License-Identifier: Apache-2.0
// Slices in little memory, for components that keep all slices of a large cluster.
#pragma once

#include <memory>

#include "api/resource_v1/slice.h"

namespace dray::api::claims {

/// Makes slices hold together what they have in common. The devices of a cluster differ in a serial
/// number or an address, and agree in nearly all else: each attribute and each capacity that is
/// published is held once, however many devices publish it.
///
/// Not thread-safe; the slices are, and may outlive it.
class CompactSlices {
 public:
  CompactSlices();
  ~CompactSlices();
  CompactSlices(const CompactSlices&) = delete;
  CompactSlices& operator=(const CompactSlices&) = delete;
  CompactSlices(CompactSlices&&) noexcept;
  CompactSlices& operator=(CompactSlices&&) noexcept;

  /// Changes where the attributes and capacities of the slice are, and nothing that a reader can
  /// see. O(their number). What is only held for slices that went is forgotten once it may be half
  /// of all.
  void Share(resource_v1::ResourceSlice& slice);

 private:
  class Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace dray::api::claims
