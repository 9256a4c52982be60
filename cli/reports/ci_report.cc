// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/ci_report.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "base/text/printable.h"
#include "cli/command_line/commands.h"

namespace dray::cli::inline reports {
namespace {

/// Escapes text for an element or attribute of XML.
std::string EscapedForXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += static_cast<unsigned char>(c) < ' ' && c != '\n' ? ' ' : c;
    }
  }
  return escaped;
}

/// A test case for each subject, with a failure for each of its errors. Warnings and notes do not
/// fail.
std::string JunitOf(const CiReport& report) {
  size_t failures = 0;
  size_t cases = 0;
  std::string body;
  const std::vector<CiResult>& results = report.results;
  for (size_t first = 0; first < results.size(); ++cases) {
    size_t last = first;
    std::string inside;
    for (; last < results.size() && results[last].subject == results[first].subject; ++last) {
      const CiResult& one = results[last];
      if (one.level != CiLevel::kError) continue;
      const std::string_view colon = one.field.empty() ? "" : ": ";
      inside += fmt::format("\n      <failure message=\"{}\">{}</failure>",
                            EscapedForXml(Printable(one.field + std::string(colon) + one.message)),
                            EscapedForXml(one.text));
    }
    body += fmt::format(R"(    <testcase classname="dray.{}" name="{}")",
                        report.command,
                        EscapedForXml(Printable(results[first].subject)));
    body += inside.empty() ? "/>\n" : fmt::format(">{}\n    </testcase>\n", inside);
    if (!inside.empty()) ++failures;
    first = last;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n  <testsuite name=\"dray {}\" tests=\"{}\" failures=\"{}\">\n"
      "{}  </testsuite>\n</testsuites>\n",
      report.command,
      cases,
      failures,
      body);
}

/// The level in SARIF.
std::string_view SarifLevel(CiLevel level) {
  switch (level) {
    case CiLevel::kFine: return "none";
    case CiLevel::kNote: return "note";
    case CiLevel::kWarning: return "warning";
    case CiLevel::kError: return "error";
  }
  return {};
}

void WriteLocation(const CiResult& one, api::JsonWriter& json) {
  json.Object([&] {
    if (!one.file.empty() && one.line > 0) {
      json.Member("physicalLocation").Object([&] {
        json.Member("artifactLocation").Object({{"uri", one.file}});
        json.Member("region").Object({{"startLine", one.line}});
      });
    }
    const std::string name = one.field.empty() ? one.subject : one.subject + ": " + one.field;
    json.Member("logicalLocations").Array([&] { json.Object({{"fullyQualifiedName", name}}); });
  });
}

void WriteResult(const CiResult& one, const CiRule& rule, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("ruleId", rule.id);
    json.Member("ruleIndex", one.rule);
    json.Member("level", SarifLevel(one.level));
    json.Member("message").Object({{"text", fmt::format("{}: {}", one.subject, one.message)}});
    json.Member("locations").Array([&] { WriteLocation(one, json); });
  });
}

/// SARIF 2.1.0.
std::string SarifOf(const CiReport& report) {
  const std::string version = VersionLine();
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
      json.Member("version", "2.1.0");
      json.Member("runs").Array([&] {
        json.Object([&] {
          json.Member("tool").Object([&] {
            json.Member("driver").Object([&] {
              json.Member("name", fmt::format("dray {}", report.command));
              json.Member("version", version.substr(0, version.find(" (")));
              json.Member("rules").Array([&] {
                for (const CiRule& rule : report.rules) {
                  json.Object([&] {
                    json.Member("id", rule.id);
                    json.Member("shortDescription").Object({{"text", rule.says}});
                  });
                }
              });
            });
          });
          json.Member("results").Array([&] {
            for (const CiResult& one : report.results) {
              if (one.level != CiLevel::kFine) WriteResult(one, report.rules[one.rule], json);
            }
          });
        });
      });
    });
  });
}

/// Escapes a message, or with `is_property` a property before it.
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

std::string GithubOf(const CiReport& report) {
  std::string text;
  for (const CiResult& one : report.results) {
    if (one.level == CiLevel::kFine) continue;
    const std::string_view command = one.level == CiLevel::kNote ? "notice" : SarifLevel(one.level);
    std::string place;
    if (!one.file.empty() && one.line > 0)
      place = fmt::format("file={},line={},", GithubText(one.file, true), one.line);
    const std::string_view colon = one.field.empty() ? "" : ": ";
    text += fmt::format(
        "::{} {}title={}::{}\n",
        command,
        place,
        report.rules[one.rule].id,
        GithubText(fmt::format("{}: {}{}{}", one.subject, one.field, colon, one.message), false));
  }
  return text;
}

}  // namespace

bool IsCiForm(std::string_view form) {
  return std::ranges::find(kCiForms, form) != std::end(kCiForms);
}

std::string CiText(std::string_view form, const CiReport& report) {
  if (form == "junit") return JunitOf(report);
  if (form == "github") return GithubOf(report);
  return DocumentText(OutputFormat::kJson, SarifOf(report));
}

FileAndLine FileAndLineOf(std::string_view place) {
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return {};
  size_t line = 0;
  const std::string_view rest = place.substr(colon + 1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
  if (error == std::errc() && end == rest.data() + rest.size())
    return {.file = std::string(place.substr(0, colon)), .line = line};
  const size_t item = place.find(": ");
  return {.file = std::string(place.substr(0, item))};
}

}  // namespace dray::cli::inline reports
