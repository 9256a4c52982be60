// SPDX-License-Identifier: Apache-2.0
// Bytes as quantities, one a line: the canonical text reads back as the same amount, and sums and
// comparisons agree with each other.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/value/quantity.h"
#include "base/check.h"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dray::api::Quantity;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::optional<Quantity> last;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const auto parsed = Quantity::Parse(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!parsed) continue;
    const auto again = Quantity::Parse(parsed->ToString());
    DRAY_CHECK(again.has_value());
    DRAY_CHECK(*again == *parsed);
    DRAY_CHECK(-(-*parsed) == *parsed);
    if (last) {
      const Quantity sum = *parsed + *last;
      DRAY_CHECK(sum == *last + *parsed);
      DRAY_CHECK((sum - *last) == *parsed);
      DRAY_CHECK((sum <=> *parsed) == (*last <=> Quantity()));
    }
    last = *parsed;
  }
  return 0;
}
