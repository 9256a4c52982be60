// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/schema.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/codec/tree_json.h"

namespace dray::custom::schema {
namespace {

using api::apiextensions_v1::JSONSchemaProps;
using formats::ValueFormat;

// By the places of their types.
constexpr auto kTypeNames = std::to_array<std::string_view>(
    {"", "array", "boolean", "integer", "number", "object", "string"});

ValueType TypeNamed(std::string_view name) {
  const auto found = std::ranges::find(kTypeNames, name);
  return found == kTypeNames.end() ? ValueType::kAny
                                   : static_cast<ValueType>(found - kTypeNames.begin());
}

ListType ListTypeNamed(const std::optional<std::string>& name) {
  if (!name) return ListType::kUnset;
  return *name == "set" ? ListType::kSet : *name == "map" ? ListType::kMap : ListType::kAtomic;
}

MapType MapTypeNamed(const std::optional<std::string>& name) {
  if (!name) return MapType::kUnset;
  return *name == "atomic" ? MapType::kAtomic : MapType::kGranular;
}

// The format that objects are checked for: definitions may name any.
ValueFormat CheckedFormat(const JSONSchemaProps& props) {
  if (props.x_kubernetes_int_or_string) return formats::TextFormatNamed(props.format);
  switch (TypeNamed(props.type)) {
    case ValueType::kAny:
    case ValueType::kString: return formats::TextFormatNamed(props.format);
    case ValueType::kInteger: return formats::IntegerFormatNamed(props.format);
    case ValueType::kNumber: return formats::NumberFormatNamed(props.format);
    case ValueType::kArray:
    case ValueType::kBoolean:
    case ValueType::kObject: return ValueFormat::kNone;
  }
  return ValueFormat::kNone;
}

// The definition was decoded, so that its values are JSON. What is deeper than trees may be is
// null.
api::Tree TreeOf(const api::AnyJson& json) {
  Result<api::Tree> tree = api::ReadTree(json.bytes());
  return tree ? *std::move(tree) : api::Tree();
}

bool HasRules(const JSONSchemaProps& props) {
  return !props.format.empty() || props.maximum || props.minimum || props.multiple_of ||
         props.max_length || props.min_length || !props.pattern.empty() || props.max_items ||
         props.min_items || !props.enum_.empty() || props.max_properties || props.min_properties ||
         !props.required.empty() || !props.all_of.empty() || !props.one_of.empty() ||
         !props.any_of.empty() || props.not_.has_value();
}

}  // namespace

std::string_view NameOf(ValueType type) {
  return kTypeNames[static_cast<size_t>(type)];
}

const Node* Node::FindProperty(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return found == properties.end() || found->name != name ? nullptr : found->node;
}

const Node* Node::FindMember(std::string_view name) const {
  const Node* const property = FindProperty(name);
  return property != nullptr ? property : others;
}

// Makes nodes from the top down. Recursion is as deep as the definition.
class Compiler {
 public:
  explicit Compiler(Schema& schema) : schema_(schema) {}

  const Node* Make(const JSONSchemaProps& props) {
    Node& node = schema_.nodes_.emplace_back();
    Shape(props, node);
    Members(props, node);
    if (props.items && props.items->schema) node.items = Make(*props.items->schema);
    if (HasRules(props)) node.rules = Rules(props);
    Note(node);
    return &node;
  }

 private:
  static void Shape(const JSONSchemaProps& props, Node& node) {
    node.type = TypeNamed(props.type);
    node.is_nullable = props.nullable;
    node.is_int_or_string = props.x_kubernetes_int_or_string;
    node.keeps_unknown_members = props.x_kubernetes_preserve_unknown_fields.value_or(false);
    node.is_embedded_resource = props.x_kubernetes_embedded_resource;
    node.list_type = ListTypeNamed(props.x_kubernetes_list_type);
    node.map_type = MapTypeNamed(props.x_kubernetes_map_type);
    node.list_keys.assign(props.x_kubernetes_list_map_keys.begin(),
                          props.x_kubernetes_list_map_keys.end());
    node.validations = props.x_kubernetes_validations;
    if (!props.default_) return;
    node.default_value = TreeOf(*props.default_);
    node.default_size = props.default_->bytes().size();
  }

  void Members(const JSONSchemaProps& props, Node& node) {
    node.properties.reserve(props.properties.size());
    for (const auto& [name, property] : props.properties) {  // sorted
      node.properties.push_back({.name = name, .node = Make(property)});
    }
    if (!props.additional_properties) return;
    if (props.additional_properties->schema) {
      node.other_members = OtherMembers::kOfSchema;
      node.others = Make(*props.additional_properties->schema);
    } else {
      node.other_members =
          props.additional_properties->allows ? OtherMembers::kAllowed : OtherMembers::kForbidden;
    }
  }

  std::unique_ptr<const ValueRules> Rules(const JSONSchemaProps& props) {
    auto rules = std::make_unique<ValueRules>();
    rules->format = props.format;
    rules->checked_format = CheckedFormat(props);
    rules->text_format = formats::TextFormatNamed(props.format);
    rules->numbers = {.min = props.minimum,
                      .max = props.maximum,
                      .multiple_of = props.multiple_of,
                      .excludes_min = props.exclusive_minimum,
                      .excludes_max = props.exclusive_maximum};
    rules->length = {.min = props.min_length, .max = props.max_length};
    rules->items = {.min = props.min_items, .max = props.max_items};
    rules->members = {.min = props.min_properties, .max = props.max_properties};
    if (!props.pattern.empty()) {
      rules->pattern = std::make_unique<const Pattern>(props.pattern, schema_.patterns_);
    }
    std::vector<api::Tree> values;
    for (const api::AnyJson& value : props.enum_) values.push_back(TreeOf(value));
    rules->enumeration = Enumeration(std::move(values));
    rules->required.assign(props.required.begin(), props.required.end());
    Logic(props, *rules);
    return rules;
  }

  void Logic(const JSONSchemaProps& props, ValueRules& rules) {
    const auto make = [this](const api::List<JSONSchemaProps>& from, std::vector<const Node*>& to) {
      for (const JSONSchemaProps& alternative : from) to.push_back(Make(alternative));
    };
    make(props.all_of, rules.all_of);
    make(props.one_of, rules.one_of);
    make(props.any_of, rules.any_of);
    if (props.not_) rules.negated = Make(*props.not_);
  }

  // Notes what lies here or below. Logic has none of it.
  static void Note(Node& node) {
    node.has_defaults = !node.default_value.is_null();
    node.has_list_rules = node.list_type == ListType::kSet || node.list_type == ListType::kMap;
    node.has_embedded = node.is_embedded_resource;
    const auto add = [&node](const Node* below) {
      if (below == nullptr) return;
      node.has_defaults = node.has_defaults || below->has_defaults;
      node.has_list_rules = node.has_list_rules || below->has_list_rules;
      node.has_embedded = node.has_embedded || below->has_embedded;
    };
    for (const Property& property : node.properties) {
      add(property.node);
      if (property.node->default_value.is_null()) continue;
      node.defaulted.push_back(static_cast<uint32_t>(&property - node.properties.data()));
    }
    add(node.others);
    add(node.items);
  }

  Schema& schema_;
};

Frozen<Schema> CompileSchema(const JSONSchemaProps& props) {
  auto schema = std::make_shared<Schema>();
  Compiler(*schema).Make(props);
  return schema;
}

}  // namespace dray::custom::schema
