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

/// The value that a well-known message of this name stands for; of a field given twice the last one
/// counts. Numbers become those of the field, what goes into a Struct or ListValue becomes JSON:
/// all numbers are doubles (or texts, if a double cannot hold them), times and bytes are texts.
/// Errors: a value is none of the field's type or too big; Any and Empty stand for no value; the
/// name is that of no message.
Value MakeMessage(Arena& arena, std::string_view name, std::span<const FieldValue> fields);

}  // namespace dray::cel::eval
