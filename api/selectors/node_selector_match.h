// SPDX-License-Identifier: Apache-2.0
// Node selectors: whether a node matches a v1.NodeSelector, as slices, devices, claims and pods use
// it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/selectors/field_selector.h"
#include "api/selectors/label_selector.h"
#include "base/result.h"

namespace dray::api::inline selectors {

/// One v1.NodeSelectorRequirement, wherever it is stored.
struct NodeRequirementView {
  std::string_view key;
  std::string_view op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
  std::span<const std::string> values;
};

/// One v1.NodeSelectorTerm.
struct NodeTermView {
  std::vector<NodeRequirementView> match_expressions;  // on labels
  std::vector<NodeRequirementView> match_fields;       // on metadata.name
};

/// The terms of a v1.NodeSelector struct as views, which live as long as the struct.
template <class Selector>
std::vector<NodeTermView> NodeTerms(const Selector& selector) {
  std::vector<NodeTermView> terms;
  const auto view = [](const auto& requirements, std::vector<NodeRequirementView>& out) {
    for (const auto& requirement : requirements) {
      out.push_back(
          {.key = requirement.key, .op = requirement.operator_, .values = requirement.values});
    }
  };
  for (const auto& term : selector.node_selector_terms) {
    NodeTermView& out = terms.emplace_back();
    view(term.match_expressions, out.match_expressions);
    view(term.match_fields, out.match_fields);
  }
  return terms;
}

/// A compiled node selector: terms are ORed; all requirements of a term must hold. A term without
/// any requirement matches nothing, and so does a selector without terms, such as a
/// default-constructed one.
class NodeSelector {
 public:
  NodeSelector() = default;

  /// Parses all terms before matching any (rule of slices and claims).
  ///
  /// Errors: kBadRequest with all problems, in upstream's words: unknown operators, keys that are
  /// no label keys, values that are no label values (so "-5" too), wrong numbers of values.
  static Result<NodeSelector> Parse(std::span<const NodeTermView> terms);

  /// Keeps errors until Match() (rule of a pod's node affinity). Never fails.
  static NodeSelector ParseLazily(std::span<const NodeTermView> terms);

  /// The same as Match() when Parse() made the selector, which cannot fail then. Conditions on
  /// fields are skipped when `node_name` is empty.
  bool Matches(const Labels& labels, std::string_view node_name) const;

  /// Whether any term matches; terms with errors match nothing.
  ///
  /// Errors: kBadRequest  no term matches and at least one has an error.
  Result<bool> Match(const Labels& labels, std::string_view node_name) const;

 private:
  struct Term {
    std::vector<LabelRequirement> labels;
    FieldSelector fields;
    std::vector<std::string> errors;
  };
  static Term ReadTerm(const NodeTermView& view, size_t index);

  std::vector<Term> terms_;
};

/// Selects the nodes of a slice or device; see NodeMatches.
struct NodeChoice {
  std::string_view node_name = {};
  bool all_nodes = false;
  const std::vector<NodeTermView>* node_selector = nullptr;  // null: none given
};

/// Whether `choice` names the node: by name, else all nodes, else by selector, else not at all.
///
/// Errors: kBadRequest  the selector counts and has a mistake, also in a term not needed.
Result<bool> NodeMatches(const NodeChoice& choice,
                         const Labels& labels,
                         std::string_view node_name);

}  // namespace dray::api::inline selectors
