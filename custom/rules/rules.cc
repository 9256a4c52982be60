// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/rules.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text/ascii.h"
#include "custom/rules/field_path.h"
#include "custom/rules/scope_types.h"

namespace dray::custom::rules {

using api::apiextensions_v1::JSONSchemaProps;
using api::apiextensions_v1::ValidationRule;

namespace {

ReadyRule Prepare(const ValidationRule& rule,
                  const JSONSchemaProps& schema,
                  const RuleLanguage& language,
                  ScopeTypes& types) {
  ReadyRule out;
  out.compiled = CompileRule(rule, language, {}, types);
  out.text = TrimSpace(rule.rule);
  out.message = TrimSpace(rule.message);
  out.has_message = !rule.message.empty();
  out.message_expression = rule.message_expression;
  out.reason = rule.reason.value_or("FieldValueInvalid");
  out.optional_old_self = rule.optional_old_self.value_or(false);
  if (!rule.field_path.empty()) {
    out.field_path = ResolveFieldPath(rule.field_path, schema).value_or("");
  }
  return out;
}

bool HasRules(const JSONSchemaProps& schema) {
  if (!schema.x_kubernetes_validations.empty()) return true;
  const JSONSchemaProps* const items = ItemsOf(schema);
  const JSONSchemaProps* const values = ValuesOf(schema);
  return (items != nullptr && HasRules(*items)) || (values != nullptr && HasRules(*values)) ||
         std::ranges::any_of(schema.properties,
                             [](const auto& property) { return HasRules(property.second); });
}

// Compiles the rules of each place with the shape that its parent has for it.
class SetCompiler {
 public:
  explicit SetCompiler(const RuleLanguage& language) : language_(language) {}

  std::unique_ptr<const RuleNode> CompileRoot(const JSONSchemaProps& schema, ShapePlace place) {
    std::unique_ptr<const Shape> shape = MakeShape(schema, place);
    std::unique_ptr<RuleNode> node = Compile(schema, *shape);
    if (node != nullptr) node->own_shape = std::move(shape);
    return node;
  }

 private:
  // Null if there are no rules here and below.
  std::unique_ptr<RuleNode> Compile(const JSONSchemaProps& schema, const Shape& shape) {
    auto made = std::make_unique<RuleNode>();
    RuleNode& node = *made;
    node.shape = &shape;
    CompileOwn(schema, node);
    // Upstream passes over members that expressions do not see.
    for (const ShapeField& field : shape.fields) {
      const auto found = schema.properties.find(field.name);
      if (found == schema.properties.end() || !field.shape->is_exposed) continue;
      auto property = Compile(found->second, *field.shape);
      if (property != nullptr) node.properties.push_back({field.name, std::move(property)});
    }
    const JSONSchemaProps* const items = ItemsOf(schema);
    const JSONSchemaProps* const values = ValuesOf(schema);
    if (shape.kind == ShapeKind::kList && items != nullptr) {
      node.items = Compile(*items, *shape.element);
    }
    if (shape.kind == ShapeKind::kMap && values != nullptr) {
      node.values = Compile(*values, *shape.element);
    }
    const bool has_some = !node.rules.empty() || !node.problem.empty() ||
                          !node.properties.empty() || node.items != nullptr ||
                          node.values != nullptr;
    return has_some ? std::move(made) : nullptr;
  }

  void CompileOwn(const JSONSchemaProps& schema, RuleNode& node) {
    if (schema.x_kubernetes_validations.empty()) return;
    if (!node.shape->is_exposed) {
      node.problem = "failed to convert to declType for CEL validation rules";
      return;
    }
    auto types = std::make_unique<ScopeTypes>(*node.shape);
    for (const ValidationRule& rule : schema.x_kubernetes_validations) {
      node.rules.push_back(Prepare(rule, schema, language_, *types));
      node.mentions_old_self |= node.rules.back().compiled.uses_old_self;
    }
    node.types = std::move(types);
  }

  const RuleLanguage& language_;
};

}  // namespace

const RuleNode* RuleNode::FindProperty(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return found != properties.end() && found->name == name ? found->node.get() : nullptr;
}

Frozen<RuleSet> CompileRules(const JSONSchemaProps& root, const RuleLanguage& language) {
  return CompileRules(root, ShapePlace::kResourceRoot, language);
}

Frozen<RuleSet> CompileRules(const JSONSchemaProps& schema,
                             ShapePlace place,
                             const RuleLanguage& language) {
  if (!HasRules(schema)) return nullptr;
  return std::make_shared<const RuleSet>(
      RuleSet{.root = SetCompiler(language).CompileRoot(schema, place)});
}

}  // namespace dray::custom::rules
