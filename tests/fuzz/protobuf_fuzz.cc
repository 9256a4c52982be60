// SPDX-License-Identifier: Apache-2.0
// Bytes as a message of every kind, bare or in an envelope: what decodes encodes, and from then on
// the bytes stay the same, in protobuf as in JSON.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/json.h"
#include "api/kind.h"
#include "api/protobuf.h"
#include "base/check.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

std::string Message(const api::Object& object) {
  std::string out;
  api::EncodeProtobuf(object.type(), object.value(), out);
  return out;
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view raw(reinterpret_cast<const char*>(data), size);
  const auto event = api::ReadProtobufWatchEvent(raw);
  const auto envelope = api::ReadProtobufEnvelope(raw);
  if (envelope) raw = envelope->raw;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    const auto first = api::DecodeProtobuf(*kind, raw);
    if (!first) continue;
    const std::string encoded = Message(*first);
    const auto second = api::DecodeProtobuf(*kind, encoded);
    DRAY_CHECK(second.has_value());
    DRAY_CHECK(Message(*second) == encoded);
    DRAY_CHECK(*second == *first);
    api::DecodeIssues issues;
    const std::string json = api::ToJson(*first);
    const auto third = api::DecodeJson(*kind, json, &issues);
    DRAY_CHECK(third.has_value() && issues.empty());
    DRAY_CHECK(api::ToJson(*third) == json);
  }
  return 0;
}
