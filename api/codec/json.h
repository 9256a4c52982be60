// SPDX-License-Identifier: Apache-2.0
// JSON of API objects, both ways, written once over the tables of api/reflect.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::inline codec {

class JsonWriter;

/// The apiVersion and kind that a document has; empty where it has none.
struct TypeMeta {
  std::string api_version, kind;
};

/// Appends `value` as Kubernetes writes it: compact, fields in schema order, maps sorted, empty
/// optional fields left out, `<`, `>` and `&` escaped.
void EncodeJson(const Type& type, const void* value, std::string& out, Wire wire = {});

/// Appends a whole object: kind and apiVersion first, then its fields.
void EncodeJson(const Object& object, std::string& out, Wire wire = {});

/// The same for a struct, with the kind and apiVersion of `meta`, such as a Status in the version
/// of a request; without them where `meta` is empty, as events of a watch are.
void EncodeJson(
    const TypeMeta& meta, const Type& type, const void* value, std::string& out, Wire wire = {});

/// The same as the next value of `json`.
void EncodeJson(const Type& type, const void* value, JsonWriter& json, Wire wire = {});
void EncodeJson(const Object& object, JsonWriter& json, Wire wire = {});

/// The same as a new string.
std::string ToJson(const Object& object, Wire wire = {});

/// Appends `text` as a JSON string.
void QuoteJson(std::string_view text, std::string& out);

/// Limits of indentation: bytes added to any JSON text, and for each of its bytes. Without them,
/// deep nesting with many elements would have quadratic output.
inline constexpr size_t kIndentedMin = 1U << 20U;
inline constexpr size_t kIndentedPerByte = 16;

/// The JSON text with line breaks and two spaces per level; `json` must be valid. If the result
/// would be longer than kIndentedMin and kIndentedPerByte times the input, returns the input.
std::string PrettyJson(std::string_view json);

/// Reads kind and apiVersion at the top of an object without decoding it.
/// Errors: kBadRequest  not JSON, not an object, or one of the two is no string.
Result<TypeMeta> ReadTypeMeta(std::string_view json);

/// Ignored parts of a document: `unknown field "spec.foo"` or `duplicate field "spec.bar"`, in
/// document order, each once.
using DecodeIssues = std::vector<std::string>;

/// How many of them are reported for one document; upstream's limit.
inline constexpr size_t kDecodeIssuesMax = 100;

/// Limit of the nesting of objects with fields of their own. Such objects fit into the depth of
/// protobuf messages that can be read again (kProtobufDepthMax). Only schemas, which contain
/// themselves, nest that deep.
inline constexpr size_t kNestedStructsMax = 90;

/// Decodes `json` into a new object of `kind`; kind and apiVersion in the text are not compared.
/// Unknown and duplicate fields go to `issues` (the last duplicate wins); null is absent.
///
/// Errors: kBadRequest  not JSON, or a value of the wrong type, with its path; or so many elements
///                      for the document's length that only an attack explains it.
Result<Object> DecodeJson(const KindInfo& kind,
                          std::string_view json,
                          DecodeIssues* issues,
                          Wire wire = {});

/// Decodes `json` into `value`, a `type` that starts empty. As above, for parts of objects.
Result<> DecodeJson(
    const Type& type, std::string_view json, void* value, DecodeIssues* issues, Wire wire = {});

}  // namespace dray::api::inline codec
