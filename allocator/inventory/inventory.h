// SPDX-License-Identifier: Apache-2.0
// What there is to allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/persistent_map.h"
#include "dray/changes.h"

namespace dray::allocator::inventory {

/// What exists: all slices in the order a lister gives them, and all classes, indexed. Immutable; a
/// changed one shares with the one it was made from whatever did not change.
class Inventory {
 public:
  using Slice = Frozen<api::resource_v1::ResourceSlice>;
  using Class = Frozen<api::resource_v1::DeviceClass>;
  using Slices = std::vector<const api::resource_v1::ResourceSlice*>;

  /// O(slices + classes).
  static Frozen<Inventory> Build(std::vector<Slice> slices, const std::vector<Class>& classes);

  /// O(slices of the pools and nodes that change).
  Frozen<Inventory> With(std::span<const ClusterChange> changes) const;

  /// The slices a node may see: its own first, then those not bound to one node; both as given.
  const Slices& OfNode(std::string_view node) const;
  const Slices& shared() const { return shared_.slices; }
  /// All slices of a pool, whatever their generation and nodes, as given.
  const Slices& OfPool(std::string_view driver, std::string_view pool) const;
  std::span<const Slice> OwnedOfPool(std::string_view driver, std::string_view pool) const;
  /// Null when there is no such slice or class.
  Slice FindSlice(std::string_view name) const;
  Class FindClass(std::string_view name) const;

  /// All of them, as given. O(n log n).
  std::vector<Slice> slices() const;
  std::vector<Class> classes() const;
  size_t slice_count() const { return by_name_.size(); }
  size_t device_count() const { return device_count_; }

  /// Calls visit("driver/pool", slices) for every pool, in no order.
  template <class Visit>
  void ForEachPool(Visit visit) const {
    by_pool_.ForEach([&](const std::string& pool, const std::shared_ptr<List>& list) {
      visit(std::string_view(pool), list->slices);
    });
  }

 private:
  /// In the order of `orders`.
  struct List {
    Slices slices;
    std::vector<Slice> owned;  // the same ones
    std::vector<uint64_t> orders;

    void Insert(const Slice& slice, uint64_t order);
    void Remove(uint64_t order);
  };
  struct Known {
    Slice slice;
    uint64_t order = 0;
  };

  void Put(Slice slice);
  void Remove(std::string_view name);
  void Index(const Slice& slice, uint64_t order);
  void Unindex(const api::resource_v1::ResourceSlice& slice, uint64_t order);

  PersistentMap<Known> by_name_;
  PersistentMap<std::shared_ptr<List>> by_node_;
  PersistentMap<std::shared_ptr<List>> by_pool_;  // by PoolText
  List shared_;
  PersistentMap<Class> classes_;
  uint64_t next_order_ = 0;
  size_t device_count_ = 0;
};

/// "driver/pool" as a key: drivers hold no slash.
std::string PoolText(std::string_view driver, std::string_view pool);

}  // namespace dray::allocator::inventory
