// SPDX-License-Identifier: Apache-2.0
// The parts of a device as values: attributes as expressions see them, and the variable `device`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/device.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel {

/// device.attributes[domain].id or device.capacity[domain].id.
struct QualifiedValue {
  std::string_view domain;
  std::string_view id;
  Value value;
  bool is_qualified = true;  // "domain/id" was written, not "id"
};

/// Splits "domain/id" at the first slash; a name without one belongs to the driver's domain.
QualifiedValue Qualify(std::string_view name, std::string_view driver, const Value& value);

/// Sorts by domain and id. Keeps only the first of "id" and "driver/id" (upstream picks either).
void SortQualified(std::vector<QualifiedValue>& values);

/// Turns attributes into values. Texts are not copied.
class AttributeReader {
 public:
  explicit AttributeReader(Arena& arena) : arena_(arena) {}

  /// null after an error.
  Value Read(const Attribute& attribute);

  /// "attribute NAME: …", or empty: of several errors the first by name.
  const std::string& error() const { return error_.text; }
  /// The same for environments without list attributes (see Environment::reads_lists).
  const std::string& error_without_lists() const { return error_without_lists_.text; }

 private:
  struct Problem {
    std::string text;
    std::string name;

    void Note(std::string_view attribute, std::string_view problem);
  };

  Value ReadVersion(std::string_view name, std::string_view text);
  Value ReadList(const Attribute& attribute);
  void NoteError(std::string_view name, std::string_view problem);

  Arena& arena_;
  Problem error_;
  Problem error_without_lists_;
};

/// The parts of a device; the values are sorted as SortQualified does.
struct DeviceParts {
  std::string_view driver;
  std::span<const QualifiedValue> attributes;
  std::span<const QualifiedValue> capacity;
  bool allow_multiple_allocations = false;
};

/// The variable `device`, in `arena`; refers to what the parts refer to.
Value MakeDevice(Arena& arena, const DeviceParts& parts);

/// `device`, made by MakeDevice, without allowMultipleAllocations, as evaluations before 1.34 see
/// it whatever their gates are. Shares everything else with it. Costs one small allocation in
/// `arena`.
Value WithoutMultipleAllocations(Arena& arena, const Value& device);

}  // namespace dray::cel
