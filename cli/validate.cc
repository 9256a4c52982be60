// SPDX-License-Identifier: Apache-2.0
#include "cli/validate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json.h"
#include "manifests/files.h"
#include "manifests/validate.h"

namespace dray::cli {
namespace {

constexpr int kExitValid = 0;
constexpr int kExitInvalid = 1;
constexpr int kExitUnreadable = 2;

struct VerdictName {
  manifests::Verdict verdict;
  std::string_view name;
  int exit_code;
};
constexpr std::array kVerdictNames = {
    VerdictName{manifests::Verdict::kValid, "valid", kExitValid},
    VerdictName{manifests::Verdict::kInvalid, "invalid", kExitInvalid},
    VerdictName{manifests::Verdict::kRefused, "refused", kExitInvalid},
    VerdictName{manifests::Verdict::kSkipped, "skipped", kExitValid},
    VerdictName{manifests::Verdict::kUnreadable, "unreadable", kExitUnreadable}};

const VerdictName& NameOf(manifests::Verdict verdict) {
  return *std::ranges::find(kVerdictNames, verdict, &VerdictName::verdict);
}

/// With --strict what was passed over is an error.
void BeStrict(manifests::ObjectVerdict& verdict) {
  if (verdict.verdict == manifests::Verdict::kSkipped ||
      verdict.verdict == manifests::Verdict::kUnreadable)
    return;
  for (manifests::Notice& notice : verdict.notices) {
    if (notice.type != "UnknownField" && notice.type != "DuplicateField") continue;
    notice.severity = manifests::Notice::Severity::kError;
    if (verdict.verdict == manifests::Verdict::kValid)
      verdict.verdict = manifests::Verdict::kRefused;
  }
}

// ------------------------------------------------------------------------------------------- text

class TextReport {
 public:
  TextReport(std::FILE* out, Colours colours) : out_(out), colours_(colours) {}

  void Print(const manifests::ObjectVerdict& verdict) const {
    const std::string object = ObjectOf(verdict);
    if (verdict.verdict == manifests::Verdict::kSkipped) {
      fmt::print(out_,
                 "{}:{}: {}: {}: not a kind Dray knows\n",
                 verdict.file,
                 verdict.line,
                 Painted("skipped", kFaint),
                 object);
    }
    for (const manifests::Notice& notice : verdict.notices) Print(verdict, object, notice);
  }

 private:
  static constexpr std::string_view kRed = "\033[1;31m";
  static constexpr std::string_view kYellow = "\033[1;33m";
  static constexpr std::string_view kFaint = "\033[2m";
  static constexpr std::string_view kPlain = "\033[0m";

  /// "ResourceClaim default/gpu"
  static std::string ObjectOf(const manifests::ObjectVerdict& verdict) {
    if (verdict.verdict == manifests::Verdict::kUnreadable) return {};
    std::string object = verdict.verdict == manifests::Verdict::kSkipped
                             ? fmt::format("{} {}", verdict.type.api_version, verdict.type.kind)
                             : verdict.type.kind;
    if (!verdict.name.empty()) {
      const std::string_view slash = verdict.namespace_.empty() ? "" : "/";
      object += fmt::format(" {}{}{}", verdict.namespace_, slash, verdict.name);
    }
    return object;
  }

  std::string Painted(std::string_view text, std::string_view colour) const {
    if (colours_ == Colours::kNone) return std::string(text);
    return fmt::format("{}{}{}", colour, text, kPlain);
  }

  void Print(const manifests::ObjectVerdict& verdict,
             std::string_view object,
             const manifests::Notice& notice) const {
    const bool is_error = notice.severity == manifests::Notice::Severity::kError;
    std::string line = fmt::format("{}:{}: {}: ",
                                   verdict.file,
                                   notice.line,
                                   is_error ? Painted("error", kRed) : Painted("warning", kYellow));
    if (!object.empty()) line += fmt::format("{}: ", object);
    if (!notice.field.empty()) line += fmt::format("{}: ", notice.field);
    fmt::print(out_, "{}{}\n", line, notice.text);
    if (!notice.hint.empty()) fmt::print(out_, "    {}\n", Painted(notice.hint, kFaint));
  }

  std::FILE* out_;
  Colours colours_;
};

// ------------------------------------------------------------------------------------------- JSON

/// One JSON object, member by member.
class JsonMembers {
 public:
  void Text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    Name(name);
    api::QuoteJson(value, out_);
  }
  void Number(std::string_view name, size_t value) {
    Name(name);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  /// `json` as it is.
  void Json(std::string_view name, std::string_view json) {
    Name(name);
    out_ += json;
  }
  std::string Take() && { return out_.empty() ? "{}" : std::move(out_) + "}"; }

 private:
  void Name(std::string_view name) {
    out_ += out_.empty() ? '{' : ',';
    api::QuoteJson(name, out_);
    out_ += ':';
  }
  std::string out_;
};

std::string Listed(const manifests::ObjectVerdict& verdict, manifests::Notice::Severity severity) {
  std::vector<std::string> notices;
  for (const manifests::Notice& notice : verdict.notices) {
    if (notice.severity != severity) continue;
    JsonMembers members;
    members.Number("line", notice.line);
    members.Text("field", notice.field);
    members.Text("type", notice.type);
    members.Text("text", notice.text);
    members.Text("hint", notice.hint);
    notices.push_back(std::move(members).Take());
  }
  return fmt::format("[{}]", fmt::join(notices, ","));
}

std::string JsonOf(const manifests::ObjectVerdict& verdict) {
  JsonMembers members;
  members.Text("file", verdict.file);
  members.Number("line", verdict.line);
  members.Number("document", verdict.document);
  members.Text("item", verdict.item);
  members.Text("apiVersion", verdict.type.api_version);
  members.Text("kind", verdict.type.kind);
  members.Text("namespace", verdict.namespace_);
  members.Text("name", verdict.name);
  if (verdict.release.has_value()) members.Text("release", api::ReleaseName(*verdict.release));
  members.Text("verdict", NameOf(verdict.verdict).name);
  members.Json("errors", Listed(verdict, manifests::Notice::Severity::kError));
  members.Json("warnings", Listed(verdict, manifests::Notice::Severity::kWarning));
  return std::move(members).Take();
}

// -------------------------------------------------------------------------------------- the whole

/// How many objects there were of each verdict, and how it ends.
class Tally {
 public:
  void Count(manifests::Verdict verdict) {
    const VerdictName& name = NameOf(verdict);
    ++counts_.at(static_cast<size_t>(&name - kVerdictNames.data()));
    exit_code_ = std::max(exit_code_, name.exit_code);
  }
  int exit_code() const { return exit_code_; }
  /// "3 valid, 1 invalid"
  std::string ToText() const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0) parts.push_back(fmt::format("{} {}", counts_[i], kVerdictNames[i].name));
    }
    return parts.empty() ? "no objects" : fmt::format("{}", fmt::join(parts, ", "));
  }
  std::string ToJson() const {
    JsonMembers members;
    for (size_t i = 0; i < counts_.size(); ++i) members.Number(kVerdictNames[i].name, counts_[i]);
    return std::move(members).Take();
  }

 private:
  std::array<size_t, kVerdictNames.size()> counts_ = {};
  int exit_code_ = kExitValid;
};

/// Reads and prints file by file.
class Run {
 public:
  Run(World& world, const ValidateOptions& options, manifests::ManifestJudge judge, std::FILE* out)
      : world_(world),
        options_(options),
        judge_(std::move(judge)),
        out_(out),
        text_(out, options.colours) {}

  int Everything() {
    if (is_json()) fmt::print(out_, "{{\"objects\":[");
    for (const std::string& path : options_.paths) Path(path);
    if (is_json()) {
      fmt::print(out_, "],\"summary\":{}}}\n", tally_.ToJson());
    } else {
      fmt::print(out_, "{}\n", tally_.ToText());
    }
    return tally_.exit_code();
  }

 private:
  bool is_json() const { return options_.format == ReportFormat::kJson; }

  void Path(const std::string& path) {
    const auto files = manifests::ManifestFiles(world_.disk, std::span(&path, 1));
    if (!files) {
      Unreadable(path, files.error().message);
      return;
    }
    for (const std::string& file : *files) File(file);
  }

  void File(const std::string& file) {
    auto verdicts = judge_.JudgeFile(file);
    if (!verdicts) {
      Unreadable(file, verdicts.error().message);
      return;
    }
    for (manifests::ObjectVerdict& verdict : *verdicts) Print(verdict);
  }

  void Unreadable(const std::string& file, std::string why) {
    manifests::ObjectVerdict verdict = {.file = file, .verdict = manifests::Verdict::kUnreadable};
    verdict.notices.push_back({.line = 1, .type = "Unreadable", .text = std::move(why)});
    Print(verdict);
  }

  void Print(manifests::ObjectVerdict& verdict) {
    if (options_.strict) BeStrict(verdict);
    tally_.Count(verdict.verdict);
    if (!is_json()) {
      text_.Print(verdict);
      return;
    }
    fmt::print(out_, "{}\n{}", std::exchange(separator_, ","), JsonOf(verdict));
  }

  World& world_;
  const ValidateOptions& options_;
  manifests::ManifestJudge judge_;
  std::FILE* out_;
  TextReport text_;
  Tally tally_;
  std::string_view separator_;
};

}  // namespace

int Validate(World& world, const ValidateOptions& options, std::FILE* out, std::FILE* errors) {
  manifests::JudgeOptions by = {.release = std::nullopt, .feature_gates = options.feature_gates};
  if (!options.release.empty()) {
    const auto release = api::ParseRelease(options.release);
    if (!release) {
      fmt::print(errors, "dray validate: {}\n", release.error().message);
      return kExitUnreadable;
    }
    by.release = *release;
  }
  auto judge = manifests::ManifestJudge::Make(world, by);
  if (!judge) {
    fmt::print(errors, "dray validate: {}\n", judge.error().message);
    return kExitUnreadable;
  }
  return Run(world, options, *std::move(judge), out).Everything();
}

}  // namespace dray::cli
