// SPDX-License-Identifier: Apache-2.0
#include "api/selectors/selector_of.h"

#include <vector>

namespace dray::api::inline selectors {

Result<LabelSelector> SelectorOf(const meta_v1::LabelSelector& selector) {
  std::vector<LabelSelector::Expression> expressions;
  expressions.reserve(selector.match_expressions.size());
  for (const meta_v1::LabelSelectorRequirement& one : selector.match_expressions) {
    expressions.push_back({.key = one.key, .op = one.operator_, .values = one.values});
  }
  return LabelSelector::FromParts(selector.match_labels, expressions);
}

std::string LabelsText(const Map<std::string>& labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    if (!text.empty()) text += ',';
    text.append(key).append("=").append(value);
  }
  return text;
}

}  // namespace dray::api::inline selectors
