// SPDX-License-Identifier: Apache-2.0
// What there is to allocate.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/resource_v1.h"
#include "base/published.h"

namespace dray::allocator {

/// What exists: all slices in the order a lister gives them, and all classes, indexed once. A new
/// one is built when slices or classes change, not per claim: O(slices + classes).
class Inventory {
 public:
  using Slice = Frozen<api::resource_v1::ResourceSlice>;
  using Class = Frozen<api::resource_v1::DeviceClass>;

  static Frozen<Inventory> Build(std::vector<Slice> slices, const std::vector<Class>& classes);

  /// The slices a node may see: its own first, then those not bound to one node; both as given.
  const std::vector<const api::resource_v1::ResourceSlice*>& OfNode(std::string_view node) const;
  const std::vector<const api::resource_v1::ResourceSlice*>& shared() const { return shared_; }
  /// All slices of a pool, whatever their generation and nodes, as given.
  const std::vector<const api::resource_v1::ResourceSlice*>& OfPool(std::string_view driver,
                                                                    std::string_view pool) const;
  /// Null when there is no such class.
  const api::resource_v1::DeviceClass* FindClass(std::string_view name) const;

 private:
  using Slices = std::vector<const api::resource_v1::ResourceSlice*>;

  std::vector<Slice> slices_;
  std::map<std::string, Slices, std::less<>> by_node_;
  Slices shared_;
  std::map<std::pair<std::string, std::string>, Slices, std::less<>> by_pool_;
  std::map<std::string, Class, std::less<>> classes_;
};

}  // namespace dray::allocator
