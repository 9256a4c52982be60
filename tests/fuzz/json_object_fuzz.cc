// SPDX-License-Identifier: Apache-2.0
// Bytes as an object of every kind: an object that decodes can be encoded, and decodes again to the
// same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/kind.h"
#include "base/check.h"
#include "tests/fuzz/chosen_kinds.h"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const dray::api::KindInfo* kind : dray::fuzz::ChosenKinds(text.size())) {
    dray::api::DecodeIssues issues;
    const auto first = dray::api::DecodeJson(*kind, text, &issues);
    if (!first.has_value()) continue;
    const std::string encoded = dray::api::ToJson(*first);
    dray::api::DecodeIssues none;
    const auto second = dray::api::DecodeJson(*kind, encoded, &none);
    DRAY_CHECK(second.has_value());
    DRAY_CHECK(none.empty());
    DRAY_CHECK(dray::api::ToJson(*second) == encoded);
  }
  return 0;
}
