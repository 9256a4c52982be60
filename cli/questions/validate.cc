// SPDX-License-Identifier: Apache-2.0
// dray validate: how an API server would answer to manifests, without a server.
#include "manifests/validate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json_writer.h"
#include "api/feature_gates.h"
#include "api/measured_release.h"
#include "base/try.h"
#include "cli/command_line/command_text.h"
#include "cli/command_line/common_options.h"
#include "cli/input/live_input.h"
#include "cli/input/offline_input.h"
#include "cli/questions/questions.h"
#include "cli/reports/ci_report.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "manifests/files.h"

namespace dray::cli::inline questions {
namespace {

using manifests::Notice;
using manifests::ObjectVerdict;
using manifests::Verdict;

struct ValidateOptions {
  std::vector<std::string> paths;  // files, folders, "-"
  std::string release;             // "1.37"; empty: the newest that serves an object's version
  std::string feature_gates;       // in kube-apiserver's syntax
  std::string kubeconfig;          // of a cluster whose definitions count; empty: none
  std::string context;             // of the kubeconfig; empty: its current one
  bool allows_nothing = false;     // files without objects to judge are no error
  bool strict = false;             // unknown and duplicate fields are errors
  std::string format = "text";
};

struct NamedVerdict {
  Verdict verdict;
  std::string_view name;
  int exit_code;
};
constexpr std::array kVerdictNames = {NamedVerdict{Verdict::kValid, "valid", kExitYes},
                                      NamedVerdict{Verdict::kInvalid, "invalid", kExitNo},
                                      NamedVerdict{Verdict::kRefused, "refused", kExitNo},
                                      NamedVerdict{Verdict::kSkipped, "skipped", kExitYes},
                                      NamedVerdict{Verdict::kUnreadable, "unreadable", kExitUsage}};

const NamedVerdict& NameOf(Verdict verdict) {
  return *std::ranges::find(kVerdictNames, verdict, &NamedVerdict::verdict);
}

/// With --strict, fields that an API server ignores are errors.
void BeStrict(ObjectVerdict& verdict) {
  if (verdict.verdict == Verdict::kSkipped || verdict.verdict == Verdict::kUnreadable) return;
  for (Notice& notice : verdict.notices) {
    if (notice.type != "UnknownField" && notice.type != "DuplicateField") continue;
    notice.severity = Notice::Severity::kError;
    if (verdict.verdict == Verdict::kValid) verdict.verdict = Verdict::kRefused;
  }
}

/// "ResourceClaim default/gpu"
std::string ObjectOf(const ObjectVerdict& verdict) {
  if (verdict.verdict == Verdict::kUnreadable) return {};
  std::string object = verdict.verdict == Verdict::kSkipped
                           ? fmt::format("{} {}", verdict.type.api_version, verdict.type.kind)
                           : verdict.type.kind;
  if (!verdict.name.empty()) {
    const std::string_view slash = verdict.namespace_.empty() ? "" : "/";
    object += fmt::format(" {}{}{}", verdict.namespace_, slash, verdict.name);
  }
  return object;
}

// ------------------------------------------------------------------------------------------- text

class ValidateText {
 public:
  explicit ValidateText(const Output& output) : output_(output) {}

  void Print(const ObjectVerdict& verdict) const {
    const std::string object = ObjectOf(verdict);
    if (verdict.verdict == Verdict::kSkipped) {
      cli::Print(output_.out,
                 "{}:{}: {}: {}: {}\n",
                 verdict.file,
                 verdict.line,
                 Composed(Painted("skipped", kFaint)),
                 object,
                 verdict.why);
    }
    for (const Notice& notice : verdict.notices) Print(verdict, object, notice);
  }

 private:
  std::string Painted(std::string_view text, std::string_view colour) const {
    return cli::Painted(text, colour, output_.colours);
  }

  void Print(const ObjectVerdict& verdict, std::string_view object, const Notice& notice) const {
    const bool is_error = notice.severity == Notice::Severity::kError;
    const std::string severity = is_error ? Painted("error", kRed) : Painted("warning", kYellow);
    std::string line = TextFor("{}:{}: {}: ", verdict.file, notice.line, Composed(severity));
    if (!object.empty()) line += TextFor("{}: ", object);
    if (!notice.field.empty()) line += TextFor("{}: ", notice.field);
    cli::Print(output_.out, "{}{}\n", Composed(line), notice.text);
    if (notice.hint.empty()) return;
    const std::string hint = Painted(PrintableLines(notice.hint), kFaint);
    cli::Print(output_.out, "    {}\n", Composed(hint));
  }

  const Output& output_;
};

// ------------------------------------------------------------------------------------------- JSON

/// Writes a member, unless its text is empty.
void WriteText(std::string_view name, std::string_view text, api::JsonWriter& json) {
  if (!text.empty()) json.Member(name, text);
}

void WriteNotices(const ObjectVerdict& verdict, Notice::Severity severity, api::JsonWriter& json) {
  json.Array([&] {
    for (const Notice& notice : verdict.notices) {
      if (notice.severity != severity) continue;
      json.Object([&] {
        json.Member("line", notice.line);
        WriteText("field", notice.field, json);
        WriteText("type", notice.type, json);
        WriteText("text", notice.text, json);
        WriteText("hint", notice.hint, json);
      });
    }
  });
}

void WriteVerdict(const ObjectVerdict& verdict, api::JsonWriter& json) {
  json.Object([&] {
    WriteText("file", verdict.file, json);
    json.Member("line", verdict.line);
    json.Member("document", verdict.document);
    WriteText("item", verdict.item, json);
    WriteText("apiVersion", verdict.type.api_version, json);
    WriteText("kind", verdict.type.kind, json);
    WriteText("namespace", verdict.namespace_, json);
    WriteText("name", verdict.name, json);
    if (verdict.release.has_value()) {
      json.Member("release", api::ReleaseName(*verdict.release));
      if (!api::IsMeasured(*verdict.release)) json.Member("measured", false);
    }
    json.Member("verdict", NameOf(verdict.verdict).name);
    WriteText("why", verdict.why, json);
    WriteNotices(verdict, Notice::Severity::kError, json.Member("errors"));
    WriteNotices(verdict, Notice::Severity::kWarning, json.Member("warnings"));
  });
}

// ------------------------------------------------------------------------------------ tools of CI

/// Rule numbers are those of Run::AsCi.
void AddResults(const ObjectVerdict& verdict, CiReport& report) {
  constexpr size_t kRefused = 0;
  constexpr size_t kUnreadable = 1;
  constexpr size_t kWarned = 2;
  if (verdict.verdict == Verdict::kSkipped) return;
  const bool is_unreadable = verdict.verdict == Verdict::kUnreadable;
  const std::string subject = is_unreadable ? verdict.file : ObjectOf(verdict);
  if (verdict.notices.empty()) report.results.push_back({.subject = subject});
  for (const Notice& notice : verdict.notices) {
    const bool is_error = notice.severity == Notice::Severity::kError;
    const size_t rule = is_unreadable ? kUnreadable : kRefused;
    report.results.push_back({.subject = subject,
                              .level = is_error ? CiLevel::kError : CiLevel::kWarning,
                              .rule = is_error ? rule : kWarned,
                              .field = notice.field,
                              .message = notice.text,
                              .text = PrintableLines(notice.hint),
                              .file = verdict.file,
                              .line = notice.line});
  }
}

// -------------------------------------------------------------------------------------- the whole

/// The number of objects of each verdict, and the exit code.
class Tally {
 public:
  void Count(Verdict verdict) {
    const NamedVerdict& name = NameOf(verdict);
    ++counts_.at(static_cast<size_t>(&name - kVerdictNames.data()));
    exit_code_ = std::max(exit_code_, name.exit_code);
  }
  int exit_code() const { return exit_code_; }
  bool IsNothingJudged() const {
    return std::ranges::all_of(kVerdictNames, [&](const NamedVerdict& name) {
      return name.verdict == Verdict::kSkipped ||
             counts_.at(static_cast<size_t>(&name - kVerdictNames.data())) == 0;
    });
  }
  /// "3 valid, 1 invalid"
  std::string ToText() const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0) parts.push_back(fmt::format("{} {}", counts_[i], kVerdictNames[i].name));
    }
    return parts.empty() ? "no objects" : fmt::format("{}", fmt::join(parts, ", "));
  }
  /// {"valid":3,"invalid":1,…}
  void Write(api::JsonWriter& json) const {
    json.Object([&] {
      for (size_t i = 0; i < counts_.size(); ++i) json.Member(kVerdictNames[i].name, counts_[i]);
    });
  }

 private:
  std::array<size_t, kVerdictNames.size()> counts_ = {};
  int exit_code_ = kExitYes;
};

/// Reads and prints file by file.
class Run {
 public:
  Run(World& world,
      const ValidateOptions& options,
      manifests::ManifestValidator validator,
      const Output& output)
      : world_(world),
        options_(options),
        validator_(std::move(validator)),
        output_(output),
        progress_(output, world.clock),
        text_(output) {}

  /// Prints a note about releases whose rules are not verified.
  void NoteUnmeasured() const {
    std::vector<std::string> notes;
    notes.reserve(unmeasured_.size());
    for (const api::Release release : unmeasured_) {
      notes.push_back(
          fmt::format("the answers of {} were not measured: its kinds and fields, with the rules "
                      "of {}",
                      api::ReleaseName(release),
                      api::ReleaseName(api::Release::k1_30)));
    }
    output_.Notes(notes);
  }

  /// Prints in the format of -o.
  int As(std::string_view form) {
    if (IsCiForm(form)) return AsCi();
    switch (FormatOf(form)) {
      case OutputFormat::kJson: return AsJson();
      case OutputFormat::kYaml: return AsYaml();
      case OutputFormat::kText: return AsText();
    }
    return kExitUsage;
  }

 private:
  /// {"objects":[…],"summary":{…}}
  int AsJson() {
    std::string text;  // not printed yet
    const auto print = [&] {
      cli::Print(output_.out, "{}", Composed(PrintableJson(std::exchange(text, {}))));
    };
    api::JsonWriter json(text);
    json.Object([&] {
      WriteSchema("validate", json);
      json.Member("objects").ArrayOfLines([&] {
        ValidateAll([&](const ObjectVerdict& verdict) {
          WriteVerdict(verdict, json);
          print();
        });
      });
      tally_.Write(json.Member("summary"));
    });
    text += '\n';
    print();
    return End();
  }

  /// The same document as YAML, printed as one text.
  int AsYaml() {
    const std::string text = api::JsonText([&](api::JsonWriter& json) {
      json.Object([&] {
        WriteSchema("validate", json);
        json.Member("objects").Array([&] {
          ValidateAll([&](const ObjectVerdict& verdict) { WriteVerdict(verdict, json); });
        });
        tally_.Write(json.Member("summary"));
      });
    });
    output_.Document(OutputFormat::kYaml, text);
    return End();
  }

  int AsCi() {
    CiReport report{
        .command = "validate",
        .rules = {{.id = "refused", .says = "An API server refuses the object."},
                  {.id = "unreadable", .says = "The text cannot be read."},
                  {.id = "warning", .says = "An API server takes the object, with a warning."}},
        .results = {}};
    ValidateAll([&](const ObjectVerdict& verdict) { AddResults(verdict, report); });
    cli::Print(output_.out, "{}", Composed(CiText(options_.format, report)));
    return End();
  }

  int AsText() {
    ValidateAll([&](const ObjectVerdict& verdict) { text_.Print(verdict); });
    cli::Print(output_.out, "{}\n", tally_.ToText());
    return End();
  }

  int End() const {
    if (tally_.IsNothingJudged() && !options_.allows_nothing) {
      return output_.Refuse("validate",
                            "nothing was judged: the files hold no objects that Dray knows");
    }
    return tally_.exit_code();
  }

  using Report = std::function<void(const ObjectVerdict&)>;

  /// The files of one path of -f, or why they are not known.
  using FilesOfPath = Result<std::vector<std::string>>;

  /// Calls `report_verdict` for every object of every path, in order.
  void ValidateAll(const Report& report_verdict) {
    std::vector<FilesOfPath> paths;
    std::vector<std::string> all;
    for (const std::string& path : options_.paths) {
      paths.push_back(
          manifests::ManifestFiles(world_.disk, std::span(&path, 1), [&](const std::string& line) {
            output_.Notes(std::span(&line, 1));
          }));
      if (paths.back()) std::ranges::copy(*paths.back(), std::back_inserter(all));
    }
    progress_.Now("reading definitions");
    validator_.LearnKinds(all);
    const Result<> learned = LearnServer();
    progress_.Clear();
    if (!learned) Count(Unreadable("the cluster", learned.error().message), report_verdict);
    for (size_t i = 0; i < paths.size(); ++i) {
      if (!paths[i]) {
        Count(Unreadable(options_.paths[i], paths[i].error().message), report_verdict);
        continue;
      }
      for (const std::string& file : *paths[i]) ValidateFile(file, report_verdict);
    }
  }

  /// Learns the definitions of the cluster, if one is named. Errors: it cannot be read.
  Result<> LearnServer() {
    if (options_.kubeconfig.empty() && options_.context.empty()) return {};
    const std::string kubeconfig =
        options_.kubeconfig.empty() ? UsualKubeconfig() : options_.kubeconfig;
    DRAY_TRY(const LiveDefinitions live, ReadDefinitions(world_, kubeconfig, options_.context));
    return validator_.LearnServer(live.server, live.list);
  }

  void ValidateFile(const std::string& file, const Report& report_verdict) {
    progress_.Now("judging " + file);
    auto verdicts = validator_.ValidateFile(file);
    progress_.Clear();
    if (!verdicts) return Count(Unreadable(file, verdicts.error().message), report_verdict);
    for (ObjectVerdict& verdict : *verdicts) Count(std::move(verdict), report_verdict);
  }

  static ObjectVerdict Unreadable(const std::string& file, std::string why) {
    ObjectVerdict verdict = {.file = file, .verdict = Verdict::kUnreadable};
    verdict.notices.push_back({.line = 1, .type = "Unreadable", .text = std::move(why)});
    return verdict;
  }

  void Count(ObjectVerdict verdict, const Report& report_verdict) {
    if (options_.strict) BeStrict(verdict);
    if (verdict.release.has_value() && !api::IsMeasured(*verdict.release))
      unmeasured_.insert(*verdict.release);
    tally_.Count(verdict.verdict);
    report_verdict(verdict);
  }

  World& world_;
  const ValidateOptions& options_;
  manifests::ManifestValidator validator_;
  const Output& output_;
  Progress progress_;
  ValidateText text_;
  Tally tally_;
  std::set<api::Release> unmeasured_;
};

/// Returns the exit code. Errors: bad options.
Result<int> Validate(World& world, const ValidateOptions& options, const Output& output) {
  manifests::ValidateOptions by = {.release = std::nullopt, .feature_gates = options.feature_gates};
  if (!options.release.empty()) {
    DRAY_TRY(by.release, api::ParseRelease(options.release));
  }
  DRAY_TRY(manifests::ManifestValidator validator, manifests::ManifestValidator::Make(world, by));
  Run run(world, options, std::move(validator), output);
  const int code = run.As(options.format);
  run.NoteUnmeasured();
  return code;
}

void AddOptions(Command& command, ValidateOptions& options) {
  command
      .Texts("-f, --filename PATH", options.paths, "file, folder or - (standard input); repeatable")
      .Required();
  command
      .Text("--release RELEASE",
            options.release,
            "judge by this release, 1.26 to 1.37 (default: for each object the first of "
            "1.37, 1.31, 1.30 that serves its version)")
      .Suggests(ReleaseNames(api::Release::kFirst));
  AddServerGates(command, options.feature_gates);
  command.Text("--kubeconfig FILE",
               options.kubeconfig,
               "the custom kinds of this cluster count, besides those that the files define");
  command.Text(
      "--context NAME", options.context, "context of the kubeconfig (default: its current one)");
  AddAllowNothing(command, options.allows_nothing);
  command.Flag("--strict", options.strict, "unknown and duplicate fields are errors");
  AddOutput(command, options.format, {"text", "json", "yaml", "junit", "sarif", "github"});
}

}  // namespace

void AddValidate(Command& program) {
  const auto options = std::make_shared<ValidateOptions>();
  Command& command =
      program.Add("validate", "what an API server would say to manifests, without one");
  AddOptions(command, *options);
  command.Notes(
      "Objects of custom kinds are judged by the CustomResourceDefinitions among the files, in any "
      "order. An object whose kind is not known is skipped, which is said and does not change the "
      "exit code.\n"
      "Exit codes: 0 valid, 1 invalid or refused, 2 unreadable, or nothing was judged.\n"
      "Example:\n  dray validate -f manifests/ --release 1.34");
  command.Does(
      [options](World& world, const Output& output) { return Validate(world, *options, output); });
}

}  // namespace dray::cli::inline questions
