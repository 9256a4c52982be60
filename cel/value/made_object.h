// SPDX-License-Identifier: Apache-2.0
// Objects that literals of declared types make: Name{field: value}.
#pragma once

#include <span>
#include <string_view>

#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::inline value {

/// A map to the language, with the name of its type. Belongs to one evaluation.
class MadeObject final : public MapView {
 public:
  /// The type's name and the fields, sorted by KeyLess, outlive it.
  MadeObject(std::string_view type, std::span<const MapEntry> fields, const Value& absent)
      : type_(type), fields_(fields), absent_(absent) {}

  std::string_view type() const { return type_; }
  /// What reading a field gives that was not set.
  const Value& absent() const { return absent_; }

  const Value* Find(std::string_view key) override;
  size_t size() const override { return fields_.size(); }
  std::span<const MapEntry> Entries() override { return fields_; }
  const void* schema() const override;
  /// Objects of different types are different.
  Value Equals(const MapView& other, Work& work) const override;

 private:
  std::string_view type_;
  std::span<const MapEntry> fields_;
  Value absent_;
};

/// An object of `type` with `fields`, whose keys are texts; of one that is given twice the last
/// counts. Fails above kWeightMax.
Value MakeObject(Arena& arena,
                 std::string_view type,
                 std::span<const MapEntry> fields,
                 const Value& absent);

/// Null for other values.
const MadeObject* MadeObjectOf(const Value& value);

}  // namespace dray::cel::inline value
