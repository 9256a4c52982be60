// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/default_values.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "api/validation/field_path.h"
#include "custom/definitions/structural.h"
#include "custom/definitions/walk.h"
#include "custom/rules/rules.h"
#include "custom/rules/shape.h"
#include "custom/schema/default_rules.h"
#include "custom/schema/schema.h"

namespace dray::custom::definitions {
namespace {

bool HasDefaults(const JSONSchemaProps& schema) {
  return AnySchema(schema, [](const JSONSchemaProps& one) { return one.default_.has_value(); });
}

/// Where the compiled nodes that have defaults and rules come from.
class Sources {
 public:
  struct Source {
    const JSONSchemaProps* schema;
    rules::ShapePlace place;
    size_t nodes;  // in it
  };

  Sources(const schema::Schema& compiled, const JSONSchemaProps& schema) {
    Note(compiled.root(), schema, rules::ShapePlace::kResourceRoot);
  }

  /// Null: nothing at the node or below has rules.
  const Source* Find(const schema::Node& node) const {
    const auto found = sources_.find(&node);
    return found == sources_.end() ? nullptr : &found->second;
  }

 private:
  struct Seen {
    size_t nodes = 1;
    bool has_rules = false;

    void Add(const Seen& inner) {
      nodes += inner.nodes;
      has_rules = has_rules || inner.has_rules;
    }
  };

  Seen Note(const schema::Node& node, const JSONSchemaProps& schema, rules::ShapePlace place) {
    Seen seen{.nodes = 1, .has_rules = !schema.x_kubernetes_validations.empty()};
    if (const JSONSchemaProps* items = ItemsOf(schema); items != nullptr && node.items != nullptr) {
      seen.Add(Note(*node.items, *items, rules::PlaceOf(*items)));
    }
    if (const JSONSchemaProps* values = rules::ValuesOf(schema);
        values != nullptr && node.others != nullptr) {
      seen.Add(Note(*node.others, *values, rules::PlaceOf(*values)));
    }
    for (const auto& [name, member] : schema.properties) {
      const schema::Node* inner = node.FindProperty(name);
      if (inner != nullptr) seen.Add(Note(*inner, member, rules::PlaceOf(member)));
    }
    if (seen.has_rules && !node.default_value.is_null()) {
      sources_.emplace(&node, Source{.schema = &schema, .place = place, .nodes = seen.nodes});
    }
    return seen;
  }

  std::unordered_map<const schema::Node*, Source> sources_;
};

/// Runs rules on defaults, all within one budget.
class DefaultRuleRun {
 public:
  DefaultRuleRun(const Sources& sources, const rules::RuleLanguage& language)
      : sources_(sources), language_(language) {}

  std::vector<ErrorCause> Run(const schema::Node& node, std::string_view path) {
    const Sources::Source* source = sources_.Find(node);
    if (source == nullptr || budget_.is_spent()) return {};
    if (source->nodes > nodes_left_) {
      return {{.reason = "FieldValueForbidden",
               .field = std::string(path),
               .message = "Forbidden: too many rules apply to defaults inside each other"}};
    }
    nodes_left_ -= source->nodes;
    const Frozen<rules::RuleSet> set =
        rules::CompileRules(*source->schema, source->place, language_);
    if (set == nullptr) return {};
    const rules::RunOptions options{.ratcheting = rules::Ratcheting::kOff, .path = path};
    const api::Tree& value = node.default_value;
    rules::RuleOutcome outcome = rules::RunRules(*set, value, &value, budget_, options);
    if (!outcome.causes.empty() || budget_.is_spent()) return std::move(outcome.causes);
    return rules::RunRules(*set, value, nullptr, budget_, options).causes;
  }

 private:
  const Sources& sources_;
  const rules::RuleLanguage& language_;
  rules::Budget budget_;
  size_t nodes_left_ = kDefaultRuleNodesMax;
};

}  // namespace

std::vector<ErrorCause> CheckDefaultValues(const JSONSchemaProps& schema,
                                           const Requirements& required,
                                           const std::string& path) {
  if (!HasDefaults(schema)) return {};
  const Frozen<schema::Schema> compiled = schema::CompileSchema(schema);
  const Sources sources(*compiled, schema);
  DefaultRuleRun run(sources, required.environment.language);
  schema::DefaultRules asked;
  if (!required.pruned_defaults) asked.unknown_members = schema::UnknownMembers::kAllowed;
  asked.metadata = required.environment.check_metadata;
  asked.validations = [&](const schema::Node& node, std::string_view at) {
    return run.Run(node, at);
  };
  return schema::CheckDefaults(*compiled, path, asked);
}

bool HasUnprunedDefaults(const JSONSchemaProps& schema) {
  if (!HasDefaults(schema) || !FindUnsupported(schema).empty()) return false;
  Patterns patterns;
  if (!CheckStructural(schema, api::validation::Path(""), patterns).empty()) return false;
  return schema::HasUnprunedDefaults(*schema::CompileSchema(schema));
}

}  // namespace dray::custom::definitions
