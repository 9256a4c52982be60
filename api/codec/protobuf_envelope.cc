// SPDX-License-Identifier: Apache-2.0
// What stands around messages: the envelope, lists, events of a watch.
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/meta_v1/list_meta.h"

namespace dray::api::inline codec {
namespace {

constexpr std::string_view kMark("k8s\0", 4);

void PutText(WireWriter& out, uint32_t number, std::string_view text) {
  out.Bytes(text);
  out.Tag({.number = number, .type = WireType::kBytes});
}

// The bytes of a field that has them.
std::string_view TakeText(WireReader& reader, WireTag tag, const char* start) {
  return reader.Expect(tag, WireType::kBytes, start) ? reader.Bytes() : std::string_view();
}

TypeMeta TakeTypeMeta(WireReader& reader, WireTag tag, const char* start) {
  TypeMeta meta;
  if (!reader.Expect(tag, WireType::kBytes, start)) return meta;
  const char* const outer = reader.Open();
  reader.ForEachField([&](WireTag inner, const char* at) {
    if (inner.number == 1) meta.api_version = TakeText(reader, inner, at);
    if (inner.number == 2) meta.kind = TakeText(reader, inner, at);
    return inner.number == 1 || inner.number == 2;
  });
  reader.Close(outer);
  return meta;
}

}  // namespace

Result<ProtobufEnvelope> ReadProtobufEnvelope(std::string_view text) {
  if (text.empty()) return Fail(StatusReason::kBadRequest, "empty data");
  if (!text.starts_with(kMark)) {
    return Fail(StatusReason::kBadRequest,
                "provided data does not appear to be a protobuf message, expected prefix [107 56 "
                "115 0]");
  }
  if (text == kMark) return Fail(StatusReason::kBadRequest, "empty body");
  WireReader reader(text);
  reader.Rewind(text.data() + kMark.size());
  ProtobufEnvelope envelope;
  reader.ForEachField([&](WireTag tag, const char* start) {
    switch (tag.number) {
      case 1: envelope.meta = TakeTypeMeta(reader, tag, start); return true;
      case 2: envelope.raw = TakeText(reader, tag, start); return true;
      case 3: envelope.content_encoding = TakeText(reader, tag, start); return true;
      case 4: envelope.content_type = TakeText(reader, tag, start); return true;
      default: return false;
    }
  });
  if (reader.failed()) return Fail(reader.error("envelope"));
  return envelope;
}

void EncodeProtobufEnvelope(const ProtobufEnvelope& envelope, std::string& out) {
  WireWriter tail;
  PutText(tail, 4, envelope.content_type);
  PutText(tail, 3, envelope.content_encoding);
  WireWriter head;
  head.Varint(envelope.raw.size());
  head.Tag({.number = 2, .type = WireType::kBytes});
  const size_t end = head.size();
  PutText(head, 2, envelope.meta.kind);
  PutText(head, 1, envelope.meta.api_version);
  head.Length(end);
  head.Tag({.number = 1, .type = WireType::kBytes});
  out.reserve(out.size() + kMark.size() + head.size() + envelope.raw.size() + tail.size());
  out.append(kMark).append(head.text()).append(envelope.raw).append(tail.text());
}

Result<Object> DecodeEnvelope(const KindInfo& kind,
                              const ProtobufEnvelope& envelope,
                              DecodeIssues* issues,
                              Wire wire) {
  if (!envelope.content_encoding.empty()) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("unknown content encoding \"{}\"", envelope.content_encoding));
  }
  if (envelope.content_type == "application/json") {
    return DecodeJson(kind, envelope.raw, issues, wire);
  }
  return DecodeProtobuf(kind, envelope.raw, wire);
}

void EncodeProtobufList(const TypeMeta& meta,
                        const meta_v1::ListMeta& metadata,
                        std::span<const std::string_view> items,
                        std::string& out) {
  WireWriter list;
  for (const std::string_view item : std::views::reverse(items)) PutText(list, 2, item);
  std::string message;
  EncodeProtobuf(TypeOf<meta_v1::ListMeta>(), &metadata, message);
  PutText(list, 1, message);
  EncodeProtobufEnvelope({.meta = meta, .raw = list.text()}, out);
}

Result<ObjectList> DecodeProtobufList(const KindInfo& kind, std::string_view raw, Wire wire) {
  WireReader reader(raw);
  ObjectList list;
  std::string_view metadata;
  std::vector<std::string_view> items;
  reader.ForEachField([&](WireTag tag, const char* start) {
    if (tag.number == 1) metadata = TakeText(reader, tag, start);
    if (tag.number == 2) items.push_back(TakeText(reader, tag, start));
    return tag.number == 1 || tag.number == 2;
  });
  if (reader.failed()) return Fail(reader.error("list"));
  DRAY_TRY_VOID(DecodeProtobuf(TypeOf<meta_v1::ListMeta>(), metadata, &list.metadata, wire));
  for (const std::string_view item : items) {
    DRAY_TRY(Object object, DecodeProtobuf(kind, item, wire));
    list.items.push_back(std::move(object));
  }
  return list;
}

void EncodeProtobufWatchEvent(const ProtobufWatchEvent& event, std::string& out) {
  WireWriter message;
  PutText(message, 1, event.object);
  message.Length(0);
  message.Tag({.number = 2, .type = WireType::kBytes});
  PutText(message, 1, event.type);
  out += message.text();
}

Result<ProtobufWatchEvent> ReadProtobufWatchEvent(std::string_view raw) {
  WireReader reader(raw);
  ProtobufWatchEvent event;
  reader.ForEachField([&](WireTag tag, const char* start) {
    if (tag.number == 1) event.type = TakeText(reader, tag, start);
    if (tag.number == 2 && reader.Expect(tag, WireType::kBytes, start)) {
      const char* const outer = reader.Open();
      reader.ForEachField([&](WireTag inner, const char* at) {
        if (inner.number == 1) event.object = TakeText(reader, inner, at);
        return inner.number == 1;
      });
      reader.Close(outer);
    }
    return tag.number == 1 || tag.number == 2;
  });
  if (reader.failed()) return Fail(reader.error("watch event"));
  return event;
}

}  // namespace dray::api::inline codec
