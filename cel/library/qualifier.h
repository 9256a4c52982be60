// SPDX-License-Identifier: Apache-2.0
// Selection and indexing: one step along a path.
#pragma once

#include <string>

#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::library {

struct LookupResult {
  Value value;  // if present; may be an error
  bool present = false;
};

/// The part of `container` at `key`. Scalars have no parts; a key of the wrong type for a list is
/// an error.
LookupResult LookUp(Arena& arena, const Value& container, const Value& key);

/// As messages show a key: "1.5", "gpu".
std::string KeyText(const Value& key);

/// Why `container` has no part at `key`: "no such key: K", "index out of bounds: N".
Value MissingPart(Arena& arena, const Value& container, const Value& key);

}  // namespace dray::cel::library
