// SPDX-License-Identifier: Apache-2.0
#include "server/patch/merge_patch.h"

#include <string_view>
#include <utility>
#include <vector>

namespace dray::server::patch {
namespace {

// Removes nulls from a new value: there is nothing for them to remove, and they are not stored.
void DropNulls(JsonTree& tree) {
  if (tree.is_array()) {
    for (JsonTree& element : tree.elements()) DropNulls(element);
  }
  if (!tree.is_object()) return;
  std::vector<std::string> nulls;
  for (const auto& [name, value] : tree.members().All()) {
    if (value->is_null()) {
      nulls.emplace_back(name);
    } else {
      DropNulls(*value);
    }
  }
  for (const std::string& name : nulls) tree.members().Take(name);
}

}  // namespace

void ApplyMergePatch(JsonTree patch, JsonTree& document) {
  for (const auto& [name, value] : patch.members().All()) {
    if (value->is_null()) {
      document.members().Take(name);
      continue;
    }
    JsonTree* current = document.members().Find(name);
    if (current != nullptr && current->is_object() && value->is_object()) {
      ApplyMergePatch(std::move(*value), *current);
      continue;
    }
    if (value->is_object()) DropNulls(*value);
    document.members().Set(name, std::move(*value));
  }
}

}  // namespace dray::server::patch
