// SPDX-License-Identifier: Apache-2.0
// How objects of a custom kind merge, by the schema of one of its versions. The rules are those
// that upstream reads from the OpenAPI document that it publishes for the kind.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/kind.h"
#include "api/managed_fields/shape.h"
#include "api/reflect.h"
#include "base/published.h"

namespace dray::api {
class CustomVersion;
}

namespace dray::api::managed_fields {

/// One value's place in a schema.
struct SchemaNode {
  using Form = Shape::Form;
  struct Key {
    std::string name;
    std::optional<std::string> absent;  // its default, as JSON
  };

  Shape::Kind kind = Shape::Kind::kDeduced;
  Form form = Form::kScalar;
  const Type* type = nullptr;  // metadata has a type of its own, and nothing else here
  std::map<std::string, const SchemaNode*, std::less<>> members = {};  // of an object
  const SchemaNode* inner = nullptr;  // of elements of a list, of other members of an object
  std::vector<Key> keys = {};         // of a keyed list
};

/// A compiled schema. Immutable.
class SchemaShape {
 public:
  /// Of a definition that was found valid; null: nothing is known. Linear, but for sorting.
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

Shape ShapeOf(const SchemaNode& node);

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
