// SPDX-License-Identifier: Apache-2.0
#include "cli/input/served_gates.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace dray::cli::inline input {
namespace {

/// The value of the label in `{name="…",stage="…"}`; absent: there is no such label. Names of gates
/// contain no escaped character.
std::optional<std::string_view> LabelIn(std::string_view labels, std::string_view label) {
  const std::string begin = std::string(label) + "=\"";
  const size_t at = labels.find(begin);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t from = at + begin.size();
  const size_t end = labels.find('"', from);
  if (end == std::string_view::npos) return std::nullopt;
  return labels.substr(from, end - from);
}

}  // namespace

ServedGates ServedGatesIn(std::string_view metrics) {
  constexpr std::string_view kMetric = "kubernetes_feature_enabled{";
  ServedGates gates;
  for (size_t from = 0; from < metrics.size();) {
    const size_t end = std::min(metrics.find('\n', from), metrics.size());
    const std::string_view line = metrics.substr(from, end - from);
    from = end + 1;
    if (!line.starts_with(kMetric)) continue;
    const size_t close = line.rfind('}');
    if (close == std::string_view::npos) continue;
    const auto name = LabelIn(line.substr(0, close), "name");
    const std::string_view value = line.substr(close + 1);
    if (name.has_value() && (value == " 0" || value == " 1"))
      gates.insert_or_assign(std::string(*name), value == " 1");
  }
  return gates;
}

api::FeatureGates GatesOf(const ServedGates& served, api::Release release) {
  api::FeatureGates gates = api::FeatureGates::DefaultsOf(release);
  for (const api::GateInfo& gate : api::Gates()) {
    const auto found = served.find(gate.name);
    if (found != served.end() && gate.in.Rules(release)) gates.Switch(gate.gate, found->second);
  }
  gates.DropDependents();
  return gates;
}

}  // namespace dray::cli::inline input
