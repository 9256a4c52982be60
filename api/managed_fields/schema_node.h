// SPDX-License-Identifier: Apache-2.0
// The nodes of a compiled schema of a custom kind.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/managed_fields/shape_kind.h"
#include "api/reflect.h"

namespace dray::api::managed_fields {

/// One value's place in a schema.
struct SchemaNode {
  struct Key {
    std::string name;
    std::optional<std::string> absent;  // its default, as JSON
  };

  ShapeKind kind = ShapeKind::kDeduced;
  ShapeForm form = ShapeForm::kScalar;
  const Type* type = nullptr;  // metadata has a type of its own, and nothing else here
  std::map<std::string, const SchemaNode*, std::less<>> members = {};  // of an object
  const SchemaNode* inner = nullptr;  // of elements of a list, of other members of an object
  std::vector<Key> keys = {};         // of a keyed list
};

}  // namespace dray::api::managed_fields
