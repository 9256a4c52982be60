// SPDX-License-Identifier: Apache-2.0
// Many devices, stored by column: what a batch of evaluations reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "cel/batch/lanes.h"
#include "cel/device.h"
#include "cel/device_values.h"
#include "cel/language/environment.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::batch {

/// Codes of the values of one column, by lane, as narrow as the number of values allows.
using Codes = std::variant<std::vector<uint8_t>, std::vector<uint16_t>, std::vector<uint32_t>>;

/// One attribute, capacity or other part of all devices. Code 0 means that a device does not have
/// it; any other code is an index into `values`. Two values differ if any expression could tell
/// them apart. They are sorted by kind, then by value, then by how they are written: values of one
/// kind lie together, and a comparison cuts them into runs.
struct Column {
  /// Codes of the values of one kind.
  struct KindRange {
    uint32_t first = 0;
    uint32_t last = 0;     // one past the end
    uint32_t longest = 0;  // the code of a longest text, if the kind has texts
  };

  std::vector<Value> values;  // values[0] is null: missing
  std::vector<KindRange> kinds;
  Codes codes;

  /// Number of different values, the missing one included.
  size_t size() const { return values.size(); }
};

enum class Field : uint8_t {
  kDriver,
  kAllowMultipleAllocations,
  kAttribute,        // domain, id
  kCapacity,         // domain, id
  kAttributeDomain,  // domain: true for devices that have some attribute of it
  kCapacityDomain,
};

struct ColumnKey {
  Field field = Field::kDriver;
  std::string domain = {};
  std::string id = {};
  bool operator==(const ColumnKey&) const = default;
};

/// Makes a domain exist of which nothing is known; no expression reads it.
inline constexpr std::string_view kNoName = "\x01";

/// The parts of a device that expressions read.
struct PartsRead {
  bool all = true;
  std::vector<ColumnKey> columns = {};  // unless all
};

/// Devices by number ("lane"), in the order in which they were added. Immutable; for any number of
/// threads. Owns all it refers to. Takes one code per device and column, up to 4 bytes, and each
/// different value once.
class DeviceTable {
 public:
  size_t size() const { return size_; }

  /// Whether the table has all parts of its devices, or these. An expression that reads no others
  /// has the same answers and costs on what is there.
  bool Covers(const PartsRead& parts) const;

  /// nullptr if no device has anything there.
  const Column* Find(const ColumnKey& key) const;

  /// Devices no selector of `environment` can be evaluated on (DeviceActivation::error).
  const Lanes& broken(const Environment& environment) const {
    return ProblemsFor(environment).lanes;
  }
  /// Why, or an empty text.
  const std::string& ErrorOf(size_t lane, const Environment& environment) const;

  /// Devices whose parts are all the same have one shape. Shapes are numbered from 0.
  size_t shapes() const { return first_of_shape_.size(); }
  uint32_t ShapeOf(size_t lane) const { return shape_of_[lane]; }
  /// The variable `device` of all devices of one shape as `environment` sees it (see
  /// DeviceActivation::value), built in `arena`.
  Value DeviceOfShape(size_t shape, const Environment& environment, Arena& arena) const;

  /// The number of the value of `lane` in `column`.
  static uint32_t CodeAt(const Column& column, size_t lane);

 private:
  friend class DeviceTableBuilder;

  struct Problems {
    Lanes lanes;
    std::unordered_map<size_t, std::string> texts;  // by lane
  };
  const Problems& ProblemsFor(const Environment& environment) const {
    return environment.reads_lists() ? problems_ : problems_without_lists_;
  }

  struct NamedColumn {
    ColumnKey key;
    Column column;
  };

  size_t size_ = 0;
  PartsRead parts_;
  std::vector<NamedColumn> columns_;  // attributes and capacity, sorted by domain and id
  std::unordered_map<std::string, size_t> index_;
  std::vector<uint32_t> shape_of_;        // by lane
  std::vector<uint32_t> first_of_shape_;  // a lane of each shape
  Problems problems_;
  Problems problems_without_lists_;  // for environments without list attributes
  std::unique_ptr<Arena> memory_;
};

/// Knows devices all of whose attributes have values that every environment reads: single ones, and
/// valid versions. Such attributes need not be read to find what breaks a device.
class SoundDevices {
 public:
  /// O(attributes); a version that was right before is not parsed again.
  bool Has(const Device& device);

 private:
  std::unordered_set<std::string> versions_;  // texts that are right
};

/// Builds a table device by device. Costs O(names) per device and one sort per column at the end.
class DeviceTableBuilder {
 public:
  /// Makes columns of the devices' `parts` only. Looks for broken attributes in whole devices.
  explicit DeviceTableBuilder(PartsRead parts = {});
  ~DeviceTableBuilder();
  DeviceTableBuilder(const DeviceTableBuilder&) = delete;
  DeviceTableBuilder& operator=(const DeviceTableBuilder&) = delete;

  /// At most 2^32 - 1 devices. Copies what it needs of `device`.
  void Add(const Device& device);
  /// A device of which only those parts need be there that the table has; names make a domain. The
  /// others are sound. Precondition: not all parts are read.
  void AddSound(const Device& parts);
  /// The builder is empty afterwards.
  std::shared_ptr<const DeviceTable> Build();

 private:
  class ColumnBuilder;  // a column while devices are added

  ColumnBuilder& ColumnFor(Field field, std::string_view domain, std::string_view id);
  void AddQualified(Field field, Field domain_field, std::vector<QualifiedValue>& values);
  void AddAll(const Device& device);
  void AddRead(const Device& device, bool is_sound);
  void NumberShapes(DeviceTable& table) const;

  PartsRead parts_;
  std::unique_ptr<Arena> memory_;
  std::vector<std::unique_ptr<ColumnBuilder>>
      columns_;  // unless all parts are read: of those that are
  std::unordered_map<std::string, size_t> index_;
  SoundDevices sound_;
  std::vector<QualifiedValue> scratch_;
  size_t size_ = 0;
  std::unordered_map<size_t, std::string> errors_;  // by lane
  std::unordered_map<size_t, std::string> errors_without_lists_;
};

}  // namespace dray::cel::batch
