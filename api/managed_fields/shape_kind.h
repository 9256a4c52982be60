// SPDX-License-Identifier: Apache-2.0
// The ways in which values merge.
#pragma once

#include <cstdint>

namespace dray::api::managed_fields {

enum class ShapeKind : uint8_t {
  kBool,
  kNumber,
  kText,
  kAnyScalar,  // quantities, times, numbers or texts
  kOpaque,     // JSON that the server does not look into
  kSet,        // a list without repetitions
  kKeyedList,  // a list whose elements have keys
  kMap,        // from texts
  kStruct,
  kAtomic,   // a list, map or struct that one writer has as a whole
  kDeduced,  // the schema does not say: what is there decides (Resolve)
};

/// What a value in a document looks like.
enum class ShapeForm : uint8_t { kScalar, kList, kObject };

}  // namespace dray::api::managed_fields
