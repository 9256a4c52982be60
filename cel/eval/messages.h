// SPDX-License-Identifier: Apache-2.0
// Values of message literals.
#pragma once

#include <span>
#include <string_view>

#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::eval {

struct FieldValue {
  std::string_view name;
  Value value;
};

/// The value that a literal of the well-known message `name` has. If a field is given twice, the
/// last one counts. Numbers are converted to the type of the field. In a Struct or ListValue
/// everything becomes JSON: numbers become doubles (or texts, if a double cannot hold them), times
/// and bytes become texts. Errors: a value has the wrong type for its field or is too big; the
/// message is Any or Empty, which have no value; there is no such message.
Value MakeMessage(Arena& arena, std::string_view name, std::span<const FieldValue> fields);

}  // namespace dray::cel::eval
