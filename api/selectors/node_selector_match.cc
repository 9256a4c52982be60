// SPDX-License-Identifier: Apache-2.0
#include "api/selectors/node_selector_match.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/try.h"

namespace dray::api::inline selectors {
namespace {

constexpr std::string_view kNameField = "metadata.name";

std::optional<LabelOperator> OperatorOf(std::string_view text) {
  if (text == "In") return LabelOperator::kIn;
  if (text == "NotIn") return LabelOperator::kNotIn;
  if (text == "Exists") return LabelOperator::kExists;
  if (text == "DoesNotExist") return LabelOperator::kDoesNotExist;
  if (text == "Gt") return LabelOperator::kGreaterThan;
  if (text == "Lt") return LabelOperator::kLessThan;
  return std::nullopt;
}

std::string UnknownOperator(std::string_view path, std::string_view op, std::string_view known) {
  return fmt::format(
      "{}.operator: Unsupported value: {}: supported values: {}", path, GoQuote(op), known);
}

std::string NotOneValue(std::string_view path, std::span<const std::string> values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ",") + GoQuote(value);
  return fmt::format("{}.values: Invalid value: {}: must have one element",
                     path,
                     values.empty() ? "null" : '[' + list + ']');
}

void ReadLabel(const NodeRequirementView& view,
               std::string_view path,
               std::vector<LabelRequirement>& requirements,
               std::vector<std::string>& errors) {
  const std::optional<LabelOperator> op = OperatorOf(view.op);
  if (!op) {
    errors.push_back(
        UnknownOperator(path, view.op, R"("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")"));
    return;
  }
  std::vector<std::string> wrong = CheckLabelRequirement(view.key, *op, view.values, path);
  std::ranges::move(wrong, std::back_inserter(errors));
  Result<LabelRequirement> requirement =
      LabelRequirement::Create(view.key, *op, {view.values.begin(), view.values.end()}, path);
  if (requirement) requirements.push_back(*std::move(requirement));
}

void ReadField(const NodeRequirementView& view,
               std::string_view path,
               std::vector<FieldRequirement>& requirements,
               std::vector<std::string>& errors) {
  const bool equals = view.op == "In";
  if (!equals && view.op != "NotIn") {
    errors.push_back(UnknownOperator(path, view.op, R"("In", "NotIn")"));
  } else if (view.values.size() != 1) {
    errors.push_back(NotOneValue(path, view.values));
  } else {
    requirements.push_back({.path = std::string(view.key),
                            .op = equals ? FieldOperator::kEquals : FieldOperator::kNotEquals,
                            .value = view.values[0]});
  }
}

}  // namespace

NodeSelector::Term NodeSelector::ReadTerm(const NodeTermView& view, size_t index) {
  Term term;
  std::vector<FieldRequirement> fields;
  for (size_t i = 0; i < view.match_expressions.size(); ++i) {
    const std::string path = fmt::format("nodeSelectorTerms[{}].matchExpressions[{}]", index, i);
    ReadLabel(view.match_expressions[i], path, term.labels, term.errors);
  }
  for (size_t i = 0; i < view.match_fields.size(); ++i) {
    const std::string path = fmt::format("nodeSelectorTerms[{}].matchFields[{}]", index, i);
    ReadField(view.match_fields[i], path, fields, term.errors);
  }
  term.fields = FieldSelector(std::move(fields));
  return term;
}

NodeSelector NodeSelector::ParseLazily(std::span<const NodeTermView> terms) {
  NodeSelector selector;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].match_expressions.empty() && terms[i].match_fields.empty()) continue;
    selector.terms_.push_back(ReadTerm(terms[i], i));
  }
  return selector;
}

Result<NodeSelector> NodeSelector::Parse(std::span<const NodeTermView> terms) {
  NodeSelector selector = ParseLazily(terms);
  std::vector<std::string> errors;
  for (const Term& term : selector.terms_)
    std::ranges::copy(term.errors, std::back_inserter(errors));
  if (!errors.empty()) return Fail(StatusReason::kBadRequest, JoinErrors(errors));
  return selector;
}

bool NodeSelector::Matches(const Labels& labels, std::string_view node_name) const {
  const auto value_of = [&](std::string_view path) {
    return path == kNameField ? node_name : std::string_view();
  };
  return std::ranges::any_of(terms_, [&](const Term& term) {
    if (!term.errors.empty()) return false;
    const bool labels_match = std::ranges::all_of(
        term.labels,
        [&](const LabelRequirement& requirement) { return requirement.Matches(labels); });
    return labels_match && (node_name.empty() || term.fields.Matches(value_of));
  });
}

Result<bool> NodeSelector::Match(const Labels& labels, std::string_view node_name) const {
  if (Matches(labels, node_name)) return true;
  std::vector<std::string> errors;
  for (const Term& term : terms_) std::ranges::copy(term.errors, std::back_inserter(errors));
  if (!errors.empty()) return Fail(StatusReason::kBadRequest, JoinErrors(errors));
  return false;
}

Result<bool> NodeMatches(const NodeChoice& choice,
                         const Labels& labels,
                         std::string_view node_name) {
  if (!choice.node_name.empty()) return choice.node_name == node_name;
  if (choice.all_nodes) return true;
  if (choice.node_selector == nullptr) return false;
  DRAY_TRY(const NodeSelector selector, NodeSelector::Parse(*choice.node_selector));
  return selector.Matches(labels, node_name);
}

}  // namespace dray::api::inline selectors
