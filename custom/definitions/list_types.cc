// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/list_types.h"

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/text/cut.h"
#include "api/validation/go_value.h"
#include "custom/definitions/walk.h"

namespace dray::custom::definitions {
namespace {

using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;
using api::validation::ShownStruct;

constexpr std::string_view kListType = "x-kubernetes-list-type";
constexpr std::string_view kMapType = "x-kubernetes-map-type";
constexpr std::string_view kMapKeys = "x-kubernetes-list-map-keys";

bool IsListType(const JSONSchemaProps& schema, std::string_view type) {
  return schema.x_kubernetes_list_type == type;
}

void CheckHasType(const JSONSchemaProps& schema,
                  std::string_view type,
                  std::string_view text,
                  const Path& path,
                  FieldErrors& errors) {
  if (schema.type == type) return;
  if (schema.type.empty()) {
    errors.Required(path.Child("type"), text);
  } else {
    errors.Invalid(path.Child("type"), Shown(schema.type), text);
  }
}

void CheckMapType(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const auto& type = schema.x_kubernetes_map_type;
  if (!type.has_value()) return;
  CheckHasType(
      schema, "object", "must be object if x-kubernetes-map-type is specified", path, errors);
  if (*type != "atomic" && *type != "granular") {
    constexpr std::array<std::string_view, 2> kKnown = {"atomic", "granular"};
    errors.NotSupported(path.Child(kMapType), *type, kKnown);
  }
}

enum class Merging : uint8_t { kNot, kList, kObject };

/// Whether the items of a set are lists or objects that merge.
Merging ItemsThatMerge(const JSONSchemaProps& schema) {
  const JSONSchemaProps* items = ItemsOf(schema);
  if (!IsListType(schema, "set") || items == nullptr) return Merging::kNot;
  if (items->type == "array" && items->x_kubernetes_list_type.value_or("atomic") != "atomic") {
    return Merging::kList;
  }
  const bool is_atomic = items->x_kubernetes_map_type == "atomic";
  return items->type == "object" && !is_atomic ? Merging::kObject : Merging::kNot;
}

// Upstream shows the list type in both cases.
void CheckSetItems(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const Merging merging = ItemsThatMerge(schema);
  if (merging == Merging::kNot) return;
  const Path items = path.Child("items");
  errors.Invalid(items.Child(merging == Merging::kList ? kListType : kMapType),
                 ShownStruct(ItemsOf(schema)->x_kubernetes_list_type),
                 "must be atomic as item of a list with x-kubernetes-list-type=set");
}

void CheckListType(const JSONSchemaProps& schema,
                   const Requirements& required,
                   const Path& path,
                   FieldErrors& errors) {
  const auto& type = schema.x_kubernetes_list_type;
  if (!type.has_value()) return;
  CheckHasType(
      schema, "array", "must be array if x-kubernetes-list-type is specified", path, errors);
  if (schema.type == "array" && required.atomic_items_in_sets) CheckSetItems(schema, path, errors);
  if (*type != "atomic" && *type != "set" && *type != "map") {
    constexpr std::array<std::string_view, 3> kKnown = {"atomic", "set", "map"};
    errors.NotSupported(path.Child(kListType), *type, kKnown);
  }
}

/// Keys of a list of type map against the members of its items.
void CheckKeys(const JSONSchemaProps& schema,
               const JSONSchemaProps& item,
               const Path& path,
               FieldErrors& errors) {
  const Path keys = path.Child(kMapKeys);
  const Path items = path.Child("items");
  const Path members = items.Child("properties");
  const std::string shown = ShownStruct(schema.x_kubernetes_list_map_keys);
  std::set<std::string_view> seen;
  for (const std::string& key : schema.x_kubernetes_list_map_keys) {
    if (errors.is_full()) return;
    const auto member = item.properties.find(key);
    if (member == item.properties.end()) {
      errors.Invalid(keys, shown, "entries must all be names of item properties");
    } else if (member->second.type == "array" || member->second.type == "object") {
      const Path at = members.Key(key);
      errors.Invalid(at.Child("type"),
                     Shown(item.type),
                     "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    if (!seen.insert(key).second) {
      errors.Invalid(keys, shown, "must not contain duplicate entries");
    }
  }
}

void CheckMapList(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  if (schema.x_kubernetes_list_map_keys.empty()) {
    errors.Required(path.Child(kMapKeys), "must not be empty if x-kubernetes-list-type is map");
  }
  const Path items = path.Child("items");
  if (!schema.items.has_value()) {
    errors.Required(items, "must have a schema if x-kubernetes-list-type is map");
    return;
  }
  const JSONSchemaProps* item = ItemsOf(schema);
  if (item == nullptr) {
    errors.Invalid(items,
                   api::Cut(api::validation::ShownAsGo(*schema.items, errors.release()),
                            api::validation::kShownMax),
                   "must only have a single schema if x-kubernetes-list-type is map");
  } else if (item->type != "object") {
    errors.Invalid(items.Child("type"),
                   Shown(item->type),
                   "must be object if parent array's x-kubernetes-list-type is map");
  } else {
    CheckKeys(schema, *item, path, errors);
  }
}

/// Elements are found by their keys, so neither elements nor keys may be absent.
void CheckPresence(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const JSONSchemaProps* item = ItemsOf(schema);
  const bool is_map = IsListType(schema, "map");
  if (item == nullptr || (!is_map && !IsListType(schema, "set"))) return;
  const Path items = path.Child("items");
  if (item->nullable) {
    errors.Forbidden(items.Child("nullable"),
                     fmt::format("cannot be nullable when x-kubernetes-list-type is {}",
                                 *schema.x_kubernetes_list_type));
  }
  if (!is_map) return;
  const std::set<std::string_view> required(item->required.begin(), item->required.end());
  const Path members = items.Child("properties");
  for (const std::string& key : schema.x_kubernetes_list_map_keys) {
    const auto member = item->properties.find(key);
    if (member == item->properties.end()) continue;
    if (errors.is_full()) return;
    const Path at = members.Key(key);
    if (!required.contains(key) && !member->second.default_.has_value()) {
      errors.Required(at.Child("default"),
                      "this property is in x-kubernetes-list-map-keys, so it must have a default "
                      "or be a required property");
    }
    if (member->second.nullable) {
      errors.Forbidden(at.Child("nullable"),
                       "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }
}

}  // namespace

void CheckListTypes(const JSONSchemaProps& schema,
                    const Requirements& required,
                    const Path& path,
                    FieldErrors& errors) {
  CheckMapType(schema, path, errors);
  CheckListType(schema, required, path, errors);
  const auto& type = schema.x_kubernetes_list_type;
  if (!schema.x_kubernetes_list_map_keys.empty() && type != "map") {
    constexpr std::string_view kText = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (type.has_value()) {
      errors.Invalid(path.Child(kListType), Shown(*type), kText);
    } else {
      errors.Required(path.Child(kListType), kText);
    }
  }
  if (type == "map") CheckMapList(schema, path, errors);
  if (required.good_keys_of_lists) CheckPresence(schema, path, errors);
}

bool HasItemsThatMerge(const JSONSchemaProps& schema) {
  return ItemsThatMerge(schema) != Merging::kNot;
}

bool HasLooseKeys(const JSONSchemaProps& schema) {
  FieldErrors errors;
  CheckPresence(schema, Path(""), errors);
  return !errors.empty();
}

}  // namespace dray::custom::definitions
