// SPDX-License-Identifier: Apache-2.0
#include "cli/store_record_json.h"

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/reflect.h"
#include "api/value/raw_json.h"
#include "api/value/time.h"
#include "base/base64.h"
#include "base/result.h"

namespace dray::cli {
namespace {

constexpr api::Wire kStored{.stored = true};

std::optional<std::string> ObjectInEnvelope(const api::Scheme& scheme, std::string_view value) {
  const auto envelope = api::ReadProtobufEnvelope(value);
  if (!envelope.has_value()) return std::nullopt;
  const api::KindInfo* kind = scheme.FindKind(envelope->meta.api_version, envelope->meta.kind);
  if (kind == nullptr) return std::nullopt;
  const auto object = api::DecodeEnvelope(*kind, *envelope, nullptr, kStored);
  if (!object.has_value()) return std::nullopt;
  return api::ToJson(*object);
}

/// The value as JSON in one line; nothing if it is neither an object nor JSON.
std::optional<std::string> ValueJson(const api::Scheme& scheme, std::string_view value) {
  if (value.starts_with("k8s")) return ObjectInEnvelope(scheme, value);
  api::JsonReader reader(value);
  reader.Skip();
  if (!reader.Finish()) return std::nullopt;
  return api::RawJson(std::string(value)).compact();
}

void AppendText(std::string_view name, std::string_view text, std::string& line) {
  line += fmt::format("\"{}\":", name);
  api::QuoteJson(text, line);
}

}  // namespace

std::string JsonLine(const api::Scheme& scheme, const RecordLine& record) {
  std::string line = "{";
  if (record.replaced.has_value()) {
    line += fmt::format(R"("type":"{}",)", record.is_deletion ? "delete" : "put");
  }
  AppendText("key", record.key, line);
  line += fmt::format(R"(,"created":{},"modified":{},"version":{})",
                      record.created.value(),
                      record.modified.value(),
                      record.version);
  if (record.replaced.has_value())
    line += fmt::format(",\"replaced\":{}", record.replaced->value());
  if (record.expiry.has_value()) {
    line += ",";
    AppendText("expires", api::Time::Of(*record.expiry).ToString(), line);
  }
  if (!record.is_deletion) {
    line += ",";
    if (const auto json = ValueJson(scheme, record.value)) {
      line += "\"value\":" + *json;
    } else {
      AppendText("valueBase64", EncodeBase64(record.value), line);
    }
  }
  return line + "}";
}

}  // namespace dray::cli
