// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/scenario.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/base64.h"
#include "base/try.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"

namespace dray::rest {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::Shape;
using vectors::ShapeRule;
using vectors::TextOf;

constexpr bool kRequired = true;
constexpr double kPauseSecondsMax = 600;

constexpr ShapeRule kScenario[] = {
    {"", Shape::kObject},
    {"/steps", Shape::kList, kRequired},
    {"/release", Shape::kText, kRequired},
    {"/users", Shape::kObject},
    {"/users/*", Shape::kObject},
    {"/users/*/groups", Shape::kList},
    {"/users/*/groups/*", Shape::kText},
    {"/feature_gates", Shape::kObject},
    {"/server_flags", Shape::kList},
    {"/server_flags/*", Shape::kText},
    {"/steps/*", Shape::kObject},
    {"/steps/*/pause_seconds", Shape::kNumber},
    {"/steps/*/exchanges", Shape::kList},
    {"/steps/*/exchanges/*", Shape::kObject},
};

/// For a step, and for each exchange in one.
constexpr ShapeRule kExchange[] = {
    {"/request", Shape::kObject},
    {"/request/method", Shape::kText, kRequired},
    {"/request/path", Shape::kText, kRequired},
    {"/request/headers", Shape::kObject},
    {"/request/headers/*", Shape::kTextOrTexts},
    {"/request/body", Shape::kText},
    {"/response", Shape::kObject},
    {"/response/status", Shape::kWholeNumber, kRequired},
    {"/response/headers", Shape::kObject},
    {"/response/headers/*", Shape::kTextOrTexts},
    {"/response/body", Shape::kText},
    {"/bind", Shape::kObject},
    {"/bind/*", Shape::kObject},
    {"/watch", Shape::kText},
    {"/events", Shape::kText},
    {"/received", Shape::kList},
    {"/received/*", Shape::kObject},
    {"/volatile", Shape::kList},
    {"/volatile/*", Shape::kText},
    {"/received/*/volatile/*", Shape::kText},
    {"/patterns", Shape::kList},
    {"/patterns/*", Shape::kObject},
    {"/received/*/patterns/*", Shape::kObject},
    {"/eventually_seconds", Shape::kNumber},
    {"/only", Shape::kObject},
    {"/unordered", Shape::kList},
    {"/unordered/*", Shape::kText},
    {"/hook", Shape::kText},
};

Failure Wrong(const std::string& place, std::string_view what) {
  return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", place, what));
}

Result<> CheckExchange(const json::value& exchange, const std::string& place) {
  const Result<> checked = vectors::CheckShape(exchange, kExchange);
  if (checked) return {};
  return Fail(StatusReason::kBadRequest, place + checked.error().message);
}

/// Checks everything that the player and the comparison read without checks of their own.
Result<> CheckScenario(const json::value& document) {
  DRAY_TRY_VOID(vectors::CheckShape(document, kScenario));
  const json::array& steps = ListOf(document.get_object(), "steps");
  for (size_t i = 0; i < steps.size(); ++i) {
    const json::object& step = steps[i].get_object();
    const std::string place = fmt::format("/steps/{}", i);
    DRAY_TRY_VOID(CheckExchange(steps[i], place));
    const json::array& exchanges = ListOf(step, "exchanges");
    for (size_t k = 0; k < exchanges.size(); ++k) {
      DRAY_TRY_VOID(CheckExchange(exchanges[k], fmt::format("{}/exchanges/{}", place, k)));
    }
    if (const json::value* pause = step.if_contains("pause_seconds")) {
      const double seconds = vectors::NumberOf(*pause);
      if (!(seconds >= 0 && seconds <= kPauseSecondsMax)) {
        return Wrong(place + "/pause_seconds",
                     fmt::format("must be from 0 to {}", kPauseSecondsMax));
      }
    } else if (!step.contains("events") && !step.contains("request") && exchanges.empty() &&
               !step.contains("command") && !step.contains("file") && !step.contains("hook")) {
      return Wrong(place, "neither request, events, pause, hook nor command");
    }
    if (step.contains("watch") && !step.contains("request")) {
      return Wrong(place + "/request", "is missing");
    }
  }
  return {};
}

/// Feature gates as a flag. Gates that the scenario does not name have the release's defaults.
std::string GatesOf(const json::object& document) {
  std::vector<std::string> gates = {"AllAlpha=false"};
  const json::value* recorded = document.if_contains("feature_gates");
  if (recorded == nullptr || !recorded->is_object()) return gates.front();
  for (const auto& [gate, on] : recorded->get_object()) {
    gates.push_back(fmt::format("{}={}", std::string_view(gate), on == json::value(true)));
  }
  return fmt::format("{}", fmt::join(gates, ","));
}

}  // namespace

Result<Scenario> ReadScenario(Disk& disk, const std::string& file) {
  DRAY_TRY(const std::string text, vectors::ReadVectors(disk, file));
  DRAY_TRY(json::value value, vectors::ReadJson(text));
  DRAY_TRY_VOID(CheckScenario(value));
  const std::filesystem::path path(file);
  const std::filesystem::path profile = path.parent_path();
  return Scenario{.name = profile.filename().string() + "/" + path.stem().string(),
                  .folder = profile.parent_path().string(),
                  .document = std::move(value.get_object())};
}

std::vector<std::string> ServerOptions(const Scenario& scenario) {
  const json::object& document = scenario.document;
  std::string release(TextOf(document, "release"));
  release.resize(std::min(release.rfind('.'), release.size()));  // 1.37 of 1.37.0
  std::vector<std::string> options = {"--memory",
                                      "--components=apiserver",
                                      "--allow-overlapping-allocations",
                                      "--emulate-release=" + release,
                                      "--feature-gates=" + GatesOf(document)};
  // The other profiles began with objects left by earlier scenarios.
  const bool was_new = TextOf(document, "profile") == "compacting-1.37";
  if (!was_new) options.emplace_back("--watches-begin-at-start");
  if (TextOf(document, "runtime_config").empty()) {
    options.emplace_back("--runtime-config=api/beta=false,api/alpha=false");
  }
  for (const json::value& flag : ListOf(document, "server_flags")) {
    const std::string_view text = flag.as_string();
    if (text.starts_with("--etcd-compaction-interval")) options.emplace_back(text);
  }
  return options;
}

std::string TokenLines(const Scenario& scenario) {
  std::string lines;
  const json::value* users = scenario.document.if_contains("users");
  if (users == nullptr || !users->is_object()) return lines;
  for (const auto& [name, described] : users->get_object()) {
    const json::object& user = described.as_object();
    std::vector<std::string_view> groups;
    for (const json::value& group : ListOf(user, "groups")) groups.emplace_back(group.as_string());
    lines += fmt::format("{},{},{},\"{}\"\n",
                         TextOf(user, "token"),
                         TextOf(user, "name"),
                         TextOf(user, "uid"),
                         fmt::join(groups, ","));
  }
  return lines;
}

Result<std::optional<RecordedBody>> BodyOf(Disk& disk,
                                           const Scenario& scenario,
                                           const json::object& message) {
  const auto from_file = [&](std::string_view member) {
    return vectors::ReadVectors(disk,
                                fmt::format("{}/{}", scenario.folder, TextOf(message, member)));
  };
  if (message.contains("body")) return RecordedBody{.bytes = std::string(TextOf(message, "body"))};
  if (message.contains("body_file")) {
    DRAY_TRY(std::string bytes, from_file("body_file"));
    return RecordedBody{.bytes = std::move(bytes)};
  }
  if (message.contains("body_base64_file")) {
    DRAY_TRY(std::string bytes, from_file("body_base64_file"));
    return RecordedBody{.bytes = std::move(bytes), .is_text = false};
  }
  if (!message.contains("body_base64")) return std::nullopt;
  std::optional<std::string> bytes = DecodeBase64(TextOf(message, "body_base64"));
  if (!bytes) return Fail(StatusReason::kBadRequest, scenario.name + ": a body is not base64");
  return RecordedBody{.bytes = *std::move(bytes), .is_text = false};
}

}  // namespace dray::rest
