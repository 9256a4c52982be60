// SPDX-License-Identifier: Apache-2.0
// The required shape of a recording before a runner reads it. A reader of a checked document needs
// no check of its own, and a document with another shape gets a message that names the place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace dray::vectors {

enum class Shape : uint8_t { kObject, kList, kText, kNumber, kWholeNumber, kTextOrTexts, kAny };

/// The values at `place` have that shape. `*` in a place stands for each element of a list or each
/// member of an object: "/steps/*/do".
struct ShapeRule {
  std::string_view place;
  Shape shape = Shape::kAny;
  bool is_required = false;  // in each parent that exists and is an object
};

/// Applies the rules in order; a value whose parent has no such member is passed over.
///
/// Errors: kBadRequest  the first place that breaks a rule: "/steps/2/do: must be a list".
Result<> CheckShape(const boost::json::value& document, std::span<const ShapeRule> rules);

/// `text` as one JSON value.
///
/// Errors: kBadRequest  the line where it stops being JSON, and why: "line 3: syntax error".
Result<boost::json::value> ReadJson(std::string_view text);

/// However it is written: 2, 2.0 or 2e0. Precondition: `value` is a number.
double NumberOf(const boost::json::value& value);

}  // namespace dray::vectors
