// SPDX-License-Identifier: Apache-2.0
// Bytes as label and field selectors: the text of a parsed selector parses as the same selector,
// and selects the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/selectors/field_selector.h"
#include "api/selectors/label_selector.h"
#include "base/check.h"

namespace {

using namespace dray::api;  // NOLINT(google-build-using-namespace): this file is only glue

void CheckLabels(std::string_view text) {
  const auto selector = LabelSelector::Parse(text);
  if (!selector || selector->ToString().size() > kSelectorTextMax) return;
  const auto again = LabelSelector::Parse(selector->ToString());
  DRAY_CHECK(again.has_value());
  DRAY_CHECK(again->ToString() == selector->ToString());
  for (const Labels& labels : {Labels(), Labels{{"a", "b"}}, Labels{{"a", "5"}, {"c", ""}}}) {
    DRAY_CHECK(again->Matches(labels) == selector->Matches(labels));
  }
}

void CheckFields(std::string_view text) {
  const auto selector = FieldSelector::Parse(text);
  if (!selector || selector->ToString().size() > kSelectorTextMax) return;
  const auto again = FieldSelector::Parse(selector->ToString());
  DRAY_CHECK(again.has_value());
  // The order is that of the text as it was written, so it may change once: x==b becomes x=b.
  DRAY_CHECK(again->requirements().size() == selector->requirements().size());
  const auto twice = FieldSelector::Parse(again->ToString());
  DRAY_CHECK(twice.has_value() && *twice == *again);
  for (const std::string_view actual : {"", "a", "node-1"}) {
    const auto value_of = [&](std::string_view) { return actual; };
    DRAY_CHECK(again->Matches(value_of) == selector->Matches(value_of));
  }
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckLabels(text);
  CheckFields(text);
  return 0;
}
