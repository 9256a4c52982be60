// SPDX-License-Identifier: Apache-2.0
// Values of expressions as the CEL vectors write them: {"type": T, "value": V}
// (tests/data/vectors/cel/README.md, section Tagged values).
#pragma once

#include <boost/json.hpp>

#include "base/result.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::vectors {

/// `value` with its tag. Durations are in Go's form, timestamps in UTC; both also have members
/// `seconds` and `nanos`. An error is {"type": "error", "value": message}.
boost::json::value Tagged(const cel::Value& value);

/// Whether two tagged values are the same: type and value, doubles by value and sign (all NaN are
/// one), quantities by number, maps in any order.
bool SameTagged(const boost::json::value& got, const boost::json::value& want);

/// Whether two tagged lists have the same elements in any order.
bool SameElements(const boost::json::value& got, const boost::json::value& want);

/// The value that `tagged` writes, in `arena`.
/// Errors: kBadRequest  a type that no variable has in the vectors.
Result<cel::Value> ReadTagged(const boost::json::object& tagged, cel::Arena& arena);

}  // namespace dray::vectors
