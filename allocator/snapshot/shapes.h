// SPDX-License-Identifier: Apache-2.0
// Device shapes: devices of a driver that are alike in all but their names are one shape, whatever
// their pool and node. What an expression or a constraint says about a device depends on nothing
// else, so it is found out once per shape and kept for all nodes, pods and snapshots.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/mutex.h"
#include "base/work.h"
#include "cel/batch/device_table.h"
#include "cel/selector_cache.h"
#include "dray/allocated_state.h"
#include "dray/features.h"

namespace dray::allocator::snapshot {

using ShapeId = uint32_t;

/// How attributes are compared: one value with another, or as sets of values that have a value in
/// common or not (the feature DRAListTypeAttributes).
enum class AttributeForm : uint8_t { kSingle, kSets };

struct Shape {
  /// A device with none of the first five is admitted wherever selectors and constraints let it.
  enum Trait : uint8_t {
    kTainted = 1,
    kHasBindingConditions = 2,
    kDrawsCounters = 4,
    kShareable = 8,
    /// The capacity has a policy, or is negative.
    kMeasured = 16,
    /// Some attribute may break expressions that do not read it (SoundDevices).
    kUnsound = 32,
  };

  Frozen<api::resource_v1::ResourceSlice> slice;     // keeps the device
  const api::resource_v1::Device* device = nullptr;  // one that has this shape
  uint8_t traits = 0;                                // of Trait

  bool Has(Trait trait) const { return (traits & trait) != 0; }
};

/// What selectors say about a shape.
enum class Match : uint8_t { kNo, kYes, kError };

/// By shape. `any_error` is about all of them.
struct SelectionRow {
  std::vector<Match> cells;
  bool any_error = false;
};

/// Values of an attribute by shape, as numbers of sets of values; values are numbered across all
/// columns. In the form kSingle every set has one value.
struct AttributeColumn {
  static constexpr uint32_t kAbsent = 0;
  /// There, but nothing that can be compared by one value: its rules are those of the literal
  /// search only.
  static constexpr uint32_t kUnusable = 1;
  /// Derived attributes only: the expression fails.
  static constexpr uint32_t kError = 2;
  static constexpr uint32_t kFirstSet = 3;

  std::vector<uint32_t> set_of;               // by shape
  std::vector<std::vector<uint32_t>> values;  // by set, sorted; empty below kFirstSet
};

/// What a request for capacity takes of an unused device, by shape.
struct AmountsColumn {
  std::vector<Match> fits;                // kError: the amount cannot be counted
  std::vector<ConsumedCapacity> amounts;  // of those that fit and can be shared; else empty
};

/// The shapes of a cluster and of everything forked from it, for any number of threads. Only grows;
/// Inventory starts a new one when most shapes have gone out of use.
class Shapes {
 public:
  /// `selectors` compiles for the environment of `features`.
  Shapes(const Features& features, std::shared_ptr<cel::SelectorCache> selectors);
  ~Shapes();
  Shapes(const Shapes&) = delete;
  Shapes& operator=(const Shapes&) = delete;

  /// The shapes of all devices of a slice, in order. O(attributes) per device.
  std::vector<ShapeId> Intern(const Frozen<api::resource_v1::ResourceSlice>& slice);
  /// `id` from Intern.
  const Shape& operator[](ShapeId id) const {
    const auto block = static_cast<size_t>(std::bit_width(id / kFirstBlock + 1) - 1);
    return blocks_.at(block)[id - FirstOf(block)];
  }
  size_t size() const;

  /// What the class's selectors, then the request's, say. Evaluated once per shape and kept for
  /// the kRowsMax rows that were used last.
  ///
  /// `work`: what finding out may take. When it is spent the cells that are not known are kError,
  /// and the row is not kept.
  Frozen<SelectionRow> Row(std::span<const api::resource_v1::DeviceSelector> of_class,
                           std::span<const api::resource_v1::DeviceSelector> of_request,
                           Work& work);
  /// The attribute a constraint names, as devices publish it. Charges `work`, but does not stop.
  Frozen<AttributeColumn> Column(const std::string& attribute, AttributeForm form, Work& work);
  /// An attribute as a request derives it. `work` as of Row.
  Frozen<AttributeColumn> DerivedColumn(const std::string& expression,
                                        AttributeForm form,
                                        Work& work);

  /// Null: it takes nothing that any device here could lack. Kept for the kAmountsMax requests that
  /// came last.
  Frozen<AmountsColumn> Amounts(const api::resource_v1::CapacityRequirements* request, Work& work);

  static constexpr size_t kRowsMax = 256;
  /// Columns of attributes, published and derived, that are kept: those used last.
  static constexpr size_t kColumnsMax = 1024;
  static constexpr size_t kAmountsMax = 64;
  static constexpr size_t kTablesMax = 8;

 private:
  /// Shapes lie in blocks that never move, each twice as large as the one before.
  static constexpr ShapeId kFirstBlock = 64;
  static constexpr size_t kBlocks = 25;
  static constexpr ShapeId FirstOf(size_t block) {
    return kFirstBlock * ((ShapeId{1} << block) - 1);
  }
  /// The shapes from `first` on, for batches of evaluations. Expressions read few parts of them, so
  /// there are tables of some: made when first needed, kTablesMax at most.
  struct Batch {
    size_t first = 0, last = 0;
    std::vector<Frozen<cel::batch::DeviceTable>> tables = {};  // the last one was used last
  };
  struct CachedRow {
    Frozen<SelectionRow> row;
    uint64_t used = 0;
  };
  struct CachedColumn {
    Frozen<AttributeColumn> column;
    uint64_t used = 0;
  };
  struct CachedAmounts {
    api::Maybe<api::resource_v1::CapacityRequirements> request;
    Frozen<AmountsColumn> column;
  };
  class Values;

  ShapeId InternOne(const Frozen<api::resource_v1::ResourceSlice>& slice,
                    const api::resource_v1::Device& device) DRAY_REQUIRES(mutex_);
  void CoverByBatches() DRAY_REQUIRES(mutex_);
  Frozen<cel::batch::DeviceTable> TableOf(Batch& batch, const cel::batch::PartsRead& parts) const
      DRAY_REQUIRES(mutex_);
  /// What the selectors read, so that the devices are read once for all of them.
  cel::batch::PartsRead PartsOf(std::span<const api::resource_v1::DeviceSelector> of_class,
                                std::span<const api::resource_v1::DeviceSelector> of_request) const;
  /// `parts`: at least what the expression reads.
  void And(std::string_view expression,
           const cel::batch::PartsRead& parts,
           size_t from,
           SelectionRow& row,
           Work& work) DRAY_REQUIRES(mutex_);
  template <class Find>
  Frozen<AttributeColumn> Extend(const std::string& key, Work& work, Find find)
      DRAY_REQUIRES(mutex_);

  const Features features_;
  const std::shared_ptr<cel::SelectorCache> selectors_;
  mutable Mutex mutex_;
  size_t size_ DRAY_GUARDED_BY(mutex_) = 0;
  /// Written under the lock; readers that were given an id read without it.
  std::array<std::unique_ptr<Shape[]>, kBlocks> blocks_;  // NOLINT(modernize-avoid-c-arrays)
  std::unordered_multimap<uint64_t, ShapeId> index_ DRAY_GUARDED_BY(mutex_);
  cel::batch::SoundDevices sound_ DRAY_GUARDED_BY(mutex_);
  std::vector<Batch> batches_ DRAY_GUARDED_BY(mutex_);
  std::map<std::string, CachedRow, std::less<>> rows_ DRAY_GUARDED_BY(mutex_);
  std::map<std::string, CachedColumn, std::less<>> columns_ DRAY_GUARDED_BY(mutex_);
  std::deque<CachedAmounts> amounts_ DRAY_GUARDED_BY(mutex_);
  bool any_measured_ DRAY_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Values> values_ DRAY_GUARDED_BY(mutex_);
  uint64_t uses_ DRAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace dray::allocator::snapshot
