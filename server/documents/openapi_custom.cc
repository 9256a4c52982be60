// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi_custom.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/tree_json.h"
#include "server/registry/custom_version.h"

namespace dray::server::documents {
namespace {

using api::Tree;
using api::apiextensions_v1::JSONSchemaProps;

constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";

bool IsTrue(const Tree& schema, std::string_view name) {
  const Tree* member = schema.Find(name);
  return member != nullptr && member->is_bool() && member->boolean();
}

Tree Text(std::string_view description) {
  Tree schema = Tree::Object();
  schema.Set("type", Tree("string"));
  schema.Set("description", Tree(description));
  return schema;
}

// The members that objects of every kind have.
void AddFrame(Tree& schema, std::string_view metadata, OpenApiForm form) {
  Tree* properties = schema.FindMutable("properties");
  if (properties == nullptr) properties = &schema.Set("properties", Tree::Object());
  properties->Set("apiVersion", Text("Version of the schema."));
  properties->Set("kind", Text("Name of the kind."));
  Tree reference = Tree::Object();
  reference.Set("$ref", Tree(metadata));
  const Tree words("Name, labels and owners of the object.");
  if (form == OpenApiForm::kV2) {
    reference.Set("description", words);
    properties->Set("metadata", std::move(reference));
    return;
  }
  Tree holder = Tree::Object();
  std::vector<Tree> all;
  all.push_back(std::move(reference));
  holder.Set("allOf", Tree::List(std::move(all)));
  holder.Set("description", words);
  properties->Set("metadata", std::move(holder));
}

// A resource in an object says what it is.
void AddEmbedded(Tree& schema, std::string_view metadata, OpenApiForm form) {
  AddFrame(schema, metadata, form);
  std::vector<Tree> required;
  if (const Tree* known = schema.Find("required"); known != nullptr && known->is_list()) {
    required.assign(known->elements().begin(), known->elements().end());
  }
  for (const std::string_view name : {"kind", "apiVersion"}) {
    const bool is_there =
        std::ranges::any_of(required, [&](const Tree& one) { return one == Tree(name); });
    if (!is_there) required.emplace_back(name);
  }
  schema.Set("required", Tree::List(std::move(required)));
}

// The alternatives of a number or a text, unless the definition has its own.
void AddAlternatives(Tree& schema) {
  if (schema.Find("anyOf") != nullptr || schema.Find("allOf") != nullptr) return;
  std::vector<Tree> alternatives;
  for (const std::string_view type : {"integer", "string"}) {
    Tree one = Tree::Object();
    one.Set("type", Tree(type));
    alternatives.push_back(std::move(one));
  }
  schema.Set("anyOf", Tree::List(std::move(alternatives)));
}

// Calls `change` for each schema below `schema` that gives values their structure, and then for it.
// As deep as definitions are read (api::kNestedStructsMax).
template <class F>
void EachSchema(Tree& schema, const F& change) {  // NOLINT(misc-no-recursion)
  if (!schema.is_object()) return;
  if (Tree* properties = schema.FindMutable("properties"); properties != nullptr) {
    for (size_t i = 0; i < properties->size(); ++i) {
      EachSchema(properties->MutableValue(i), change);
    }
  }
  for (const std::string_view name : {"items", "additionalProperties"}) {
    if (Tree* inner = schema.FindMutable(name); inner != nullptr) EachSchema(*inner, change);
  }
  change(schema);
}

void KeepOnly(Tree& schema, std::string_view extension) {
  Tree kept = Tree::Object();
  kept.Set(extension, Tree(true));
  if (IsTrue(schema, kEmbedded)) kept.Set(kEmbedded, Tree(true));
  if (const Tree* description = schema.Find("description")) kept.Set("description", *description);
  schema = std::move(kept);
}

// Removes what version 2 of OpenAPI cannot express.
void MakePlain(Tree& schema) {
  if (IsTrue(schema, kIntOrString)) return KeepOnly(schema, kIntOrString);
  if (IsTrue(schema, kPreserve)) return KeepOnly(schema, kPreserve);
  const bool is_nullable = IsTrue(schema, "nullable");
  schema.EraseMembers([&](const Tree::Member& member) {
    constexpr std::string_view kGone[] = {"allOf", "anyOf", "oneOf", "not", "default", "nullable"};
    const std::string_view name = member.name();
    const bool is_typed = name == "type" || name == "items" || name == "properties";
    return std::ranges::find(kGone, name) != std::end(kGone) || (is_nullable && is_typed);
  });
}

Tree KindNames(const api::CustomKind& kind) {
  Tree name = Tree::Object();
  name.Set("group", Tree(kind.group));
  name.Set("kind", Tree(kind.kind));
  name.Set("version", Tree(kind.version));
  std::vector<Tree> names;
  names.push_back(std::move(name));
  return Tree::List(std::move(names));
}

// The fields that selectors may name.
Tree Selectable(const api::apiextensions_v1::CustomResourceDefinitionVersion& version) {
  std::vector<Tree> fields;
  for (const auto& field : version.selectable_fields) {
    const std::string_view path = field.json_path;
    Tree one = Tree::Object();
    one.Set("fieldPath", Tree(path.starts_with('.') ? path.substr(1) : path));
    fields.push_back(std::move(one));
  }
  return Tree::List(std::move(fields));
}

}  // namespace

std::string CustomSchemaName(const api::CustomKind& kind) {
  std::vector<std::string_view> words;
  for (std::string_view rest = kind.group; !rest.empty();) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    words.push_back(rest.substr(0, dot));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  std::string name;
  for (size_t i = words.size(); i-- > 0;) name.append(words[i]).append(".");
  return name.append(kind.version).append(".").append(kind.kind);
}

std::string SelectableFields(const api::CustomKind& kind) {
  const Frozen<registry::SchemaVersion> version = registry::RulesOf(kind);
  const bool has_none = version == nullptr || version->said().selectable_fields.empty();
  return has_none ? std::string() : api::ToJson(Selectable(version->said()));
}

Tree CustomSchema(const api::CustomKind& kind, OpenApiForm form, const std::string& metadata) {
  Tree schema = Tree::Object();
  const Frozen<registry::SchemaVersion> version = registry::RulesOf(kind);
  if (version == nullptr) return schema;
  const auto& said = version->said();
  if (const auto decoded = version->DecodeSchema(); decoded.has_value()) {
    std::string json;
    api::EncodeJson(api::TypeOf<JSONSchemaProps>(), &*decoded, json);
    schema = api::ReadTree(json).value_or(Tree::Object());
  }
  const bool is_v2 = form == OpenApiForm::kV2;
  EachSchema(schema, [&](Tree& one) {
    if (IsTrue(one, kEmbedded)) AddEmbedded(one, metadata, form);
    if (is_v2) return MakePlain(one);
    if (IsTrue(one, kIntOrString)) AddAlternatives(one);
  });
  if (!schema.is_object()) schema = Tree::Object();
  const bool is_opaque = is_v2 && IsTrue(schema, kPreserve);
  if (!is_opaque) AddFrame(schema, metadata, form);
  if (!is_opaque) schema.Set("type", Tree("object"));
  schema.Set("x-kubernetes-group-version-kind", KindNames(kind));
  if (!said.selectable_fields.empty()) schema.Set(kSelectableExtension, Selectable(said));
  return schema;
}

}  // namespace dray::server::documents
