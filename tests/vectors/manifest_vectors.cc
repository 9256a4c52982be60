// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/manifest_vectors.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/feature_gates.h"
#include "api/status.h"
#include "base/try.h"
#include "manifests/validate.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/validation_answer.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using Lines = std::vector<std::string>;

constexpr std::string_view kNotMeasured = "not measured";
constexpr std::string_view kNotYaml = "not YAML";

/// One line to compare, expected or actual.
struct Said {
  std::string about;    // which object and request
  std::string verdict;  // ok, invalid, refused, not YAML
  std::string release;
  int code = 0;
  Lines errors = {};
  std::string message = {};
  Lines warnings = {};
  Lines strict = {};
};

Lines StringsOf(const json::object& object, std::string_view name) {
  Lines strings;
  for (const json::value& value : ListOf(object, name)) strings.emplace_back(value.as_string());
  return strings;
}

Said ExpectedLines(const json::object& entry) {
  Said said = {
      .about = fmt::format(
          "{} {} {}", TextOf(entry, "kind"), TextOf(entry, "name"), TextOf(entry, "operation")),
      .verdict = std::string(TextOf(entry, "verdict")),
      .release = std::string(TextOf(entry, "release")),
      .errors = StringsOf(entry, "errors"),
      .message = std::string(TextOf(entry, "message")),
      .warnings = StringsOf(entry, "warnings"),
      .strict = StringsOf(entry, "strict")};
  if (const json::value* code = entry.if_contains("code")) said.code = code->to_number<int>();
  return said;
}

bool IsAbout(const manifests::ObjectVerdict& verdict) {
  return verdict.verdict == manifests::Verdict::kUnreadable ||
         verdict.type.api_version.starts_with("resource.k8s.io/") ||
         (verdict.type.kind == "Pod" && verdict.type.api_version == "v1");
}

std::string VerdictOf(const manifests::Answer& answer) {
  if (answer.code < 300) return "ok";
  return answer.code == api::HttpCode(StatusReason::kInvalid) ? "invalid" : "refused";
}

/// Dray's answers for an object, request by request.
std::vector<Said> Given(const manifests::ObjectVerdict& verdict) {
  if (verdict.verdict == manifests::Verdict::kUnreadable) {
    return {{.about = std::string(kNotYaml), .verdict = std::string(kNotYaml)}};
  }
  std::vector<Said> given;
  for (const manifests::Answer& answer : verdict.answers) {
    Said said = {
        .about = fmt::format("{} {} {}", verdict.type.kind, verdict.name, answer.operation),
        .verdict = VerdictOf(answer),
        .release = verdict.release.has_value() ? api::ReleaseName(*verdict.release) : std::string(),
        .code = answer.code,
        .message = answer.message,
        .warnings = answer.warnings,
        .strict = verdict.strict};
    for (const ErrorCause& cause : answer.causes) {
      said.errors.push_back(fmt::format("{}: {}", cause.field, cause.message));
    }
    if (answer.causes.empty() && !answer.message.empty()) said.errors = {answer.message};
    given.push_back(std::move(said));
  }
  return given;
}

Lines Sorted(Lines lines) {
  std::ranges::sort(lines);
  return lines;
}

/// Errors and message where their text binds.
std::string TextDifference(std::string_view kind, const Said& want, Said got) {
  bool all_bind = true;
  if (want.errors.size() != got.errors.size()) all_bind = false;
  for (size_t i = 0; i < std::min(want.errors.size(), got.errors.size()); ++i) {
    const std::string_view line = want.errors[i];
    const size_t colon = std::min(line.find(": "), line.size());
    const std::string_view field = line.substr(0, colon);
    const std::string_view text = line.substr(std::min(colon + 2, line.size()));
    if (IsBindingText(kind, field, text)) continue;
    all_bind = false;
    if (got.errors[i].starts_with(fmt::format("{}: ", field))) got.errors[i] = line;
  }
  if (want.errors != got.errors) {
    return fmt::format("errors\n    {}\n  got\n    {}",
                       fmt::join(want.errors, "\n    "),
                       fmt::join(got.errors, "\n    "));
  }
  if (all_bind && !want.message.empty() && want.message != got.message) {
    return fmt::format("message {}\n  got {}", want.message, got.message);
  }
  return {};
}

std::string Difference(std::string_view kind, const Said& want, const Said& got) {
  if (want.verdict != got.verdict || want.code != got.code) {
    return fmt::format("want {} {}, got {} {}: {}",
                       want.verdict,
                       want.code,
                       got.verdict,
                       got.code,
                       fmt::join(got.errors, "; "));
  }
  if (want.verdict == kNotYaml) return {};
  if (want.release != got.release && got.code != api::HttpCode(StatusReason::kNotFound)) {
    return fmt::format("want release {}, got {}", want.release, got.release);
  }
  // The texts of decoders are not compared.
  if (want.code == api::HttpCode(StatusReason::kBadRequest)) return {};
  const std::string text = TextDifference(kind, want, got);
  if (!text.empty()) return "want " + text;
  if (want.warnings != got.warnings) {
    return fmt::format("want warnings {}\n  got {}",
                       fmt::join(want.warnings, "; "),
                       fmt::join(got.warnings, "; "));
  }
  if (Sorted(want.strict) != Sorted(got.strict)) {
    return fmt::format("want strict errors {}\n  got {}",
                       fmt::join(want.strict, "; "),
                       fmt::join(got.strict, "; "));
  }
  return {};
}

/// The entries about one file, in order.
using Entries = std::vector<const json::object*>;

void RunFile(manifests::ManifestValidator& validator,
             const std::string& folder,
             const std::string& file,
             const Entries& entries,
             Report& report) {
  const auto verdicts = validator.ValidateFile(fmt::format("{}/{}", folder, file));
  if (!verdicts) {
    report.failures.push_back(fmt::format("{}: {}", file, verdicts.error().message));
    return;
  }
  std::vector<Said> given;
  for (const manifests::ObjectVerdict& verdict : *verdicts) {
    if (!IsAbout(verdict)) continue;
    for (Said& said : Given(verdict)) given.push_back(std::move(said));
  }
  if (given.size() != entries.size()) {
    report.failures.push_back(
        fmt::format("{}: want {} answers, got {}", file, entries.size(), given.size()));
    return;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const Said want = ExpectedLines(*entries[i]);
    if (want.verdict == kNotMeasured) {
      ++report.not_run["not measured"];
      continue;
    }
    const std::string difference = Difference(TextOf(*entries[i], "kind"), want, given[i]);
    if (difference.empty()) {
      ++report.passed;
    } else {
      report.failures.push_back(fmt::format("{} {}: {}", file, want.about, difference));
    }
  }
}

}  // namespace

Result<Report> RunManifestVectors(World& world, const std::string& folder) {
  DRAY_TRY(const std::string text, world.disk.Read(folder + "/verdicts.json"));
  boost::system::error_code error;
  const json::value verdicts = json::parse(text, error);
  if (error || !verdicts.is_array()) {
    return Fail(StatusReason::kBadRequest, folder + "/verdicts.json: not an array of verdicts");
  }
  std::map<std::string, Entries> by_file;
  for (const json::value& entry : verdicts.as_array()) {
    if (!entry.is_object()) continue;
    by_file[std::string(TextOf(entry.as_object(), "file"))].push_back(&entry.as_object());
  }
  DRAY_TRY(manifests::ManifestValidator validator, manifests::ManifestValidator::Make(world, {}));
  Report report;
  for (const auto& [file, entries] : by_file) RunFile(validator, folder, file, entries, report);
  return report;
}

}  // namespace dray::vectors
