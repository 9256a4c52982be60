// SPDX-License-Identifier: Apache-2.0
#include "api/claims/compact_slices.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>

#include "api/claims/device_entries.h"

namespace dray::api::claims {
namespace {

namespace v1 = resource_v1;

/// Nothing is forgotten below this.
constexpr size_t kEntriesMin = 4096;

/// Each different entry of the maps that were shared.
template <class T>
class EntryTable {
 public:
  /// Makes `map` hold the entries that are equal to its own. O(its entries), and now and then a
  /// walk over all that are known.
  void Share(SharedMap<T>& map) {
    for (Held& held : map.held()) held = *entries_.insert(held).first;
    if (entries_.size() <= limit_) return;
    std::erase_if(entries_, [](const Held& held) { return held.is_alone(); });
    limit_ = std::max(kEntriesMin, 2 * entries_.size());
  }

 private:
  using Held = SharedEntry<T>;
  struct Hash {
    size_t operator()(const Held& held) const { return HashEntry(*held); }
  };
  struct Same {
    bool operator()(const Held& a, const Held& b) const { return SameEntry(*a, *b); }
  };

  std::unordered_set<Held, Hash, Same> entries_;
  size_t limit_ = kEntriesMin;
};

}  // namespace

class CompactSlices::Tables {
 public:
  EntryTable<v1::DeviceAttribute> attributes;
  EntryTable<v1::DeviceCapacity> capacities;
};

CompactSlices::CompactSlices() : tables_(std::make_unique<Tables>()) {}
CompactSlices::~CompactSlices() = default;
CompactSlices::CompactSlices(CompactSlices&&) noexcept = default;
CompactSlices& CompactSlices::operator=(CompactSlices&&) noexcept = default;

void CompactSlices::Share(v1::ResourceSlice& slice) {
  for (v1::Device& device : slice.spec.devices) {
    tables_->attributes.Share(device.attributes);
    tables_->capacities.Share(device.capacity);
  }
}

}  // namespace dray::api::claims
