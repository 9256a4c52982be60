// SPDX-License-Identifier: Apache-2.0
#include "bench/scheduler_perf/workloads.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/tree_json.h"
#include "api/codec/yaml.h"
#include "base/try.h"

namespace dray::bench {
namespace {

using api::Tree;

constexpr std::string_view kConfig = "performance-config.yaml";

Result<std::string> TextOf(const Tree& object, std::string_view member) {
  const Tree* const found = object.Find(member);
  if (found != nullptr && found->is_text()) return std::string(found->text());
  return Fail(StatusReason::kBadRequest, fmt::format("{} is missing or no text", member));
}

Result<std::vector<Tree>> ObjectsOf(const Tree& object, std::string_view member) {
  const Tree* const found = object.Find(member);
  std::vector<Tree> objects;
  if (found == nullptr || !found->is_list()) {
    return Fail(StatusReason::kBadRequest, fmt::format("{} is missing or no list", member));
  }
  for (const Tree& element : found->elements()) {
    if (!element.is_object()) {
      return Fail(StatusReason::kBadRequest, fmt::format("{} has what is no object", member));
    }
    objects.push_back(element);
  }
  return objects;
}

void AddGates(const Tree& object, Gates& gates) {
  const Tree* const found = object.Find("featureGates");
  if (found == nullptr) return;
  for (const Tree::Member& gate : found->members()) {
    gates[std::string(gate.name())] = gate.value.is_bool() && gate.value.boolean();
  }
}

// One number, or one for each set of feature gates, of which upstream's runs have one.
std::optional<double> ThresholdOf(const Tree& workload) {
  const Tree* found = workload.Find("threshold");
  if (found != nullptr && found->is_object() && found->size() > 0) {
    found = &found->members().front().value;
  }
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->number();
}

Result<Workload> WorkloadOf(const Tree& object, const Gates& of_case) {
  Workload workload{.threshold = ThresholdOf(object), .gates = of_case};
  DRAY_TRY(workload.name, TextOf(object, "name"));
  AddGates(object, workload.gates);
  const Tree* const params = object.Find("params");
  workload.params = params == nullptr ? Tree::Object() : *params;
  if (const Tree* const labels = object.Find("labels")) {
    for (const Tree& label : labels->elements()) {
      if (label.is_text()) workload.labels.emplace_back(label.text());
    }
  }
  return workload;
}

Result<TestCase> TestCaseOf(const Tree& object, const std::string& folder) {
  TestCase test{.folder = folder};
  DRAY_TRY(test.name, TextOf(object, "name"));
  DRAY_TRY(test.ops, ObjectsOf(object, "workloadTemplate"));
  Gates gates;
  AddGates(object, gates);
  DRAY_TRY(const std::vector<Tree> workloads, ObjectsOf(object, "workloads"));
  for (const Tree& workload : workloads) {
    DRAY_TRY(Workload one, WorkloadOf(workload, gates));
    test.workloads.push_back(std::move(one));
  }
  return test;
}

Result<std::vector<TestCase>> ReadConfig(std::string_view yaml, const std::string& folder) {
  DRAY_TRY(const api::YamlDocument document, api::YamlToJson(yaml));
  DRAY_TRY(const Tree list, api::ReadTree(document.json));
  std::vector<TestCase> tests;
  for (const Tree& object : list.elements()) {
    DRAY_TRY(TestCase test, TestCaseOf(object, folder));
    tests.push_back(std::move(test));
  }
  return tests;
}

Result<Tree> Resolved(const Tree& value, const Workload& workload) {
  if (!value.is_text() || !value.text().starts_with('$')) return value;
  const std::string_view text = value.text().substr(1);
  const size_t bar = text.find('|');
  const std::string_view name = text.substr(0, bar);
  if (const Tree* const given = workload.params.Find(name)) return *given;
  if (bar != std::string_view::npos) return Tree(text.substr(bar + 1));
  return Fail(StatusReason::kBadRequest,
              fmt::format("workload {} lacks the parameter {}", workload.name, name));
}

}  // namespace

Result<std::vector<TestCase>> ReadTestCases(Disk& disk, const std::string& folder) {
  std::vector<std::string> folders{folder};
  std::vector<TestCase> tests;
  for (size_t at = 0; at < folders.size(); ++at) {
    const std::string one = folders[at];
    DRAY_TRY(const std::vector<std::string> names, disk.List(one));
    for (const std::string& name : names) {
      const std::string path = one + "/" + name;
      if (disk.IsFolder(path)) folders.push_back(path);
      if (name != kConfig) continue;
      DRAY_TRY(const std::string yaml, disk.Read(path));
      Result<std::vector<TestCase>> read = ReadConfig(yaml, one);
      if (!read.has_value()) {
        return Fail(StatusReason::kBadRequest, path + ": " + read.error().message);
      }
      for (TestCase& test : *read) tests.push_back(std::move(test));
    }
  }
  if (!tests.empty()) return tests;
  return Fail(StatusReason::kNotFound, fmt::format("no {} is in {}", kConfig, folder));
}

std::string ToText(const Gates& gates) {
  std::vector<std::string> texts;
  texts.reserve(gates.size());
  for (const auto& [name, is_on] : gates) texts.push_back(fmt::format("{}={}", name, is_on));
  return fmt::format("{}", fmt::join(texts, ","));
}

Result<Tree> ParameterOf(const Tree& op, std::string_view name, const Workload& workload) {
  if (const Tree* const given = op.Find(name)) return *given;
  const Tree* const named = op.Find(fmt::format("{}Param", name));
  return named == nullptr ? Result<Tree>(Tree()) : Resolved(*named, workload);
}

Result<Tree> TemplateParametersOf(const Tree& op, const Workload& workload) {
  Tree parameters = Tree::Object();
  const Tree* const given = op.Find("templateParams");
  if (given == nullptr) return parameters;
  for (const Tree::Member& member : given->members()) {
    DRAY_TRY(Tree value, Resolved(member.value, workload));
    parameters.Set(member.name(), std::move(value));
  }
  return parameters;
}

}  // namespace dray::bench
