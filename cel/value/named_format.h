// SPDX-License-Identifier: Apache-2.0
// Named formats: format.dns1123Label(), format.named("uuid") and the rest.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/release.h"
#include "api/text/names.h"

namespace dray::cel::inline value {

struct NamedFormat {
  std::string_view function;  // "format." and the name
  std::string_view shown;     // as the value is printed: DNS1123Label
  uint32_t pattern_size;      // of the regular expression that upstream charges for
  api::NameErrors (*check)(std::string_view text);
  api::Releases in = {};

  std::string_view name() const { return function.substr(function.find('.') + 1); }
};

}  // namespace dray::cel::inline value
