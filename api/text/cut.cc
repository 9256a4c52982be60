// SPDX-License-Identifier: Apache-2.0
#include "api/text/cut.h"

namespace dray::api::inline text {

std::string Cut(std::string_view text, size_t max) {
  if (text.size() <= max) return std::string(text);
  size_t end = max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace dray::api::inline text
