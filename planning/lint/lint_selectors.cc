// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_selectors.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cel/eval/program.h"
#include "cel/syntax/conjuncts.h"
#include "planning/lint/lint_types.h"

namespace dray::planning::inline lint {
namespace {

namespace v1 = api::resource_v1;
using cel::DeviceName;
using cel::NamedComparison;
using cel::ValueKind;

std::string FieldOf(const std::string& selectors, size_t place) {
  return fmt::format("{}[{}].cel.expression", selectors, place);
}

}  // namespace

bool SelectorLinter::Compile(const std::string& field,
                             std::span<const v1::DeviceSelector> selectors) {
  bool compile = true;
  for (size_t i = 0; i < selectors.size(); ++i) {
    if (!selectors[i].cel.has_value()) continue;
    const Result<cel::Selector> selector =
        devices_.selectors().Compile(selectors[i].cel->expression);
    if (selector) continue;
    const std::string& message = selector.error().message;
    findings_.Report(LintRule::kInvalidSelector,
                     FieldOf(field, i),
                     message.substr(0, message.find('\n')),
                     "mend the expression; dray cel shows the place");
    compile = false;
  }
  return compile;
}

void SelectorLinter::Names(const std::string& field,
                           std::span<const v1::DeviceSelector> selectors,
                           bool match_nothing) {
  const LintSeverity severity = match_nothing ? LintSeverity::kError : LintSeverity::kWarning;
  for (size_t i = 0; i < selectors.size(); ++i) {
    if (!selectors[i].cel.has_value()) continue;
    const Result<cel::Selector> selector =
        devices_.selectors().Compile(selectors[i].cel->expression);
    if (!selector) continue;
    const cel::check::CheckedAst& checked = selector->program().checked();
    const std::vector<DeviceName> tested = cel::TestedNamesIn(checked);
    for (const DeviceName& name : cel::NamesIn(checked)) {
      if (devices_.Has(name)) continue;
      const bool is_tested = std::ranges::find(tested, name) != tested.end();
      UnknownName(FieldOf(field, i), name, name.ToExpression()).severity =
          is_tested && !match_nothing ? LintSeverity::kNote : severity;
    }
    std::set<std::pair<DeviceName, std::string>> said;
    for (const NamedComparison& comparison : cel::ComparisonsIn(checked)) {
      const std::string literal = LiteralText(comparison.literal);
      if (said.emplace(comparison.name, literal).second)
        Type(FieldOf(field, i), comparison, literal, severity);
    }
  }
}

Finding& SelectorLinter::UnknownName(std::string field,
                                     const DeviceName& name,
                                     const std::string& written) {
  const std::vector<CountedName> near = devices_.Near(name);
  const bool is_domain = !devices_.HasDomain(name.section, name.domain);
  std::string advice = "name what the devices publish; kubectl get resourceslices -o yaml shows it";
  if (!near.empty()) {
    std::vector<std::string> names;
    names.reserve(near.size());
    for (const CountedName& one : near)
      names.push_back(
          fmt::format("{} (on {} of {})", one.name.ToExpression(), one.devices, devices_.size()));
    advice = fmt::format("did you mean {}?", fmt::join(names, " or "));
  }
  Finding& finding = findings_.Report(
      is_domain ? LintRule::kUnknownDomain : LintRule::kUnknownAttribute,
      std::move(field),
      is_domain ? fmt::format("no device has anything in the domain {} ({})", name.domain, written)
                : fmt::format("no device has {}", written),
      std::move(advice));
  if (near.size() != 1 || near.front().name.section != name.section) return finding;
  const DeviceName& meant = near.front().name;
  if (meant.domain == name.domain) finding.fixes.push_back({name.id, meant.id});
  if (meant.id == name.id) finding.fixes.push_back({name.domain, meant.domain});
  return finding;
}

void SelectorLinter::Type(const std::string& field,
                          const NamedComparison& comparison,
                          const std::string& literal,
                          LintSeverity severity) {
  const std::set<ValueKind> kinds = devices_.KindsOf(comparison.name);
  const bool can_hold = std::ranges::any_of(
      kinds, [&](ValueKind kind) { return AreComparable(kind, comparison.literal); });
  if (kinds.empty() || can_hold) return;
  std::vector<std::string_view> names;
  names.reserve(kinds.size());
  for (const ValueKind kind : kinds) names.push_back(KindName(kind));
  const std::optional<std::string> meant =
      kinds.size() == 1 ? AsKind(*kinds.begin(), comparison.literal) : std::nullopt;
  std::string advice = "compare it with a value of its type";
  if (kinds.contains(ValueKind::kList)) advice = "ask whether the value is in the list: \"x\" in …";
  if (meant.has_value()) advice = fmt::format("write {}", *meant);
  Finding& finding = findings_.Report(LintRule::kWrongType,
                                      field,
                                      fmt::format("{} is {}, and never {}",
                                                  comparison.name.ToExpression(),
                                                  fmt::join(names, " or "),
                                                  literal),
                                      std::move(advice));
  finding.severity = severity;
  if (!meant.has_value()) return;
  finding.fixes = FixesFor(comparison.literal, *meant);
}

void SelectorLinter::Failures(const std::string& field,
                              const DevicePopulation::Choice& choice,
                              size_t asked,
                              size_t before) {
  if (choice.error.empty() || !choice.compiles) return;
  const std::string at = FieldOf(field, choice.failed_selector);
  if (std::ranges::find(findings_.Since(before), at, &Finding::field) !=
      findings_.Since(before).end())
    return;
  const bool is_key = choice.error.starts_with("no such key");
  const bool is_type = choice.error.starts_with("no such overload");
  std::string advice = "guard it with a condition before it: … && …";
  if (is_key)
    advice = "ask first whether it is there: \"name\" in device.attributes[\"domain\"] && …";
  if (is_type) advice = "compare it with a value of its type";
  findings_.Report(
      is_type ? LintRule::kWrongType : LintRule::kFailingSelector,
      at,
      fmt::format("it fails on {} of {} devices, and with it every search on their nodes: {}",
                  choice.failing.Count(),
                  asked,
                  cel::syntax::OneLine(choice.error)),
      std::move(advice));
}

}  // namespace dray::planning::inline lint
