// SPDX-License-Identifier: Apache-2.0
// How objects of a custom kind merge, by the schema of one of its versions. The rules are those
// that upstream reads from the OpenAPI document that it publishes for the kind.
#pragma once

#include <deque>

#include "api/apiextensions_v1.h"
#include "api/kind.h"
#include "api/managed_fields/schema_node.h"
#include "api/managed_fields/shape.h"
#include "base/frozen.h"

namespace dray::api {
class CustomVersion;
}

namespace dray::api::managed_fields {

/// A compiled schema. Immutable.
class SchemaShape {
 public:
  /// Compiles the schema of a valid definition; null: nothing is known. Linear, but for sorting.
  explicit SchemaShape(const apiextensions_v1::JSONSchemaProps* props);
  SchemaShape(const SchemaShape&) = delete;
  SchemaShape& operator=(const SchemaShape&) = delete;
  ~SchemaShape() = default;

  const SchemaNode& root() const { return *root_; }

 private:
  const SchemaNode* Add(SchemaNode node);
  const SchemaNode* Compile(const apiextensions_v1::JSONSchemaProps& props);
  const SchemaNode* CompileObject(const apiextensions_v1::JSONSchemaProps& props);
  const SchemaNode* CompileList(const apiextensions_v1::JSONSchemaProps& props);

  std::deque<SchemaNode> nodes_;
  const SchemaNode* root_ = nullptr;
};

/// The shape of objects of a kind, as long as this lives.
class RootShape {
 public:
  explicit RootShape(const KindInfo& kind);
  const Shape& get() const { return shape_; }

 private:
  Frozen<CustomVersion> version_;  // of a custom kind
  Shape shape_;
};

}  // namespace dray::api::managed_fields
