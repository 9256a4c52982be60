// SPDX-License-Identifier: Apache-2.0
// What a schema says about values as expressions see them: their types, how large they can be, and
// how == and + treat them. After apiserver's pkg/cel/common (schemas.go) and apiextensions' schema
// model (pkg/apiserver/schema/cel/model).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/apiextensions_v1.h"
#include "cel/value/value.h"

namespace dray::custom::rules {

/// Bytes of the largest request. What has no bound of its own in a schema is bounded by it.
inline constexpr int64_t kRequestBytesMax = int64_t{3} * 1024 * 1024;

enum class ShapeKind : uint8_t {
  kUntyped,      // the schema does not say, so there is no value
  kPreserved,    // untyped, but kept (x-kubernetes-preserve-unknown-fields): can be compared only
  kIntOrString,  // dyn
  kList,
  kMap,     // an object with a schema for all members (additionalProperties)
  kObject,  // an object whose members have schemas of their own, or none
  kString,
  kBytes,     // format byte: base64
  kDuration,  // format duration
  kDate,      // format date: a timestamp
  kDateTime,  // format date-time
  kNumber,
  kInteger,
  kBoolean,
};

struct Shape;

struct ShapeField {
  std::string name;
  std::string identifier;  // as expressions write it; empty: they cannot
  std::unique_ptr<const Shape> shape;
  /// False of apiVersion, kind and parts of metadata that every object has though its schema does
  /// not name them.
  bool is_declared = true;
};

/// The schema of one value. Immutable.
struct Shape {
  ShapeKind kind = ShapeKind::kUntyped;
  bool nullable = false;
  /// Whether expressions see such values. Untyped ones they do not, nor lists and maps of these.
  bool is_exposed = false;
  /// True for an object with fields, whose null members count as absent. An object whose schema
  /// names no member has no field that an expression could select.
  bool has_fields = false;
  cel::ListRule list_rule = cel::ListRule::kAtomic;  // of a list
  int64_t bytes_min = 0;                             // of its shortest JSON, as upstream counts it
  int64_t elements_max = 0;  // what size() gives at most; 0 of objects, and of most scalars
  std::string type;          // the word of the schema, "" where it has none
  std::vector<std::string> keys = {};              // x-kubernetes-list-map-keys
  std::vector<std::string> key_identifiers = {};   // the same as expressions write them
  std::vector<std::string_view> key_views = {};    // of key_identifiers
  std::unique_ptr<const Shape> element = nullptr;  // of lists and maps
  std::vector<ShapeField> fields = {};             // of objects, sorted by name

  bool is_object() const { return kind == ShapeKind::kMap || kind == ShapeKind::kObject; }
  /// Whether a run-time error shows the type instead of the value.
  bool is_container() const { return is_object() || kind == ShapeKind::kList; }
  const ShapeField* FindField(std::string_view name) const;
  /// The field that an expression selects by this identifier: also by a reserved word as it is.
  const ShapeField* FindIdentifier(std::string_view identifier) const;
  /// The shape of a member of an object; nullptr if the schema has none for it.
  const Shape* FindMember(std::string_view name) const;
};

/// Whether a schema is that of a whole object: of the kind itself, or of an embedded one. Those
/// have apiVersion, kind, metadata.name and metadata.generateName, whatever the schema says.
enum class ShapePlace : uint8_t { kInside, kResourceRoot };

/// Costs O(schema). Recursion is as deep as the schema, which its readers bound
/// (api::kNestedStructsMax).
std::unique_ptr<const Shape> MakeShape(const api::apiextensions_v1::JSONSchemaProps& schema,
                                       ShapePlace place);

/// kResourceRoot if the schema says that it is that of an embedded object.
ShapePlace PlaceOf(const api::apiextensions_v1::JSONSchemaProps& schema);

/// How often at most a value of this shape can occur in one request.
uint64_t OccurrencesMax(const Shape& shape);

/// The schema for all members of an object; nullptr if there is none.
const api::apiextensions_v1::JSONSchemaProps* ValuesOf(
    const api::apiextensions_v1::JSONSchemaProps& schema);
/// The schema of the elements of a list; nullptr if there is none.
const api::apiextensions_v1::JSONSchemaProps* ItemsOf(
    const api::apiextensions_v1::JSONSchemaProps& schema);

}  // namespace dray::custom::rules
