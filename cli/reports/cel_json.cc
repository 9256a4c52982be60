// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_writer.h"
#include "api/feature_gates.h"
#include "cel/syntax/utf8.h"
#include "cli/reports/cel_report.h"
#include "planning/explain/missing_names.h"

namespace dray::cli::inline reports {
namespace {

using api::JsonWriter;

void WriteBound(uint64_t number, JsonWriter& json) {
  if (number == cel::cost::kUnbounded) {
    json.Value(nullptr);
  } else {
    json.Value(number);
  }
}

/// Writes the question; the same for every answer.
void WriteQuestion(std::string_view expression,
                   const cel::Environment& environment,
                   JsonWriter& json) {
  const bool is_derived = environment.purpose == cel::Purpose::kDerivedAttribute;
  const bool is_new = environment.use == cel::ExpressionUse::kNew;
  json.Member("expression", expression);
  json.Member("purpose", is_derived ? "derivedAttribute" : "selector");
  json.Member("release", api::ReleaseName(environment.rules()));
  json.Member("use", is_new ? "new" : "stored");
}

void WriteDevice(const planning::PublishedDevice& device, JsonWriter& json) {
  json.Object({{"driver", device.driver}, {"pool", device.pool}, {"device", device.device->name}});
}

/// Writes a name and the number of devices that have it, as members.
void WriteName(const cel::DeviceName& name, size_t devices, JsonWriter& json) {
  const bool is_attribute = name.section == cel::DeviceSection::kAttributes;
  json.Member("section", is_attribute ? "attributes" : "capacity");
  json.Member("domain", name.domain);
  json.Member("name", name.id);
  json.Member("devices", devices);
}

class JsonReport {
 public:
  JsonReport(const CelAnswer& answer, JsonWriter& json) : answer_(answer), json_(json) {}

  void Write() {
    json_.Object([&] {
      WriteSchema("cel", json_);
      WriteQuestion(answer_.expression, answer_.environment, json_);
      json_.Member("type", answer_.type);
      json_.Member("cost").Object([&] { Cost(); });
      if (answer_.survey != nullptr) Devices(*answer_.survey);
    });
  }

 private:
  void Cost() {
    WriteBound(answer_.estimate.max, json_.Member("estimatedMax"));
    WriteBound(answer_.estimate.min, json_.Member("estimatedMin"));
    if (answer_.has_limit()) json_.Member("limit", cel::kSelectorCostMax);
    json_.Member("admitted", answer_.is_admitted());
    if (answer_.survey != nullptr) json_.Member("countedMax", answer_.survey->cost_max);
  }

  void Devices(const planning::Survey& survey) {
    json_.Member("devices").Object({{"total", survey.devices},
                                    {"matching", survey.matching.size()},
                                    {"failing", survey.failing}});
    json_.Member("pools").Array([&] {
      for (const planning::PoolCount& pool : survey.pools) Pool(pool);
    });
    json_.Member("matching").Array([&] {
      for (const size_t place : survey.matching) WriteDevice(answer_.devices[place], json_);
    });
    if (answer_.is_derived()) {
      json_.Member("values").Array([&] {
        for (const planning::Counted& value : survey.values) {
          json_.Object([&] {
            json_.Member("value").Raw(value.text);
            Count(value);
          });
        }
      });
    }
    json_.Member("failures").Array([&] { Messages(survey.failures); });
    json_.Member("names").Array([&] {
      for (const cel::DeviceName& name : answer_.names) Name(name, survey);
    });
    if (!survey.conjuncts.empty()) Explanation(survey);
  }

  void Pool(const planning::PoolCount& pool) {
    json_.Object([&] {
      json_.Member("driver", pool.driver);
      json_.Member("pool", pool.pool);
      if (!pool.node.empty()) json_.Member("node", pool.node);
      json_.Member("devices", pool.devices);
      json_.Member("matching", pool.matching);
      json_.Member("failing", pool.failing);
    });
  }

  /// Writes the number of devices, and the first of them.
  void Count(const planning::Counted& counted) {
    json_.Member("devices", counted.count);
    WriteDevice(answer_.devices[counted.first], json_.Member("first"));
  }

  void Messages(const std::vector<planning::Counted>& counted) {
    for (const planning::Counted& one : counted) {
      json_.Object([&] {
        json_.Member("message", one.text);
        Count(one);
      });
    }
  }

  void Name(const cel::DeviceName& name, const planning::Survey& survey) {
    json_.Object([&] {
      const size_t devices = survey.names.On(name);
      WriteName(name, devices, json_);
      if (devices == survey.devices) return;
      json_.Member("suggestions").Array([&] {
        for (const planning::CountedName& one : survey.names.Near(name)) {
          json_.Object([&] { WriteName(one.name, one.devices, json_); });
        }
      });
    });
  }

  void Explanation(const planning::Survey& survey) {
    json_.Member("explanation").Object([&] {
      json_.Member("conjuncts").Array([&] {
        for (const planning::ConjunctCount& conjunct : survey.conjuncts) Conjunct(conjunct);
      });
      json_.Member("responsible").ArrayOf(planning::Responsible(survey));
    });
  }

  void Conjunct(const planning::ConjunctCount& conjunct) {
    json_.Object([&] {
      json_.Member("source", conjunct.source);
      json_.Member("true", conjunct.true_count);
      json_.Member("false", conjunct.false_count);
      json_.Member("error", conjunct.error_count);
      json_.Member("leftAfterIt", conjunct.left);
      json_.Member("matchWithoutIt", conjunct.without_it);
      json_.Member("failures").Array([&] { Messages(conjunct.errors); });
    });
  }

  const CelAnswer& answer_;
  JsonWriter& json_;
};

void WriteProblem(std::string_view expression,
                  const cel::syntax::SourceError& problem,
                  JsonWriter& json) {
  json.Object([&] {
    if (problem.offset != cel::syntax::SourceError::kNowhere) {
      const std::string_view before = expression.substr(0, problem.offset);
      const size_t line_start = before.rfind('\n') + 1;  // 0 without one
      json.Member("line", std::ranges::count(before, '\n') + 1);
      json.Member("column", cel::syntax::CountCodePoints(before.substr(line_start)) + 1);
    }
    json.Member("message", problem.message);
  });
}

}  // namespace

std::string JsonOf(const CelAnswer& answer) {
  return api::JsonText([&](JsonWriter& json) { JsonReport(answer, json).Write(); });
}

std::string JsonOfRefusal(std::string_view expression,
                          const cel::Environment& environment,
                          const cel::CompileError& error,
                          std::string_view hint) {
  return api::JsonText([&](JsonWriter& json) {
    json.Object([&] {
      WriteSchema("cel", json);
      WriteQuestion(expression, environment, json);
      json.Member("error").Object([&] {
        json.Member("message", error.message);
        json.Member("problems").Array([&] {
          for (const cel::syntax::SourceError& problem : error.problems) {
            WriteProblem(expression, problem, json);
          }
        });
        if (!hint.empty()) json.Member("hint", hint);
      });
    });
  });
}

}  // namespace dray::cli::inline reports
