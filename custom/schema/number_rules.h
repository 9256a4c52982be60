// SPDX-License-Identifier: Apache-2.0
// Ranges, multiples and formats of numbers, with the conversions of kube-openapi's validation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/validation/field_path.h"
#include "api/value/tree.h"
#include "custom/formats/value_format.h"
#include "custom/schema/schema.h"

namespace dray::custom::schema {

struct NumberProblem {
  bool is_of_value;    // false: an error that names no field
  std::string shown;   // the value as upstream shows it
  std::string detail;  // what is wrong
};

/// What a number is checked for. `type` is kInteger, kNumber, or kAny where the schema has none or
/// several.
struct NumberRules {
  ValueType type;
  formats::ValueFormat format;
  std::string_view format_name;
  const NumberRange& range;
};

/// How many things are wrong with a number. `problems`, if not null, gets what they are, in
/// upstream's order. Limits of integers are compared as integers, so that a limit of 2.5 is one of
/// 2; a limit that is no integer itself is reported where the type is.
size_t CheckNumber(const api::Tree& number,
                   const NumberRules& rules,
                   const api::validation::Path& path,
                   std::vector<NumberProblem>* problems);

/// Whether upstream takes a double for an integer: one that is whole within 2^53, or nearly so.
bool IsNearlyWhole(double number);

}  // namespace dray::custom::schema
