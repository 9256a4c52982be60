// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/default_rules.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/validation/cause_limits.h"
#include "custom/schema/prune.h"
#include "custom/schema/shown.h"
#include "custom/schema/validate.h"

namespace dray::custom::schema {
namespace {

using api::Tree;

bool IsPruned(const Node& node, Resource resource) {
  Tree pruned = node.default_value;
  PruneValue(pruned, node, resource);
  return pruned == node.default_value;
}

std::string Joined(const std::vector<ErrorCause>& causes) {
  std::vector<std::string> texts;
  texts.reserve(causes.size());
  for (const ErrorCause& cause : causes) {
    texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  }
  return texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
}

class DefaultChecker {
 public:
  explicit DefaultChecker(const DefaultRules& rules) : rules_(rules) {}

  std::vector<ErrorCause> Run(const Schema& schema, std::string_view path) && {
    const Node& root = schema.root();
    Walk(root, std::string(path), {.root = &root, .steps = {}, .is_in_metadata = false});
    return std::move(causes_);
  }

 private:
  // Where a node lies in the resource around it.
  struct Place {
    const Node* root;
    std::vector<std::string_view> steps;  // names of members; without data: into a list
    bool is_in_metadata;

    Place Inner(std::string_view step) const {
      Place inner = *this;
      const bool is_of_type = step == "metadata" || step == "apiVersion" || step == "kind";
      inner.is_in_metadata = is_in_metadata || (steps.empty() && is_of_type);
      inner.steps.push_back(step);
      return inner;
    }
  };

  bool is_full() const { return causes_.size() > api::validation::kCausesMax; }

  void Walk(const Node& node, const std::string& path, const Place& outer) {
    if (!node.has_defaults || is_full()) return;
    const bool is_root = node.is_embedded_resource || outer.root == &node;
    const Place place =
        is_root ? Place{.root = &node, .steps = {}, .is_in_metadata = false} : outer;
    if (!node.default_value.is_null()) Check(node, path + ".default", place);
    if (node.items != nullptr) Walk(*node.items, path + ".items", place.Inner({}));
    for (const Property& property : node.properties) {
      Walk(*property.node,
           fmt::format("{}.properties[{}]", path, property.name),
           place.Inner(property.name));
    }
  }

  void Check(const Node& node, const std::string& path, const Place& place) {
    const Resource resource = place.steps.empty() ? Resource::kYes : Resource::kIfMarked;
    if (place.is_in_metadata) {
      if (const std::string problem = ProblemOfMetadata(node, place); !problem.empty()) {
        return Refuse(node, path, fmt::format("must result in valid metadata: {}", problem));
      }
    } else {
      if (rules_.unknown_members == UnknownMembers::kRefused && !IsPruned(node, resource)) {
        Refuse(node, path, "must not have unknown fields");
      }
      if (!CheckResources(node, path, resource)) return;
    }
    std::vector<ErrorCause> found = ValidateDefault(node, path);
    if (found.empty() && rules_.validations) found = rules_.validations(node, path);
    Add(std::move(found));
  }

  // Whether the resources in a default have good metadata.
  bool CheckResources(const Node& node, const std::string& path, Resource resource) {
    Tree value = node.default_value;
    if (std::optional<ErrorCause> wrong = CoerceEmbeddedValue(value, node, path, resource)) {
      Add({*std::move(wrong)});
      return false;
    }
    std::vector<ErrorCause> found = CheckEmbedded(value, node, path, rules_.metadata, resource);
    const bool is_good = found.empty();
    Add(std::move(found));
    return is_good;
  }

  // A default inside metadata is judged as part of a resource that has nothing else.
  std::string ProblemOfMetadata(const Node& node, const Place& place) const {
    Tree resource = node.default_value;
    for (size_t i = place.steps.size(); i-- > 0;) {
      const std::string_view step = place.steps[i];
      resource = step.data() == nullptr
                     ? Tree::List(std::vector<Tree>{std::move(resource)})
                     : Tree::Object(std::vector<Tree::Member>{{step, std::move(resource)}});
    }
    if (resource.Find("kind") == nullptr) resource.Set("kind", Tree("Validation"));
    if (resource.Find("apiVersion") == nullptr) resource.Set("apiVersion", Tree("validation/v1"));
    if (const auto wrong = CoerceEmbeddedValue(resource, *place.root, {}, Resource::kYes)) {
      return Joined({*wrong});
    }
    const std::vector<ErrorCause> found =
        CheckEmbedded(resource, *place.root, {}, rules_.metadata, Resource::kYes);
    return found.empty() ? std::string() : Joined(found);
  }

  void Refuse(const Node& node, const std::string& path, std::string_view why) {
    Add({{.reason = "FieldValueInvalid",
          .field = path,
          .message = fmt::format("Invalid value: {}: {}", ShownTree(node.default_value), why)}});
  }

  void Add(std::vector<ErrorCause> found) {
    for (ErrorCause& cause : found) {
      if (is_full()) return;
      causes_.push_back(std::move(cause));
    }
  }

  const DefaultRules& rules_;
  std::vector<ErrorCause> causes_;
};

bool HasUnpruned(const Node& node, Resource resource) {
  if (!node.has_defaults) return false;
  if (!node.default_value.is_null() && !IsPruned(node, resource)) return true;
  for (const Node* const inner : {node.items, node.others}) {
    if (inner != nullptr && HasUnpruned(*inner, Resource::kIfMarked)) return true;
  }
  for (const Property& property : node.properties) {
    if (HasUnpruned(*property.node, Resource::kIfMarked)) return true;
  }
  return false;
}

}  // namespace

std::vector<ErrorCause> CheckDefaults(const Schema& schema,
                                      std::string_view path,
                                      const DefaultRules& rules) {
  return DefaultChecker(rules).Run(schema, path);
}

bool HasUnprunedDefaults(const Schema& schema) {
  return HasUnpruned(schema.root(), Resource::kYes);
}

}  // namespace dray::custom::schema
