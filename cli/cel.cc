// SPDX-License-Identifier: Apache-2.0
#include "cli/cel.h"

#include <algorithm>
#include <expected>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/feature_gates.h"
#include "cel/device_names.h"
#include "cel/eval/program.h"
#include "cel/syntax/limits.h"
#include "cel/syntax/utf8.h"
#include "cli/cel_report.h"
#include "manifests/files.h"
#include "manifests/objects.h"
#include "planning/published_devices.h"
#include "planning/survey.h"

namespace dray::cli {
namespace {

constexpr int kExitYes = 0;
constexpr int kExitNo = 1;
constexpr int kExitUsage = 2;

constexpr int kOldestMinor = api::MinorOf(api::Release::k1_31);
constexpr int kNewestMinor = api::MinorOf(api::Release::kNewest);

Error BadInput(std::string message) {
  return {.reason = StatusReason::kBadRequest, .message = std::move(message)};
}

/// Every release since selectors exist; two of them have no rules of their own elsewhere.
Result<api::Release> ReleaseOf(std::string_view text) {
  if (text.empty()) return api::Release::kNewest;
  std::string_view name = text;
  if (name.starts_with('v')) name.remove_prefix(1);
  const size_t dot = name.find('.');
  if (dot != std::string_view::npos) name = name.substr(0, name.find('.', dot + 1));
  for (int minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    const auto release = static_cast<api::Release>(minor);
    if (api::ReleaseName(release) == name) return release;
  }
  return Fail(BadInput(fmt::format("unknown release {:?}: expected one of {} to {}",
                                   text,
                                   api::ReleaseName(api::Release::k1_31),
                                   api::ReleaseName(api::Release::kNewest))));
}

Result<cel::Environment> EnvironmentOf(const CelOptions& options) {
  DRAY_TRY(const api::Release release, ReleaseOf(options.release));
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
      .list_type_attributes = gates.Has(api::Gate::kListTypeAttributes)};
}

/// Options that do not go together.
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

/// The text to be compiled; of standard input without the line break at its end.
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
    const cel::CodePoint point = cel::DecodeUtf8(text, at);
    if (!point.valid) {
      const auto byte = static_cast<unsigned char>(text[at]);
      return Fail(BadInput(
          fmt::format("the expression is not UTF-8: byte 0x{:02x} at offset {}", byte, at)));
    }
    at += point.width;
  }
  return text;
}

std::expected<Frozen<cel::Program>, cel::CompileError> CompileWithin(
    std::string_view expression, const cel::Environment& environment) {
  if (expression.size() <= cel::kExpressionBytesMax) {
    return cel::Program::Compile(expression, environment);
  }
  return std::unexpected(
      cel::CompileError{.stage = cel::CompileStage::kLength,
                        .message = fmt::format("expression has {} bytes, the limit is {}",
                                               expression.size(),
                                               cel::kExpressionBytesMax)});
}

/// Where an expression that is refused would compile; empty if nowhere. Written with every gate on.
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

void PrintDocument(std::FILE* out, OutputFormat format, const std::string& json) {
  if (format == OutputFormat::kJson) {
    fmt::print(out, "{}\n", api::PrettyJson(json));
  } else {
    fmt::print(out, "{}", api::JsonToYaml(json).value_or(""));
  }
}

/// Compiles once more for the type that evaluates: it is cheap, and cannot fail any more.
Result<planning::Expression> Evaluable(std::string_view text, const cel::Environment& environment) {
  planning::Expression expression;
  if (environment.purpose == cel::Purpose::kDerivedAttribute) {
    DRAY_TRY(expression.derived, cel::DerivedAttribute::Compile(text, environment));
  } else {
    DRAY_TRY(expression.selector, cel::Selector::Compile(text, environment));
  }
  return expression;
}

class Run {
 public:
  Run(World& world, const CelOptions& options, std::FILE* out, std::FILE* notes)
      : world_(world), options_(options), out_(out), notes_(notes) {}

  Result<int> Everything() {
    DRAY_TRY_VOID(CheckOptions(options_));
    DRAY_TRY(const cel::Environment environment, EnvironmentOf(options_));
    DRAY_TRY(const std::string text, ExpressionOf(world_, options_));
    const auto program = CompileWithin(text, environment);
    if (!program.has_value()) return Refuse(text, environment, program.error());
    CelAnswer answer = {.expression = text,
                        .environment = environment,
                        .type = cel::CheckerName((*program)->result_type()),
                        .estimate = cel::EstimateCost((*program)->checked(), environment),
                        .names = cel::NamesIn((*program)->checked())};
    if (options_.paths.empty()) return Print(answer);
    return Ask(std::move(answer));
  }

 private:
  int Refuse(std::string_view text,
             const cel::Environment& environment,
             const cel::CompileError& error) {
    const std::string hint = WhereItCompiles(text, environment);
    if (options_.output == OutputFormat::kTable) {
      fmt::print(notes_, "{}\n", error.message);
      if (!hint.empty()) fmt::print(notes_, "hint: {}\n", hint);
    } else {
      PrintDocument(out_, options_.output, JsonOfRefusal(text, environment, error, hint));
    }
    return kExitNo;
  }

  /// Of devices, which are only there while this runs.
  Result<int> Ask(CelAnswer answer) {
    const api::Scheme scheme;
    DRAY_TRY(const manifests::Manifests manifests,
             manifests::ReadManifests(world_.disk, scheme, options_.paths));
    for (const std::string& note : manifests.notes) fmt::print(notes_, "note: {}\n", note);
    DRAY_TRY(const planning::DeviceList list, planning::DeviceList::Of(world_, manifests));
    for (const std::string& note : list.notes()) fmt::print(notes_, "note: {}\n", note);
    DRAY_TRY(const planning::Expression expression,
             Evaluable(answer.expression, answer.environment));
    DRAY_TRY(const planning::Survey survey,
             planning::SurveyDevices(
                 expression,
                 answer.expression,
                 answer.environment,
                 list.devices(),
                 options_.explain ? planning::Conjunctive::kYes : planning::Conjunctive::kNo));
    answer.devices = list.devices();
    answer.survey = &survey;
    return Print(answer);
  }

  int Print(const CelAnswer& answer) const {
    if (options_.output == OutputFormat::kTable) {
      const CelTextOptions how = {.all = options_.all, .colours = options_.colours};
      fmt::print(out_, "{}", TextOf(answer, how));
    } else {
      PrintDocument(out_, options_.output, JsonOf(answer));
    }
    const bool finds = answer.survey == nullptr || !answer.survey->matching.empty();
    return answer.is_admitted() && finds ? kExitYes : kExitNo;
  }

  World& world_;
  const CelOptions& options_;
  std::FILE* out_;
  std::FILE* notes_;
};

}  // namespace

int Cel(World& world, const CelOptions& options, std::FILE* out, std::FILE* notes) {
  const Result<int> code = Run(world, options, out, notes).Everything();
  if (code) return *code;
  fmt::print(notes, "dray cel: {}\n", code.error().message);
  return kExitUsage;
}

}  // namespace dray::cli
