// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/store_record_json.h"

#include <optional>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/json_writer.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/reflect.h"
#include "api/value/raw_json.h"
#include "api/value/time.h"
#include "base/result.h"
#include "base/text/base64.h"

namespace dray::cli::inline stores {
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

}  // namespace

std::string JsonLine(const api::Scheme& scheme, const RecordLine& record) {
  const bool is_of_log = record.replaced.has_value();
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      if (is_of_log) json.Member("type", record.is_deletion ? "delete" : "put");
      json.Member("key", record.key);
      json.Member("created", record.created.value());
      json.Member("modified", record.modified.value());
      json.Member("version", record.version);
      if (is_of_log) json.Member("replaced", record.replaced->value());
      if (record.expiry.has_value()) {
        json.Member("expires", api::Time::Of(*record.expiry).ToString());
      }
      if (record.is_deletion) return;
      if (const auto value = ValueJson(scheme, record.value)) {
        json.Member("value").Raw(*value);
      } else {
        json.Member("valueBase64", EncodeBase64(record.value));
      }
    });
  });
}

}  // namespace dray::cli::inline stores
