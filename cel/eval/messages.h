// SPDX-License-Identifier: Apache-2.0
// Values of message literals.
#pragma once

#include <span>
#include <string_view>

#include "cel/check/scope.h"
#include "cel/check/type.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::eval {

struct FieldValue {
  std::string_view name;
  Value value;
  const check::Type* type = nullptr;  // as it is declared
};

/// The value that a literal of the well-known message `name` has. If a field is given twice, the
/// last one counts. Numbers are converted to the type of the field. In a Struct or ListValue
/// everything becomes JSON: numbers become doubles (or texts, if a double cannot hold them), times
/// and bytes become texts. Errors: a value has the wrong type for its field or is too big; the
/// message is Any or Empty, which have no value; there is no such message.
///
/// A literal of a type that the Scope declares becomes a MadeObject, whose values are not
/// converted. Error: a field that is declared as a text has another value, which was dyn.
Value MakeMessage(Arena& arena,
                  std::string_view name,
                  check::Literals literals,
                  std::span<const FieldValue> fields);

}  // namespace dray::cel::eval
