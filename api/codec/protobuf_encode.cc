// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <ranges>

#include "api/codec/json_reader.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/codec/value_as.h"

namespace dray::api::inline codec {
namespace {

// A signed number is written as its 64-bit two's complement, whatever its width.
uint64_t Bits(int64_t number) {
  return static_cast<uint64_t>(number);
}

constexpr WireTag BytesTag(uint32_t number) {
  return {.number = number, .type = WireType::kBytes};
}

constexpr WireTag VarintTag(uint32_t number) {
  return {.number = number, .type = WireType::kVarint};
}

// Whether the reader of opaque JSON takes `bytes`.
bool IsJson(std::string_view bytes) {
  JsonReader reader(bytes);
  reader.Skip();
  return reader.Finish();
}

/// Writes messages from their last field to their first (WireWriter).
class ProtobufEncoder {
 public:
  /// `judges`: whether readable() is called later.
  explicit ProtobufEncoder(Wire wire, bool judges = false) : wire_(wire), judges_(judges) {}

  // What EncodeProtobufEnvelope() writes around it too.
  void Envelope(const KindInfo& kind, const Type& type, const void* value) {
    Text(4, {});
    Text(3, {});
    const size_t end = out_.size();
    Message(type, value);
    out_.Length(end);
    out_.Tag(BytesTag(2));
    const size_t meta_end = out_.size();
    Text(2, kind.kind);
    Text(1, kind.api_version);
    out_.Length(meta_end);
    out_.Tag(BytesTag(1));
    out_.Raw(kEnvelopeMark);
  }

  std::string_view text() const { return out_.text(); }
  /// Whether the output is readable. Every check of the decoder (protobuf_decode.cc) is about a
  /// value that is checked below, or about bytes that this encoder never writes; no kind nests its
  /// messages too deep.
  Readable readable() const { return readable_; }

  void Message(const Type& type, const void* value) {
    for (const uint16_t index : std::views::reverse(type.by_number)) {
      const Field& field = type.fields[index];
      if (!field.usual && !field.IsOn(wire_)) continue;
      Member(field, field.of(value));
    }
  }

 private:
  void Member(const Field& field, const void* member) {
    const Type& type = field.type();
    switch (type.kind) {
      case TypeKind::kOptional:
        if (type.container->size(member) != 0) {
          Single(field.number, type.element(), type.container->at(member, 0));
        } else if (field.facets.plain.Rules(wire_.release)) {
          Zero(field.number, type.element());
        }
        return;
      case TypeKind::kList: List(field.number, type, member); return;
      case TypeKind::kMap: Map(field.number, type, member); return;
      case TypeKind::kBytes:  // a Go slice: not written when there is none
        if (!ValueAs<Bytes>(member).bytes.empty()) Single(field.number, type, member);
        return;
      default: Single(field.number, type, member); return;
    }
  }

  void List(uint32_t number, const Type& type, const void* list) {
    const Type& element = type.element();
    for (size_t i = type.container->size(list); i-- > 0;) {
      Single(number, element, type.container->at(list, i));
    }
  }

  void Map(uint32_t number, const Type& type, const void* map) {
    const Type& element = type.element();
    for (size_t i = type.container->size(map); i-- > 0;) {
      const size_t end = out_.size();
      Single(2, element, type.container->at(map, i));
      String(1, type.container->key(map, i));
      out_.Length(end);
      out_.Tag(BytesTag(number));
    }
  }

  // Writes a field that is present: its tag and its value.
  void Single(uint32_t number, const Type& type, const void* value) {
    switch (type.kind) {
      case TypeKind::kBool: return Varint(number, ValueAs<bool>(value) ? 1 : 0);
      case TypeKind::kInt32: return Varint(number, Bits(ValueAs<int32_t>(value)));
      case TypeKind::kInt64: return Varint(number, Bits(ValueAs<int64_t>(value)));
      case TypeKind::kDouble: return Double(number, ValueAs<double>(value));
      case TypeKind::kString: return String(number, ValueAs<std::string>(value));
      case TypeKind::kBytes: return Text(number, ValueAs<Bytes>(value).bytes);
      default: break;
    }
    const size_t end = out_.size();
    Content(type, value);
    out_.Length(end);
    out_.Tag(BytesTag(number));
  }

  // Writes the contents of a message.
  void Content(const Type& type, const void* value) {
    switch (type.kind) {
      case TypeKind::kStruct: return Message(type, value);
      case TypeKind::kList: return List(1, type, value);  // of a map: upstream's ExtraValue
      case TypeKind::kQuantity: return Amount(ValueAs<Quantity>(value));
      case TypeKind::kDuration: return Varint(1, Bits(ValueAs<Duration>(value).nanos()));
      case TypeKind::kTime:
        if (!ValueAs<Time>(value).IsZero()) Instant(ValueAs<Time>(value).unix_seconds(), 0);
        return;
      case TypeKind::kMicroTime: return Micros(ValueAs<MicroTime>(value));
      case TypeKind::kRawJson: return Opaque(ValueAs<RawJson>(value).bytes());
      case TypeKind::kIntOrString: return NumberOrText(ValueAs<IntOrString>(value));
      default: return;  // Single() and Member() have written the others
    }
  }

  // Writes the zero of a member that cannot be absent, where our struct has no value.
  void Zero(uint32_t number, const Type& type) {
    switch (type.kind) {
      case TypeKind::kBool:
      case TypeKind::kInt32:
      case TypeKind::kInt64: return Varint(number, 0);
      default: return Text(number, {});
    }
  }

  void Varint(uint32_t number, uint64_t value) {
    out_.Varint(value);
    out_.Tag(VarintTag(number));
  }

  void Double(uint32_t number, double value) {
    Judge([&] { return std::isfinite(value); });
    out_.Fixed64(std::bit_cast<uint64_t>(value));
    out_.Tag({.number = number, .type = WireType::kFixed64});
  }

  void Text(uint32_t number, std::string_view text) {
    out_.Bytes(text);
    out_.Tag(BytesTag(number));
  }

  void String(uint32_t number, std::string_view text) {
    Judge([&] { return IsUtf8(text); });
    Text(number, text);
  }

  void Amount(const Quantity& quantity) {
    const std::string text = quantity.ToString();
    Judge([&] { return Quantity::Parse(text).has_value(); });
    Text(1, text);
  }

  void Opaque(std::string_view json) {
    if (json.empty()) return;
    Judge([&] { return IsJson(json); });
    Text(1, json);
  }

  // `nanos` are of a second.
  void Instant(int64_t seconds, int32_t nanos) {
    Judge([&] { return seconds >= kTimeMinUnixSeconds && seconds <= kTimeMaxUnixSeconds; });
    Varint(2, Bits(nanos));
    Varint(1, Bits(seconds));
  }

  void Micros(const MicroTime& time) {
    if (time.IsZero()) return;
    constexpr int64_t kMicros = 1'000'000;
    const int64_t rest = time.unix_micros() % kMicros;
    const int64_t micros = rest < 0 ? rest + kMicros : rest;
    const int64_t seconds = time.unix_micros() / kMicros - (rest < 0 ? 1 : 0);
    Instant(seconds, static_cast<int32_t>(micros * 1000));
  }

  void NumberOrText(const IntOrString& value) {
    String(3, value.text());
    Varint(2, Bits(value.number()));
    Varint(1, value.is_string() ? 1 : 0);
  }

  template <class F>
  void Judge(F is_readable) {
    if (judges_ && !is_readable()) readable_ = Readable::kPerhaps;
  }

  Wire wire_;
  bool judges_;
  Readable readable_ = Readable::kSurely;
  WireWriter out_;
};

}  // namespace

void EncodeProtobuf(const Type& type, const void* value, std::string& out, Wire wire) {
  ProtobufEncoder encoder(wire);
  encoder.Message(type, value);
  out += encoder.text();
}

void EncodeProtobuf(
    const TypeMeta& meta, const Type& type, const void* value, std::string& out, Wire wire) {
  ProtobufEncoder encoder(wire);
  encoder.Message(type, value);
  EncodeProtobufEnvelope({.meta = meta, .raw = encoder.text()}, out);
}

void EncodeProtobuf(const Object& object, std::string& out, Wire wire) {
  const KindInfo& kind = object.kind();
  EncodeProtobuf({.api_version = std::string(kind.api_version), .kind = std::string(kind.kind)},
                 object.type(),
                 object.value(),
                 out,
                 wire);
}

Readable EncodeStored(const Object& object, std::string& out) {
  ProtobufEncoder encoder({.stored = true}, true);
  encoder.Envelope(object.kind(), object.type(), object.value());
  out += encoder.text();
  return encoder.readable();
}

}  // namespace dray::api::inline codec
