// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/feature_gates.h"
#include "cel/syntax/utf8.h"
#include "cli/cel_report.h"
#include "manifests/json_members.h"
#include "planning/missing_names.h"

namespace dray::cli {
namespace {

std::string Number(uint64_t number) {
  return fmt::format("{}", number);
}
std::string Bound(uint64_t number) {
  return number == cel::kUnbounded ? "null" : Number(number);
}
std::string Truth(bool value) {
  return value ? "true" : "false";
}

/// What was asked: the same for every answer.
std::vector<manifests::JsonMember> Question(std::string_view expression,
                                            const cel::Environment& environment) {
  const bool is_derived = environment.purpose == cel::Purpose::kDerivedAttribute;
  const bool is_new = environment.use == cel::ExpressionUse::kNew;
  return {{"expression", manifests::Quoted(expression)},
          {"purpose", manifests::Quoted(is_derived ? "derivedAttribute" : "selector")},
          {"release", manifests::Quoted(api::ReleaseName(environment.rules()))},
          {"use", manifests::Quoted(is_new ? "new" : "stored")}};
}

std::string DeviceJson(const planning::PublishedDevice& device) {
  return manifests::ObjectOf({{"driver", manifests::Quoted(device.driver)},
                              {"pool", manifests::Quoted(device.pool)},
                              {"device", manifests::Quoted(device.device->name)}});
}

std::vector<manifests::JsonMember> MembersOf(const cel::DeviceName& name) {
  const bool is_attribute = name.section == cel::DeviceSection::kAttributes;
  return {{"section", manifests::Quoted(is_attribute ? "attributes" : "capacity")},
          {"domain", manifests::Quoted(name.domain)},
          {"name", manifests::Quoted(name.id)}};
}

std::string NameJson(const planning::CountedName& counted) {
  std::vector<manifests::JsonMember> members = MembersOf(counted.name);
  members.push_back({"devices", Number(counted.devices)});
  return manifests::ObjectOf(members);
}

class JsonReport {
 public:
  explicit JsonReport(const CelAnswer& answer) : answer_(answer) {}

  std::string Run() const {
    std::vector<manifests::JsonMember> members = Question(answer_.expression, answer_.environment);
    members.push_back({"type", manifests::Quoted(answer_.type)});
    members.push_back({"cost", Cost()});
    if (answer_.survey == nullptr) return manifests::ObjectOf(members);
    const planning::Survey& survey = *answer_.survey;
    members.push_back({"devices",
                       manifests::ObjectOf({{"total", Number(survey.devices)},
                                            {"matching", Number(survey.matching.size())},
                                            {"failing", Number(survey.failing)}})});
    members.push_back({"pools", Pools(survey)});
    members.push_back({"matching", Matching(survey)});
    if (answer_.is_derived()) members.push_back({"values", Values(survey)});
    members.push_back({"failures", List(survey.failures, "message")});
    members.push_back({"names", Names(survey)});
    if (!survey.conjuncts.empty()) members.push_back({"explanation", Explanation(survey)});
    return manifests::ObjectOf(members);
  }

 private:
  std::string Cost() const {
    std::vector<manifests::JsonMember> members = {{"estimatedMax", Bound(answer_.estimate.max)},
                                                  {"estimatedMin", Bound(answer_.estimate.min)}};
    if (answer_.has_limit()) members.push_back({"limit", Number(cel::kSelectorCostMax)});
    members.push_back({"admitted", Truth(answer_.is_admitted())});
    if (answer_.survey != nullptr) {
      members.push_back({"countedMax", Number(answer_.survey->cost_max)});
    }
    return manifests::ObjectOf(members);
  }

  static std::string Pools(const planning::Survey& survey) {
    std::vector<std::string> pools;
    for (const planning::PoolCount& pool : survey.pools) {
      std::vector<manifests::JsonMember> members = {{"driver", manifests::Quoted(pool.driver)},
                                                    {"pool", manifests::Quoted(pool.pool)}};
      if (!pool.node.empty()) members.push_back({"node", manifests::Quoted(pool.node)});
      members.push_back({"devices", Number(pool.devices)});
      members.push_back({"matching", Number(pool.matching)});
      members.push_back({"failing", Number(pool.failing)});
      pools.push_back(manifests::ObjectOf(members));
    }
    return manifests::ArrayOf(pools);
  }

  std::string Matching(const planning::Survey& survey) const {
    std::vector<std::string> devices;
    devices.reserve(survey.matching.size());
    for (const size_t place : survey.matching)
      devices.push_back(DeviceJson(answer_.devices[place]));
    return manifests::ArrayOf(devices);
  }

  std::string List(const std::vector<planning::Counted>& counted, std::string_view word) const {
    std::vector<std::string> items;
    items.reserve(counted.size());
    for (const planning::Counted& one : counted) {
      items.push_back(manifests::ObjectOf({{std::string(word), manifests::Quoted(one.text)},
                                           {"devices", Number(one.count)},
                                           {"first", DeviceJson(answer_.devices[one.first])}}));
    }
    return manifests::ArrayOf(items);
  }

  std::string Values(const planning::Survey& survey) const {
    std::vector<std::string> items;
    items.reserve(survey.values.size());
    for (const planning::Counted& one : survey.values) {
      items.push_back(manifests::ObjectOf({{"value", one.text},
                                           {"devices", Number(one.count)},
                                           {"first", DeviceJson(answer_.devices[one.first])}}));
    }
    return manifests::ArrayOf(items);
  }

  std::string Names(const planning::Survey& survey) const {
    std::vector<std::string> items;
    for (const cel::DeviceName& name : answer_.names) {
      const size_t devices = survey.names.On(name);
      std::vector<manifests::JsonMember> members = MembersOf(name);
      members.push_back({"devices", Number(devices)});
      if (devices < survey.devices) {
        std::vector<std::string> near;
        for (const planning::CountedName& one : survey.names.Near(name))
          near.push_back(NameJson(one));
        members.push_back({"suggestions", manifests::ArrayOf(near)});
      }
      items.push_back(manifests::ObjectOf(members));
    }
    return manifests::ArrayOf(items);
  }

  std::string Explanation(const planning::Survey& survey) const {
    std::vector<std::string> conjuncts;
    conjuncts.reserve(survey.conjuncts.size());
    for (const planning::ConjunctCount& conjunct : survey.conjuncts) {
      conjuncts.push_back(manifests::ObjectOf({{"source", manifests::Quoted(conjunct.source)},
                                               {"true", Number(conjunct.true_count)},
                                               {"false", Number(conjunct.false_count)},
                                               {"error", Number(conjunct.error_count)},
                                               {"leftAfterIt", Number(conjunct.left)},
                                               {"matchWithoutIt", Number(conjunct.without_it)},
                                               {"failures", List(conjunct.errors, "message")}}));
    }
    std::vector<std::string> to_blame;
    for (const size_t place : planning::Responsible(survey)) to_blame.push_back(Number(place));
    return manifests::ObjectOf({{"conjuncts", manifests::ArrayOf(conjuncts)},
                                {"responsible", manifests::ArrayOf(to_blame)}});
  }

  const CelAnswer& answer_;
};

}  // namespace

std::string JsonOf(const CelAnswer& answer) {
  return JsonReport(answer).Run();
}

std::string JsonOfRefusal(std::string_view expression,
                          const cel::Environment& environment,
                          const cel::CompileError& error,
                          std::string_view hint) {
  std::vector<std::string> problems;
  for (const cel::SourceError& problem : error.problems) {
    std::vector<manifests::JsonMember> members;
    if (problem.offset != cel::SourceError::kNowhere) {
      const std::string_view before = expression.substr(0, problem.offset);
      const size_t line_start = before.rfind('\n') + 1;  // 0 without one
      const size_t lines = static_cast<size_t>(std::ranges::count(before, '\n'));
      members.push_back({"line", Number(lines + 1)});
      members.push_back({"column", Number(cel::CountCodePoints(before.substr(line_start)) + 1)});
    }
    members.push_back({"message", manifests::Quoted(problem.message)});
    problems.push_back(manifests::ObjectOf(members));
  }
  std::vector<manifests::JsonMember> refusal = {{"message", manifests::Quoted(error.message)},
                                                {"problems", manifests::ArrayOf(problems)}};
  if (!hint.empty()) refusal.push_back({"hint", manifests::Quoted(hint)});
  std::vector<manifests::JsonMember> members = Question(expression, environment);
  members.push_back({"error", manifests::ObjectOf(refusal)});
  return manifests::ObjectOf(members);
}

}  // namespace dray::cli
