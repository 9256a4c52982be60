// SPDX-License-Identifier: Apache-2.0
// Protocol buffers of API objects, both ways, written once over the tables of api/reflect.h, with
// the rules of Kubernetes. A field that is no pointer in Go is always written, zero or not. Fields
// are in the order of their numbers and maps in the order of their keys, so equal objects have
// equal bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/meta_v1/list_meta.h"
#include "api/object.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::inline codec {

inline constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

/// A message after Kubernetes' prefix (`k8s` and a zero byte): its type and its bytes.
struct ProtobufEnvelope {
  TypeMeta meta;
  std::string_view raw;  // points into the text read
  std::string_view content_encoding = {};
  std::string_view content_type = {};  // of raw; empty: protobuf
};

/// Reads the envelope only, not its contents.
///
/// Errors: kBadRequest  no envelope, in upstream's words, or broken at some byte.
Result<ProtobufEnvelope> ReadProtobufEnvelope(std::string_view text);

/// Whether `text` is an envelope that ends too early, for which upstream's reader has another error
/// text.
bool IsCutOffEnvelope(std::string_view text);

/// Appends the envelope with everything in it.
void EncodeProtobufEnvelope(const ProtobufEnvelope& envelope, std::string& out);

/// Appends the message of `value`, a struct, without an envelope.
void EncodeProtobuf(const Type& type, const void* value, std::string& out, Wire wire = {});

/// Appends a whole object in its envelope.
void EncodeProtobuf(const Object& object, std::string& out, Wire wire = {});

/// The same for a struct with the kind and apiVersion of `meta`.
void EncodeProtobuf(
    const TypeMeta& meta, const Type& type, const void* value, std::string& out, Wire wire = {});

/// Whether DecodeProtobuf() can read the written bytes, as far as that is known without trying.
enum class Readable : uint8_t { kSurely, kPerhaps };

/// Appends a whole object in its envelope, in the form of the store (Wire::stored). kSurely is
/// guaranteed (docs/design/server.md); objects that cannot be read give kPerhaps.
Readable EncodeStored(const Object& object, std::string& out);

/// The bytes before and after the items of a list in its envelope.
struct ProtobufListFrame {
  std::string head, tail;
};
/// The frame around items that take `items_size` bytes.
ProtobufListFrame FrameProtobufList(const TypeMeta& meta,
                                    const meta_v1::ListMeta& metadata,
                                    size_t items_size);
/// Appends items of a list; they are messages without envelopes.
void EncodeProtobufListItems(std::span<const std::string_view> items, std::string& out);

/// Decodes the message of an object of `kind`, as it stands inside an envelope. Unknown fields are
/// ignored. The memory taken is bounded (api/codec/decode_budget.h).
///
/// Errors: kBadRequest  cut off, lengths beyond the end, wrong wire types, too deep, text that is
/// not
///                      UTF-8, or a value that its type refuses; with the byte and the field.
Result<Object> DecodeProtobuf(const KindInfo& kind, std::string_view raw, Wire wire = {});

/// The same for a part of an object: into `value`, a struct of `type` that starts empty.
Result<> DecodeProtobuf(const Type& type, std::string_view raw, void* value, Wire wire = {});

/// Decodes the contents of an envelope by its content type: protobuf, or JSON with unknown and
/// duplicate fields in `issues`.
Result<Object> DecodeEnvelope(const KindInfo& kind,
                              const ProtobufEnvelope& envelope,
                              DecodeIssues* issues,
                              Wire wire = {});

struct ObjectList {
  meta_v1::ListMeta metadata;
  std::vector<Object> items;
};

/// Decodes the message of a list whose items are of `kind`. Errors as above.
Result<ObjectList> DecodeProtobufList(const KindInfo& kind, std::string_view raw, Wire wire = {});

/// One event of a watch: on streams of protobuf it has no envelope, but its object has.
struct ProtobufWatchEvent {
  std::string_view type;    // ADDED, …
  std::string_view object;  // with its envelope
};

/// Errors: kBadRequest  broken at some byte.
Result<ProtobufWatchEvent> ReadProtobufWatchEvent(std::string_view raw);

/// Appends an event of `type` in the form of a stream: 4 bytes with its length, most significant
/// first, then its message. `object` is less than 4 GiB.
void EncodeProtobufWatchFrame(std::string_view type,
                              const ProtobufEnvelope& object,
                              std::string& out);

}  // namespace dray::api::inline codec
