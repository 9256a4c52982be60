// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/lint_report.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json_writer.h"
#include "cli/command_line/command_text.h"
#include "cli/command_line/help.h"

namespace dray::cli::inline reports {
namespace {

using planning::LintSeverity;

constexpr std::array kSeverities = {
    LintSeverity::kError, LintSeverity::kWarning, LintSeverity::kNote};

size_t CountOf(std::span<const PlacedFinding> findings, LintSeverity severity) {
  return static_cast<size_t>(std::ranges::count_if(
      findings, [&](const PlacedFinding& one) { return one.finding.severity == severity; }));
}

std::string SummaryOf(std::span<const PlacedFinding> findings) {
  std::vector<std::string> parts;
  for (const LintSeverity severity : kSeverities) {
    const size_t count = CountOf(findings, severity);
    if (count > 0) {
      parts.push_back(
          fmt::format("{} {}{}", count, planning::SeverityName(severity), Plural(count, "", "s")));
    }
  }
  return parts.empty() ? "nothing found" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string Place(const PlacedFinding& one) {
  return one.line == 0 ? Printable(one.file) : fmt::format("{}:{}", Printable(one.file), one.line);
}

std::string Severity(LintSeverity severity, Colours colours) {
  const std::string_view colour = severity == LintSeverity::kError     ? kRed
                                  : severity == LintSeverity::kWarning ? kYellow
                                                                       : kFaint;
  return Painted(planning::SeverityName(severity), colour, colours);
}

CiLevel LevelOf(LintSeverity severity) {
  switch (severity) {
    case LintSeverity::kNote: return CiLevel::kNote;
    case LintSeverity::kWarning: return CiLevel::kWarning;
    case LintSeverity::kError: return CiLevel::kError;
  }
  return CiLevel::kFine;
}

}  // namespace

std::string TextOf(std::span<const PlacedFinding> findings, Colours colours, size_t columns) {
  std::string text;
  for (const PlacedFinding& one : findings) {
    const planning::Finding& finding = one.finding;
    text += fmt::format("{}: {}: {}: {}\n",
                        Place(one),
                        Severity(finding.severity, colours),
                        Printable(one.object),
                        planning::RuleName(finding.rule));
    const std::string why = finding.field + ": " + finding.why;
    text += "    " + Wrapped(Printable(why), 4, columns) + "\n";
    text += "    " +
            Painted(Wrapped("fix: " + Printable(finding.advice), 4, columns), kFaint, colours) +
            "\n";
  }
  return text + SummaryOf(findings) + "\n";
}

std::string JsonOf(std::span<const PlacedFinding> findings) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      WriteSchema("lint", json);
      json.Member("findings").Array([&] {
        for (const PlacedFinding& one : findings) {
          json.Object([&] {
            json.Member("rule", planning::RuleName(one.finding.rule));
            json.Member("severity", planning::SeverityName(one.finding.severity));
            json.Member("file", one.file);
            if (one.line > 0) json.Member("line", one.line);
            json.Member("object", one.object);
            json.Member("field", one.finding.field);
            json.Member("why", one.finding.why);
            json.Member("fix", one.finding.advice);
            json.Member("fixable", !one.finding.fixes.empty());
          });
        }
      });
      json.Member("summary").Object([&] {
        for (const LintSeverity severity : kSeverities)
          json.Member(planning::SeverityName(severity), CountOf(findings, severity));
      });
    });
  });
}

CiReport ReportOf(std::span<const PlacedFinding> findings, std::span<const std::string> objects) {
  CiReport report{.command = "lint", .rules = {}, .results = {}};
  for (const planning::LintRuleText& rule : planning::LintRules())
    report.rules.push_back({.id = rule.name, .says = rule.says});
  for (const PlacedFinding& one : findings) {
    report.results.push_back({.subject = one.object,
                              .level = LevelOf(one.finding.severity),
                              .rule = static_cast<size_t>(one.finding.rule),
                              .field = one.finding.field,
                              .message = fmt::format("{}; {}", one.finding.why, one.finding.advice),
                              .file = one.file,
                              .line = one.line});
  }
  std::set<std::string_view> reported;
  for (const PlacedFinding& one : findings) reported.insert(one.object);
  for (const std::string& object : objects) {
    if (reported.insert(object).second) report.results.push_back({.subject = object});
  }
  return report;
}

}  // namespace dray::cli::inline reports
