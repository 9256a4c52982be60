// SPDX-License-Identifier: Apache-2.0
#include "cli/lint_report.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json_writer.h"
#include "cli/command_text.h"
#include "cli/help.h"

namespace dray::cli {
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

std::string_view SarifLevel(LintSeverity severity) {
  return planning::SeverityName(severity);  // SARIF has the same words
}

void WriteLocation(const PlacedFinding& one, api::JsonWriter& json) {
  json.Object([&] {
    if (one.line > 0) {
      json.Member("physicalLocation").Object([&] {
        json.Member("artifactLocation").Object({{"uri", one.file}});
        json.Member("region").Object({{"startLine", one.line}});
      });
    }
    json.Member("logicalLocations").Array([&] {
      json.Object({{"fullyQualifiedName", one.object + ": " + one.finding.field}});
    });
  });
}

void WriteResult(const PlacedFinding& one, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("ruleId", planning::RuleName(one.finding.rule));
    json.Member("ruleIndex", static_cast<size_t>(one.finding.rule));
    json.Member("level", SarifLevel(one.finding.severity));
    json.Member("message").Object(
        {{"text", fmt::format("{}: {}; {}", one.object, one.finding.why, one.finding.advice)}});
    json.Member("locations").Array([&] { WriteLocation(one, json); });
  });
}

/// Of messages, and with `is_property` of values before them.
std::string GithubText(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '%': escaped += "%25"; break;
      case '\r': escaped += "%0D"; break;
      case '\n': escaped += "%0A"; break;
      case ':': escaped += is_property ? "%3A" : ":"; break;
      case ',': escaped += is_property ? "%2C" : ","; break;
      default: escaped += c;
    }
  }
  return Printable(escaped);
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

std::string SarifOf(std::span<const PlacedFinding> findings, std::string_view version) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
      json.Member("version", "2.1.0");
      json.Member("runs").Array([&] {
        json.Object([&] {
          json.Member("tool").Object([&] {
            json.Member("driver").Object([&] {
              json.Member("name", "dray lint");
              json.Member("version", version);
              json.Member("rules").Array([&] {
                for (const planning::LintRuleText& rule : planning::LintRules()) {
                  json.Object([&] {
                    json.Member("id", rule.name);
                    json.Member("shortDescription").Object({{"text", rule.says}});
                  });
                }
              });
            });
          });
          json.Member("results").Array([&] {
            for (const PlacedFinding& one : findings) WriteResult(one, json);
          });
        });
      });
    });
  });
}

std::string GithubOf(std::span<const PlacedFinding> findings) {
  std::string text;
  for (const PlacedFinding& one : findings) {
    const planning::Finding& finding = one.finding;
    const std::string_view command = finding.severity == LintSeverity::kNote
                                         ? "notice"
                                         : planning::SeverityName(finding.severity);
    std::string place;
    if (one.line > 0) place = fmt::format("file={},line={},", GithubText(one.file, true), one.line);
    text += fmt::format(
        "::{} {}title={}::{}\n",
        command,
        place,
        planning::RuleName(finding.rule),
        GithubText(
            fmt::format("{}: {}: {}; {}", one.object, finding.field, finding.why, finding.advice),
            false));
  }
  return text;
}

}  // namespace dray::cli
