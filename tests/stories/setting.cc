// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/setting.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "api/feature_gates.h"
#include "base/try.h"
#include "tests/stories/vocabulary.h"
#include "tests/vectors/case_files.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::TextOf;

/// The profiles that the stories were recorded with.
constexpr std::string_view kSchedulerConfig = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: brief-binding
  pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 2s}}]
- schedulerName: brief-filter
  pluginConfig: [{name: DynamicResources, args: {filterTimeout: 10ms}}]
- schedulerName: no-filter-timeout
  pluginConfig: [{name: DynamicResources, args: {filterTimeout: 0s}}]
)";
/// For the second scheduler, which runs only where a story starts it.
constexpr std::string_view kSecondSchedulerConfig =
    R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: second-scheduler
)";
/// Those of classic DRA had a short back-off and a second scheduler.
constexpr std::string_view kClassicSchedulerConfig =
    R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
profiles:
- schedulerName: default-scheduler
- schedulerName: second-scheduler
)";

bool IsAny(const json::object& story, std::initializer_list<std::string_view> ops) {
  for (const json::value& step : ListOf(story, "steps")) {
    for (const json::value& deed : ListOf(step.as_object(), "do")) {
      if (std::ranges::count(ops, TextOf(deed.as_object(), "op")) > 0) return true;
    }
  }
  return false;
}

std::string GatesOf(const json::object& story) {
  std::string gates;
  for (const json::value& gate : ListOf(story, "gates")) {
    gates += fmt::format("{}{}=true", gates.empty() ? "" : ",", std::string_view(gate.as_string()));
  }
  return gates;
}

}  // namespace

std::string_view SchedulerConfigOf(const json::object& story) {
  return IsClassic(story) ? kClassicSchedulerConfig : kSchedulerConfig;
}

std::string_view SecondSchedulerConfig() {
  return kSecondSchedulerConfig;
}

bool HasOwnComponents(const json::object& story) {
  return IsAny(story, {"kill", "start", "reject", "allow"});
}

Result<server::registry::Emulation> EmulationOf(const json::object& story) {
  server::registry::Emulation emulation;
  DRAY_TRY(emulation.release, api::ParseRelease(ReleaseOf(story)));
  const std::string gates = GatesOf(story);
  emulation.gates = gates.empty() ? api::FeatureGates::AllOf(emulation.release)
                                  : api::FeatureGates::DefaultsOf(emulation.release);
  DRAY_TRY_VOID(emulation.gates.Apply(gates, emulation.release));
  return emulation;
}

std::vector<const api::KindInfo*> KindsOf(const json::object& story) {
  const Result<server::registry::Emulation> emulation = EmulationOf(story);
  if (!emulation) return {};
  return server::registry::ServedKinds(api::Scheme(), *emulation)
      .value_or(std::vector<const api::KindInfo*>());
}

std::string DefaultNamespaceOf(const json::object& story) {
  return std::string(story.contains("namespace") ? TextOf(story, "namespace") : "lab");
}

std::set<std::string> NamespacesOf(const json::object& story) {
  std::set<std::string> names = {DefaultNamespaceOf(story)};
  for (const json::value& step : ListOf(story, "steps")) {
    for (const json::value& deed : ListOf(step.as_object(), "do")) {
      const json::value* object = deed.as_object().if_contains("object");
      if (object == nullptr) continue;
      const std::string_view name =
          TextOf(object->as_object().at("metadata").as_object(), "namespace");
      if (!name.empty()) names.emplace(name);
    }
  }
  return names;
}

std::vector<std::string> FlagsOf(const json::object& story, const std::string& scheduler_config) {
  std::vector<std::string> flags = {"--memory",
                                    "--no-explain-events",
                                    "--allow-overlapping-allocations",
                                    "--emulate-release=" + ReleaseOf(story)};
  if (const std::string gates = GatesOf(story); !gates.empty()) {
    flags.push_back("--feature-gates=" + gates);
  }
  if (HasOwnComponents(story)) {
    flags.emplace_back("--components=apiserver");
    flags.emplace_back("--disable-admission-plugins=TaintNodesByCondition");  // as recorded
  } else {
    flags.emplace_back("--components=apiserver,scheduler,controllers");
    flags.push_back("--scheduler-config=" + scheduler_config);
  }
  return flags;
}

}  // namespace dray::stories
