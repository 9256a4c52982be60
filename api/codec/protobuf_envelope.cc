// SPDX-License-Identifier: Apache-2.0
// The framing of messages: the envelope, lists, events of a watch.
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "api/codec/protobuf.h"
#include "api/codec/protobuf_metadata.h"
#include "api/codec/protobuf_wire.h"
#include "api/meta_v1/list_meta.h"
#include "api/meta_v1/object_meta.h"
#include "base/try.h"

namespace dray::api::inline codec {
namespace {

size_t VarintSize(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1U)) + 6) / 7;
}

void PutVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(value | 0x80U);
  out += static_cast<char>(value);
}

// The tag of a field of bytes and how many they are.
std::string FieldHead(uint32_t number, size_t size) {
  std::string head;
  PutVarint(EncodedTag({.number = number, .type = WireType::kBytes}), head);
  PutVarint(size, head);
  return head;
}

// Bytes of a field with a number below 16, of `size` bytes of content.
size_t FieldSize(size_t size) {
  return 1 + VarintSize(size) + size;
}

void PutField(uint32_t number, std::string_view bytes, std::string& out) {
  out.append(FieldHead(number, bytes.size())).append(bytes);
}

// The bytes of an envelope around contents of a known size.
class EnvelopeFrame {
 public:
  // Ignores `raw` of `envelope`.
  EnvelopeFrame(const ProtobufEnvelope& envelope, size_t raw_size) : raw_size_(raw_size) {
    std::string meta;
    PutField(1, envelope.meta.api_version, meta);
    PutField(2, envelope.meta.kind, meta);
    head_ = kEnvelopeMark;
    PutField(1, meta, head_);
    head_ += FieldHead(2, raw_size);
    PutField(3, envelope.content_encoding, tail_);
    PutField(4, envelope.content_type, tail_);
  }

  std::string_view head() const { return head_; }
  std::string_view tail() const { return tail_; }
  size_t size() const { return head_.size() + raw_size_ + tail_.size(); }

 private:
  std::string head_;
  std::string tail_;
  size_t raw_size_;
};

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

// `text` begins with the mark, and `reader` stands at its beginning.
ProtobufEnvelope TakeEnvelope(WireReader& reader, std::string_view text) {
  reader.Rewind(text.data() + kEnvelopeMark.size());
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
  return envelope;
}

}  // namespace

Result<ProtobufEnvelope> ReadProtobufEnvelope(std::string_view text) {
  if (text.empty()) return Fail(StatusReason::kBadRequest, "empty data");
  if (!text.starts_with(kEnvelopeMark)) {
    return Fail(StatusReason::kBadRequest,
                "provided data does not appear to be a protobuf message, expected prefix [107 56 "
                "115 0]");
  }
  if (text == kEnvelopeMark) return Fail(StatusReason::kBadRequest, "empty body");
  WireReader reader(text);
  ProtobufEnvelope envelope = TakeEnvelope(reader, text);
  if (reader.failed()) return Fail(reader.error("envelope"));
  return envelope;
}

bool IsCutOffEnvelope(std::string_view text) {
  if (!text.starts_with(kEnvelopeMark) || text == kEnvelopeMark) return false;
  WireReader reader(text);
  TakeEnvelope(reader, text);
  return reader.cut_off();
}

void EncodeProtobufEnvelope(const ProtobufEnvelope& envelope, std::string& out) {
  const EnvelopeFrame frame(envelope, envelope.raw.size());
  out.reserve(out.size() + frame.size());
  out.append(frame.head()).append(envelope.raw).append(frame.tail());
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

Result<Object> DecodeProtobufMetadata(const KindInfo& kind, std::string_view raw, Wire wire) {
  constexpr uint32_t kMetadata = 1;  // the number of the field in every kind
  Object object = Object::Make(kind);
  WireReader reader(raw);
  while (!reader.AtEnd()) {
    const char* const start = reader.at();
    const WireTag tag = reader.Tag();
    if (reader.failed()) break;
    if (tag.number != kMetadata) {
      reader.Skip(tag);
      continue;
    }
    const std::string_view metadata = TakeText(reader, tag, start);
    if (reader.failed()) break;
    DRAY_TRY_VOID(
        DecodeProtobuf(TypeOf<meta_v1::ObjectMeta>(), metadata, &object.mutable_metadata(), wire));
    return object;  // writers have the fields in the order of their numbers
  }
  if (reader.failed()) return Fail(reader.error(kind.kind));
  return object;
}

ProtobufListFrame FrameProtobufList(const TypeMeta& meta,
                                    const meta_v1::ListMeta& metadata,
                                    size_t items_size) {
  std::string head;
  EncodeProtobuf(TypeOf<meta_v1::ListMeta>(), &metadata, head);
  head.insert(0, FieldHead(1, head.size()));
  const EnvelopeFrame frame({.meta = meta, .raw = {}}, head.size() + items_size);
  return {.head = std::string(frame.head()) + head, .tail = std::string(frame.tail())};
}

void EncodeProtobufListItems(std::span<const std::string_view> items, std::string& out) {
  size_t size = 0;
  for (const std::string_view item : items) size += FieldSize(item.size());
  out.reserve(out.size() + size);
  for (const std::string_view item : items) PutField(2, item, out);
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

void EncodeProtobufWatchFrame(std::string_view type,
                              const ProtobufEnvelope& object,
                              std::string& out) {
  const EnvelopeFrame frame(object, object.raw.size());
  const size_t extension = FieldSize(frame.size());  // the RawExtension around the envelope
  const size_t size = FieldSize(type.size()) + FieldSize(extension);
  out.reserve(out.size() + sizeof(uint32_t) + size);
  for (unsigned shift = 32; shift != 0; shift -= 8) {
    out += static_cast<char>(size >> (shift - 8));
  }
  PutField(1, type, out);
  out.append(FieldHead(2, extension)).append(FieldHead(1, frame.size()));
  out.append(frame.head()).append(object.raw).append(frame.tail());
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
