// SPDX-License-Identifier: Apache-2.0
// Bytes as YAML: the result is JSON, and reads the same after being written as YAML.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/codec/json_reader.h"
#include "api/codec/yaml.h"
#include "base/check.h"

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto chunks = api::SplitYaml(text);
  if (!chunks) return 0;
  for (const api::YamlChunk& chunk : *chunks) {
    const auto document = api::YamlToJson(chunk.text, {.with_lines = true});
    if (!document) continue;
    api::JsonReader reader(document->json);
    reader.Skip();
    DRAY_CHECK(reader.Finish());
    const auto yaml = api::JsonToYaml(document->json);
    if (!yaml) continue;  // deeper than is written
    const auto again = api::YamlToJson(*yaml);
    DRAY_CHECK(!again || again->json == document->json);  // it may have become too large
  }
  return 0;
}
