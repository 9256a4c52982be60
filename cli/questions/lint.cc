// SPDX-License-Identifier: Apache-2.0
// dray lint: objects that the API accepts but that cannot work here.
#include "planning/lint/lint.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "allocator/selector_cache.h"
#include "api/core_v1/pod.h"
#include "base/try.h"
#include "base/zoneinfo.h"
#include "cli/command_line/common_options.h"
#include "cli/input/offline_input.h"
#include "cli/questions/questions.h"
#include "cli/reports/lint_report.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "dray/selector.h"
#include "manifests/file_text.h"
#include "manifests/files.h"
#include "manifests/pod_templates.h"
#include "planning/objects/offline_objects.h"
#include "planning/objects/wanted_pods.h"

namespace dray::cli::inline questions {
namespace {

using planning::LintSeverity;

constexpr size_t kLintSelectorsKept = 10'000;
/// The most rounds of --fix, because a fix may uncover another finding.
constexpr size_t kFixRoundsMax = 8;
/// There are warnings, but no errors.
constexpr int kExitWarnings = 3;

struct LintOptions {
  OfflineInputOptions input;  // its work: objects to check; its paths: the cluster
  bool fix = false;
  std::string format = "text";
};

/// The result of one check of the files.
struct Looked {
  std::vector<manifests::ManifestObject> given;  // the objects to check
  std::vector<planning::LintObject> objects;     // the same
  std::vector<planning::Finding> findings;
  size_t custom = 0;  // objects of custom kinds besides
};

Result<> CheckOptions(const LintOptions& options) {
  const auto& work = options.input.work;
  if (work.empty() && !options.input.paths.empty() && !options.input.is_live) {
    return Fail(StatusReason::kBadRequest,
                "nothing to look at: -f names it, --cluster only what it is for");
  }
  if (!options.fix) return {};
  if (work.empty()) {
    return Fail(StatusReason::kBadRequest,
                "--fix changes files, and none is named: -f FILE; a cluster is only read");
  }
  if (std::ranges::find(work, "-") != work.end())
    return Fail(StatusReason::kBadRequest, "--fix changes files; standard input is none");
  return {};
}

/// Prints notes about checks that the input is not complete enough for, before the findings.
void NoteWhatIsLeftOut(const planning::OfflineObjects& objects, const Output& output) {
  std::vector<std::string> notes;
  if (objects.slices.empty()) {
    notes.emplace_back("the input has no ResourceSlice: devices are not compared (--cluster)");
  }
  if (objects.classes.empty() && !objects.slices.empty())
    notes.emplace_back("the input has no DeviceClass: requests are compared with all devices");
  output.Notes(notes);
}

/// Whether the object is checked beyond its version, and so must be in storage form. Apart from
/// slices, large dumps have few such objects.
bool IsRead(const api::Object& object) {
  const std::string_view kind = object.kind().kind;
  if (planning::IsWorkload(object)) return true;
  if (const auto* const pod = object.If<api::core_v1::Pod>()) return pod->spec.node_name.empty();
  if (object.kind().group != "resource.k8s.io") return false;
  return kind == "ResourceClaim" || kind == "ResourceClaimTemplate" || kind == "DeviceClass" ||
         kind == "ResourceSlice" || kind == "DeviceTaintRule";
}

/// Whether the input has all objects of the kind: files only if they are a dump, a running cluster
/// only if the user may list the kind.
planning::LintReach ReachOf(std::string_view kind, bool is_of_files, const OfflineInput& input) {
  if (is_of_files && !input.objects.has_nodes) return planning::LintReach::kFiles;
  const bool is_listed =
      input.listed.empty() || std::ranges::any_of(input.listed, [&](const ListedVersion& listed) {
        return listed.kind->kind == kind;
      });
  return is_listed ? planning::LintReach::kCluster : planning::LintReach::kFiles;
}

/// The field in the file, which differs for a Job that stands for a pod template.
std::string FieldInFile(const api::Object& object, const std::string& field) {
  constexpr std::string_view kInJob = "spec.template";
  const auto source = manifests::SourceOf(object);
  if (!source.has_value() || !field.starts_with(kInJob)) return field;
  return source->path + field.substr(kInJob.size());
}

Result<Looked> Look(World& world, const LintOptions& options, const Output& output) {
  OfflineInputOptions everything = options.input;
  everything.is_live = everything.is_live || (everything.paths.empty() && everything.work.empty());
  everything.live_is_work = everything.work.empty();
  const bool is_of_files = !everything.is_live && everything.paths.empty();
  if (is_of_files) everything.paths = {"/dev/null"};  // files alone
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, everything, output));
  NoteWhatIsLeftOut(input.objects, output);
  Progress progress(output, world.clock);
  progress.Now("looking");
  Looked looked;
  looked.given = std::move(input.work);
  looked.custom = input.custom_work;
  for (const manifests::ManifestObject& one : looked.given) {
    looked.objects.push_back(
        {.object = IsRead(one.object) ? planning::AsStored(world, one.object, input.namespace_)
                                      : one.object,
         .written = &one.object.kind()});
  }
  const auto selectors =
      allocator::SelectorCacheFor(input.features, kLintSelectorsKept, ZoneFilesOf(world.disk));
  looked.findings =
      planning::Lint({.objects = looked.objects,
                      .cluster = input.objects,
                      .templates = ReachOf("ResourceClaimTemplate", is_of_files, input),
                      .claims = ReachOf("ResourceClaim", is_of_files, input),
                      .features = input.features,
                      .gates = input.gates,
                      .selectors = *selectors,
                      .release = input.release});
  for (planning::Finding& finding : looked.findings)
    finding.field = FieldInFile(looked.objects[finding.object].object, finding.field);
  return looked;
}

manifests::ObjectPlace StandsAt(const manifests::ManifestObject& one) {
  return {.line = one.line, .item = one.item};
}

/// Texts of files, each read when it is first needed.
class Texts {
 public:
  explicit Texts(World& world) : world_(world) {}

  /// Null for a place that is no file, and for a file that cannot be read any more.
  manifests::FileText* Of(const std::string& file, size_t line) {
    if (file == "-" || line == 0) return nullptr;
    const auto known = texts_.find(file);
    if (known != texts_.end()) return &known->second;
    Result<std::string> text = manifests::ReadManifestFile(world_.disk, file);
    if (!text) return nullptr;
    return &texts_.emplace(file, manifests::FileText(*std::move(text))).first->second;
  }

  const std::map<std::string, manifests::FileText>& all() const { return texts_; }

 private:
  World& world_;
  std::map<std::string, manifests::FileText> texts_;
};

std::vector<PlacedFinding> Placed(World& world, const Looked& looked) {
  Texts texts(world);
  std::vector<PlacedFinding> placed;
  for (const planning::Finding& finding : looked.findings) {
    const manifests::ManifestObject& one = looked.given[finding.object];
    const api::Object& object = looked.objects[finding.object].object;
    manifests::FileText* const text = texts.Of(one.file, one.line);
    placed.push_back(
        {.finding = finding,
         .file = one.file,
         .line = text == nullptr ? one.line : text->LineOf(StandsAt(one), finding.field),
         .object = manifests::WrittenNameOf(object)});
  }
  return placed;
}

bool MendOne(const manifests::ManifestObject& one,
             const planning::Finding& finding,
             manifests::FileText& text) {
  if (finding.rule == planning::LintRule::kDeprecatedVersion) {
    const api::KindInfo& kind = one.object.kind();
    return text.Convert(StandsAt(one), kind, planning::NewestVersion(kind));
  }
  return std::ranges::any_of(finding.fixes, [&](const planning::TextFix& fix) {
    return text.Replace(StandsAt(one), finding.field, fix.before, fix.after);
  });
}

/// One round of changes, at most one for each field, from the end of a file to its start, so that
/// places stay valid. Returns the number of changes. Errors: a file cannot be written.
Result<size_t> Mend(World& world, const Looked& looked) {
  Texts texts(world);
  std::vector<const planning::Finding*> order;
  for (const planning::Finding& finding : looked.findings) {
    if (!finding.fixes.empty()) order.push_back(&finding);
  }
  std::ranges::sort(order, std::ranges::greater(), [&](const planning::Finding* finding) {
    return std::pair(looked.given[finding->object].line, finding->object);
  });
  std::set<std::string> changed;
  std::set<std::pair<size_t, std::string_view>> fields;
  size_t mended = 0;
  for (const planning::Finding* finding : order) {
    const manifests::ManifestObject& one = looked.given[finding->object];
    manifests::FileText* const text = texts.Of(one.file, one.line);
    if (text == nullptr || !fields.emplace(finding->object, finding->field).second) continue;
    if (!MendOne(one, *finding, *text)) continue;
    ++mended;
    changed.insert(one.file);
  }
  for (const auto& [file, text] : texts.all()) {
    if (!changed.contains(file)) continue;
    DRAY_TRY_VOID(world.disk.Write(file, text.text(), Disk::Privacy::kEverybody));
  }
  return mended;
}

int CodeOfFindings(const std::vector<PlacedFinding>& findings) {
  LintSeverity worst = LintSeverity::kNote;
  for (const PlacedFinding& one : findings) worst = std::max(worst, one.finding.severity);
  if (worst == LintSeverity::kError) return kExitNo;
  return worst == LintSeverity::kWarning ? kExitWarnings : kExitYes;
}

void Print(const LintOptions& options,
           const Looked& looked,
           const std::vector<PlacedFinding>& findings,
           const Output& output) {
  if (const OutputFormat format = FormatOf(options.format); format != OutputFormat::kText)
    return output.Document(format, JsonOf(findings));
  if (!IsCiForm(options.format)) {
    const std::string text = TextOf(findings, output.colours, output.columns);
    return cli::Print(output.out, "{}", Composed(text));
  }
  std::vector<std::string> objects;
  objects.reserve(looked.objects.size());
  for (const planning::LintObject& one : looked.objects)
    objects.push_back(manifests::WrittenNameOf(one.object));
  cli::Print(output.out, "{}", Composed(CiText(options.format, ReportOf(findings, objects))));
}

/// Custom objects alone are no mistake, although there are no rules for them. Errors: the files
/// have nothing else either.
Result<> CheckWork(const LintOptions& options, const Looked& looked, const Output& output) {
  if (!looked.given.empty() || options.input.work.empty()) return {};
  if (looked.custom > 0) {
    output.Notes(std::vector<std::string>{
        fmt::format("the files hold {} {} of custom kinds, for which there are no rules; `dray "
                    "validate` judges them by their definitions",
                    looked.custom,
                    Plural(looked.custom, "object", "objects"))});
    return {};
  }
  if (options.input.allows_nothing) return {};
  return Fail(StatusReason::kBadRequest,
              "nothing was looked at: the files hold no objects that Dray knows");
}

/// Returns the exit code. Errors: bad options, unreadable input, or files that cannot be written.
Result<int> RunLint(World& world, const LintOptions& options, const Output& output) {
  DRAY_TRY_VOID(CheckOptions(options));
  DRAY_TRY(Looked looked, Look(world, options, output));
  size_t mended = 0;
  for (size_t round = 0; options.fix && round < kFixRoundsMax; ++round) {
    DRAY_TRY(const size_t now, Mend(world, looked));
    if (now == 0) break;
    mended += now;
    DRAY_TRY(looked, Look(world, options, output));
  }
  if (mended > 0) {
    output.Notes(std::vector<std::string>{
        fmt::format("{} {} mended", mended, Plural(mended, "finding was", "findings were"))});
  }
  DRAY_TRY_VOID(CheckWork(options, looked, output));
  const std::vector<PlacedFinding> findings = Placed(world, looked);
  Print(options, looked, findings, output);
  return CodeOfFindings(findings);
}

}  // namespace

void AddLint(Command& program) {
  const auto options = std::make_shared<LintOptions>();
  Command& command =
      program.Add("lint", "mistakes that an API server accepts and that cannot work");
  command
      .Texts("-f, --filename PATH",
             options->input.work,
             "what to look at: file, folder or -; repeatable (default: a running cluster)")
      .InGroup(kInputGroup);
  command
      .Texts("--cluster PATH",
             options->input.paths,
             "the cluster it is for: dumps or manifests; repeatable")
      .InGroup(kInputGroup);
  AddLiveInput(command, options->input);
  AddProfile(command, options->input);
  AddNamespaceOfObjects(command, options->input.namespace_);
  AddAllowNothing(command, options->input.allows_nothing);
  command.Flag("--fix", options->fix, "change the files of -f where that is certain enough");
  AddOutput(command, options->format, {"text", "json", "yaml", "junit", "sarif", "github"});
  command.Notes(
      "Without --cluster and --kubeconfig the files alone are compared with each other. What has "
      "its devices already is looked at for its version only.\n"
      "Exit codes: 0 nothing but notes, 1 an error, 2 bad options, unreadable input or nothing to "
      "look at, 3 warnings at worst.\n"
      "Examples:\n"
      "  dray lint -f manifests/ --kubeconfig ~/.kube/config\n"
      "  dray lint -f job.yaml --cluster dump.yaml --fix\n"
      "  dray lint -f manifests/ --cluster dump.yaml -o github\n"
      "  dray lint -f examples/stories/wrong-attribute/wrong.yaml \\\n"
      "            --cluster examples/stories/wrong-attribute/cluster.yaml");
  command.Does(
      [options](World& world, const Output& output) { return RunLint(world, *options, output); });
}

}  // namespace dray::cli::inline questions
