// SPDX-License-Identifier: Apache-2.0
// dray cel: compiles an expression, its cost, and which devices of manifests it selects.
#include <algorithm>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/feature_gates.h"
#include "base/try.h"
#include "base/zoneinfo.h"
#include "cel/compile.h"
#include "cel/device_names.h"
#include "cel/eval/program.h"
#include "cel/language/time_zones.h"
#include "cel/syntax/limits.h"
#include "cel/syntax/utf8.h"
#include "cli/command_line/command_text.h"
#include "cli/command_line/common_options.h"
#include "cli/questions/questions.h"
#include "cli/reports/cel_report.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "manifests/files.h"
#include "manifests/objects.h"
#include "planning/explain/survey.h"
#include "planning/objects/published_devices.h"

namespace dray::cli::inline questions {
namespace {

constexpr int kOldestMinor = api::MinorOf(api::Release::k1_31);
constexpr int kNewestMinor = api::MinorOf(api::Release::kNewest);

struct CelOptions {
  std::string expression;          // "-": standard input
  std::vector<std::string> paths;  // files, folders, "-"; none: the expression alone
  std::string release;             // "1.37"; empty: the newest
  std::string feature_gates;       // in kube-apiserver's syntax
  cel::ExpressionUse use = cel::ExpressionUse::kNew;
  bool derived = false;  // a derived attribute, not a selector
  bool explain = false;  // report each conjunct; needs paths
  bool all = false;      // print complete lists
  std::string format = "text";
};

Error BadInput(std::string message) {
  return {.reason = StatusReason::kBadRequest, .message = std::move(message)};
}

/// Accepts every release that has selectors; two of them have no rules of their own elsewhere.
Result<api::Release> LanguageReleaseOf(std::string_view text) {
  if (text.empty()) return api::Release::kNewest;
  std::string_view name = text;
  if (name.starts_with('v')) name.remove_prefix(1);
  const size_t dot = name.find('.');
  if (dot != std::string_view::npos) name = name.substr(0, name.find('.', dot + 1));
  for (int minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    const auto release = static_cast<api::Release>(minor);
    if (api::ReleaseName(release) == name) return release;
  }
  if (const Result<api::Release> older = api::ParseRelease(text); older) {
    return Fail(
        BadInput(fmt::format("--release: {} had no device selectors: they came with {}{}",
                             api::ReleaseName(*older),
                             api::ReleaseName(api::Release::k1_31),
                             *older == api::Release::k1_30
                                 ? "; expressions over named resources are checked by dray validate"
                                 : "")));
  }
  return Fail(BadInput(fmt::format("unknown release {:?}: expected one of {} to {}",
                                   text,
                                   api::ReleaseName(api::Release::k1_31),
                                   api::ReleaseName(api::Release::kNewest))));
}

Result<cel::Environment> EnvironmentOf(const CelOptions& options,
                                       const cel::TimeZones& time_zones) {
  DRAY_TRY(const api::Release release, LanguageReleaseOf(options.release));
  api::FeatureGates gates = api::FeatureGates::AllOf(release);
  DRAY_TRY_VOID(gates.Apply(options.feature_gates, release));
  if (options.derived && !gates.Has(api::Gate::kDerivedAttributes)) {
    const bool is_known = release == api::Release::kNewest;
    return Fail(BadInput(is_known ? "--derived: the feature gate DRADerivedAttributes is off"
                                  : "--derived: derived attributes exist since 1.37"));
  }
  return cel::Environment{
      .release = release,
      .use = options.use,
      .purpose = options.derived ? cel::Purpose::kDerivedAttribute : cel::Purpose::kSelector,
      .consumable_capacity = gates.Has(api::Gate::kConsumableCapacity),
      .list_type_attributes = gates.Has(api::Gate::kListTypeAttributes),
      .time_zones = &time_zones};
}

/// Checks for options that exclude each other.
Result<> CheckOptions(const CelOptions& options) {
  const bool files_use_input = std::ranges::find(options.paths, "-") != options.paths.end();
  if (options.expression == "-" && files_use_input) {
    return Fail(BadInput("standard input cannot be both the expression and a file"));
  }
  if (!options.explain) return {};
  if (options.derived) return Fail(BadInput("--explain: a derived attribute has no conjuncts"));
  if (options.paths.empty()) return Fail(BadInput("--explain needs devices: -f FILE"));
  return {};
}

/// The text to compile; the line break at the end of standard input is removed.
Result<std::string> ExpressionOf(World& world, const CelOptions& options) {
  std::string text = options.expression;
  if (text == "-") {
    DRAY_TRY(text, manifests::ReadManifestFile(world.disk, "-"));
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
  }
  if (text.find_first_not_of(" \t\r\n\f") == std::string::npos) {
    return Fail(BadInput("the expression is empty"));
  }
  for (size_t at = 0; at < text.size();) {
    const cel::syntax::CodePoint point = cel::syntax::DecodeUtf8(text, at);
    if (!point.valid) {
      const auto byte = static_cast<unsigned char>(text[at]);
      return Fail(BadInput(
          fmt::format("the expression is not UTF-8: byte 0x{:02x} at offset {}", byte, at)));
    }
    at += point.width;
  }
  return text;
}

std::expected<Frozen<cel::eval::Program>, cel::CompileError> CompileWithin(
    std::string_view expression, const cel::Environment& environment) {
  if (expression.size() <= cel::syntax::kExpressionBytesMax) {
    return cel::CompileProgram(expression, environment);
  }
  return std::unexpected(
      cel::CompileError{.stage = cel::CompileStage::kLength,
                        .message = fmt::format("expression has {} bytes, the limit is {}",
                                               expression.size(),
                                               cel::syntax::kExpressionBytesMax)});
}

/// Where a rejected expression would compile, with every gate on; empty: nowhere.
std::string WhereItCompiles(std::string_view expression, const cel::Environment& refused) {
  cel::Environment other = refused;
  other.consumable_capacity = true;
  other.list_type_attributes = true;
  for (int minor = api::MinorOf(refused.rules()); minor <= kNewestMinor; ++minor) {
    other.release = static_cast<api::Release>(minor);
    if (!CompileWithin(expression, other).has_value()) continue;
    if (other.release != refused.rules()) {
      return fmt::format("it compiles since {}", api::ReleaseName(other.release));
    }
    return "it compiles when all feature gates are on";
  }
  return {};
}

/// Compiles again for evaluation, which is cheap and cannot fail any more.
Result<planning::Expression> Evaluable(std::string_view text, const cel::Environment& environment) {
  planning::Expression expression;
  if (environment.purpose == cel::Purpose::kDerivedAttribute) {
    DRAY_TRY(expression.derived, cel::DerivedAttribute::Compile(text, environment));
  } else {
    DRAY_TRY(expression.selector, cel::Selector::Compile(text, environment));
  }
  return expression;
}

/// One question, from its options to its output.
class Question {
 public:
  Question(World& world, const CelOptions& options, const Output& output)
      : world_(world),
        time_zones_(ZoneFilesOf(world.disk)),
        options_(options),
        output_(output),
        format_(FormatOf(options.format)) {}

  /// Returns the exit code. Errors: bad options or unreadable input.
  Result<int> Answer() {
    DRAY_TRY_VOID(CheckOptions(options_));
    DRAY_TRY(const cel::Environment environment, EnvironmentOf(options_, time_zones_));
    DRAY_TRY(const std::string text, ExpressionOf(world_, options_));
    const auto program = CompileWithin(text, environment);
    if (!program.has_value()) return Refuse(text, environment, program.error());
    CelAnswer answer = {.expression = text,
                        .environment = environment,
                        .type = cel::check::CheckerName((*program)->result_type()),
                        .estimate = cel::cost::EstimateCost((*program)->checked(), environment),
                        .names = cel::NamesIn((*program)->checked())};
    if (options_.paths.empty()) return Print(answer);
    return AskDevices(std::move(answer));
  }

 private:
  int Refuse(std::string_view text,
             const cel::Environment& environment,
             const cel::CompileError& error) {
    const std::string hint = WhereItCompiles(text, environment);
    if (format_ == OutputFormat::kText) {
      cli::Print(output_.notes, "{}\n", error.message);
      if (!hint.empty()) cli::Print(output_.notes, "hint: {}\n", hint);
    } else {
      output_.Document(format_, JsonOfRefusal(text, environment, error, hint));
    }
    return kExitNo;
  }

  /// Reads the devices, which live only during this call.
  Result<int> AskDevices(CelAnswer answer) {
    const api::Scheme scheme;
    DRAY_TRY(const manifests::Manifests read,
             manifests::ReadManifests(world_.disk, scheme, options_.paths));
    output_.Notes(read.notes);
    DRAY_TRY(const planning::DeviceList list, planning::DeviceList::Of(world_, read));
    output_.Notes(list.notes());
    DRAY_TRY(const planning::Expression expression,
             Evaluable(answer.expression, answer.environment));
    Progress progress(output_, world_.clock);
    progress.Now(fmt::format("evaluating on {} devices", list.devices().size()));
    DRAY_TRY(const planning::Survey survey,
             planning::SurveyDevices(
                 expression,
                 answer.expression,
                 answer.environment,
                 list.devices(),
                 options_.explain ? planning::Conjunctive::kYes : planning::Conjunctive::kNo));
    progress.Clear();
    answer.devices = list.devices();
    answer.survey = &survey;
    return Print(answer);
  }

  /// A selector that fails on any device does not count: an allocation would end with that error.
  static bool Finds(const CelAnswer& answer) {
    if (answer.survey == nullptr) return true;
    const bool fails = answer.survey->failing > 0 && !answer.is_derived();
    return !answer.survey->matching.empty() && !fails;
  }

  int Print(const CelAnswer& answer) const {
    if (format_ == OutputFormat::kText) {
      const CelTextOptions how = {.all = options_.all, .colours = output_.colours};
      cli::Print(output_.out, "{}", Composed(TextOf(answer, how)));
    } else {
      output_.Document(format_, JsonOf(answer));
    }
    return answer.is_admitted() && Finds(answer) ? kExitYes : kExitNo;
  }

  World& world_;
  const cel::TimeZones time_zones_;
  const CelOptions& options_;
  const Output& output_;
  const OutputFormat format_;
};

void AddOptions(Command& command, CelOptions& options) {
  command.Text("EXPRESSION", options.expression, "CEL expression, or - (standard input)")
      .Required();
  command.Texts("-f, --filename PATH",
                options.paths,
                "ResourceSlices: file, folder or - (standard input); repeatable");
  command.Text("--release RELEASE", options.release, "1.31 to 1.37: whose language (default: 1.37)")
      .Suggests(ReleaseNames(api::Release::k1_31));
  const Option& as_new = command.Flag(
      "--new",
      [&options] { options.use = cel::ExpressionUse::kNew; },
      "as an API server judges a new expression (default)");
  command
      .Flag(
          "--stored",
          [&options] { options.use = cel::ExpressionUse::kStored; },
          "as schedulers run it once it is stored: more of the language, whatever the gates")
      .Excludes(as_new);
  AddServerGates(command, options.feature_gates);
  command.Flag("--derived", options.derived, "the expression is a derived attribute (1.37)");
  command.Flag(
      "--explain", options.explain, "which part between && keeps how many devices out; needs -f");
  command.Flag("--all", options.all, "do not cut long lists short");
  AddOutput(command, options.format, {"text", "json", "yaml"});
}

}  // namespace

void AddCel(Command& program) {
  const auto options = std::make_shared<CelOptions>();
  Command& command = program.Add("cel", "a selector's type and cost, and which devices it chooses");
  AddOptions(command, *options);
  command.Notes(
      "Exit codes: 0 admitted, and with -f some device matches; 1 refused, no device matches, or "
      "the expression fails on one; 2 bad options or unreadable input.\n"
      "Example:\n"
      "  dray cel 'device.driver == \"gpu.nvidia.com\"' -f examples/2-gpu-with-nic");
  command.Does([options](World& world, const Output& output) {
    return Question(world, *options, output).Answer();
  });
}

}  // namespace dray::cli::inline questions
