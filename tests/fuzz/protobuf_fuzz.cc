// SPDX-License-Identifier: Apache-2.0
// Bytes as a message of every kind, bare or in an envelope: a message that decodes can be encoded,
// and from then on the bytes stay the same. The same holds through JSON, once it has dropped what
// it cannot express.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "base/check.h"
#include "tests/fuzz/chosen_kinds.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

std::string Message(const api::Object& object) {
  std::string out;
  api::EncodeProtobuf(object.type(), object.value(), out);
  return out;
}

// An object of a request can be stored, and is readable.
void CheckStored(const api::Object& object) {
  std::string stored;
  DRAY_CHECK(api::EncodeStored(object, stored) == api::Readable::kSurely);
  const auto envelope = api::ReadProtobufEnvelope(stored);
  DRAY_CHECK(envelope.has_value());
  const auto read = api::DecodeEnvelope(object.kind(), *envelope, nullptr, {.stored = true});
  DRAY_CHECK(read.has_value());
  DRAY_CHECK(*read == object);
}

// JSON cannot express an empty time or a present null, so compares only values after one round
// trip.
void CheckJson(const api::Object& object) {
  api::DecodeIssues issues;
  const auto once = api::DecodeJson(object.kind(), api::ToJson(object), &issues);
  // Opaque parameters may be as deep as JSON goes, and stand deeper here.
  DRAY_CHECK(once || once.error().message.contains("max depth"));
  if (!once) return;
  DRAY_CHECK(issues.empty());
  const std::string json = api::ToJson(*once);
  const auto twice = api::DecodeJson(object.kind(), json, &issues);
  DRAY_CHECK(twice.has_value());
  DRAY_CHECK(api::ToJson(*twice) == json);
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view raw(reinterpret_cast<const char*>(data), size);
  const auto event = api::ReadProtobufWatchEvent(raw);
  const auto envelope = api::ReadProtobufEnvelope(raw);
  if (envelope) raw = envelope->raw;
  for (const api::KindInfo* kind : fuzz::ChosenKinds(raw.size())) {
    const auto first = api::DecodeProtobuf(*kind, raw);
    if (!first) continue;
    const std::string encoded = Message(*first);
    const auto second = api::DecodeProtobuf(*kind, encoded);
    DRAY_CHECK(second.has_value());
    DRAY_CHECK(Message(*second) == encoded);
    DRAY_CHECK(*second == *first);
    CheckStored(*first);
    CheckJson(*first);
  }
  return 0;
}
