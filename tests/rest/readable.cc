// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/readable.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/codec/yaml.h"
#include "api/kind.h"
#include "api/meta_v1/list_meta.h"
#include "api/meta_v1/status.h"
#include "base/try.h"

namespace dray::rest {
namespace {

namespace json = boost::json;

constexpr int kDepthMax = 16;
constexpr size_t kJsonDepthMax = 2000;

const api::Scheme& Kinds() {
  static const api::Scheme kKinds;
  return kKinds;
}

template <class T>
Result<json::value> DecodedStruct(const api::TypeMeta& meta, std::string_view raw) {
  T value;
  DRAY_TRY_VOID(api::DecodeProtobuf(api::TypeOf<T>(), raw, &value));
  std::string text;
  api::EncodeJson(meta, api::TypeOf<T>(), &value, text);
  return FromJson(text);
}

Result<json::value> DecodedList(const api::TypeMeta& meta,
                                const api::KindInfo& kind,
                                std::string_view raw) {
  DRAY_TRY(const api::ObjectList list, api::DecodeProtobufList(kind, raw));
  std::string text;
  api::EncodeJson({}, api::TypeOf<api::meta_v1::ListMeta>(), &list.metadata, text);
  DRAY_TRY(json::value metadata, FromJson(text));
  json::array items;
  for (const api::Object& item : list.items) {
    DRAY_TRY(json::value object, FromJson(api::ToJson(item)));
    items.push_back(std::move(object));
  }
  return json::object{{"apiVersion", meta.api_version},
                      {"kind", meta.kind},
                      {"metadata", std::move(metadata)},
                      {"items", std::move(items)}};
}

/// Nothing when the bytes are no message.
Result<json::value> Fields(std::string_view bytes, int depth);

json::value ValueOf(std::string_view bytes, int depth) {
  if (depth < kDepthMax && !bytes.empty()) {
    if (Result<json::value> message = Fields(bytes, depth + 1)) return *std::move(message);
  }
  return json::string(bytes);
}

Result<json::value> Fields(std::string_view bytes, int depth) {
  json::object fields;
  api::WireReader reader(bytes);
  while (!reader.AtEnd() && !reader.failed()) {
    const api::WireTag tag = reader.Tag();
    json::value value;
    switch (tag.type) {
      case api::WireType::kVarint: value = reader.Varint(); break;
      case api::WireType::kBytes: value = ValueOf(reader.Bytes(), depth); break;
      default: return Fail(StatusReason::kBadRequest, "a field of another type");
    }
    json::value& values = fields[std::to_string(tag.number)];
    if (!values.is_array()) values = json::array();
    values.get_array().push_back(std::move(value));
  }
  if (reader.failed()) return Fail(StatusReason::kBadRequest, "no message");
  return fields;
}

}  // namespace

Result<json::value> FromProtobuf(std::string_view body) {
  DRAY_TRY(const api::ProtobufEnvelope envelope, api::ReadProtobufEnvelope(body));
  const api::TypeMeta& meta = envelope.meta;
  if (meta.kind == "Status") return DecodedStruct<api::meta_v1::Status>(meta, envelope.raw);
  if (const api::KindInfo* kind = Kinds().FindKind(meta.api_version, meta.kind)) {
    DRAY_TRY(const api::Object object, api::DecodeProtobuf(*kind, envelope.raw));
    return FromJson(api::ToJson(object));
  }
  constexpr std::string_view kList = "List";
  if (meta.kind.ends_with(kList)) {
    const std::string_view item =
        std::string_view(meta.kind).substr(0, meta.kind.size() - kList.size());
    if (const api::KindInfo* kind = Kinds().FindKind(meta.api_version, item)) {
      return DecodedList(meta, *kind, envelope.raw);
    }
  }
  DRAY_TRY(json::value message, Fields(envelope.raw, 0));
  return json::object{
      {"apiVersion", meta.api_version}, {"kind", meta.kind}, {"message", std::move(message)}};
}

Result<json::value> FromProtobufFrame(std::string_view frame) {
  DRAY_TRY(const api::ProtobufWatchEvent event, api::ReadProtobufWatchEvent(frame));
  DRAY_TRY(json::value object, FromProtobuf(event.object));
  return json::object{{"type", event.type}, {"object", std::move(object)}};
}

Result<json::value> FromYaml(std::string_view body) {
  DRAY_TRY(const api::YamlDocument document, api::YamlToJson(body));
  return FromJson(document.json);
}

Result<json::value> FromJson(std::string_view body) {
  json::parse_options options;
  options.max_depth = kJsonDepthMax;
  boost::system::error_code failed;
  json::value value = json::parse(body, failed, {}, options);
  if (failed) return Fail(StatusReason::kBadRequest, "no JSON: " + failed.message());
  return value;
}

}  // namespace dray::rest
