// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/known_types.h"

#include "custom/formats/value_format.h"

namespace dray::custom::definitions {

bool IsKnownFormat(std::string_view type, std::string_view format) {
  using formats::ValueFormat;
  if (type == "integer") return formats::IntegerFormatNamed(format) != ValueFormat::kNone;
  if (type == "number") return formats::NumberFormatNamed(format) != ValueFormat::kNone;
  if (!type.empty() && type != "string") return false;
  return formats::TextFormatNamed(format) != ValueFormat::kNone;
}

}  // namespace dray::custom::definitions
