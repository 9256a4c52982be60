// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/feature_gates.h"
#include "cli/reports/cel_report.h"
#include "cli/terminal/output.h"
#include "planning/explain/missing_names.h"

namespace dray::cli::inline reports {
namespace {

class CelText {
 public:
  CelText(const CelAnswer& answer, const CelTextOptions& options)
      : answer_(answer), options_(options) {}

  std::string Run() && {
    Head();
    if (answer_.survey == nullptr) return std::move(out_);
    const planning::Survey& survey = *answer_.survey;
    if (!survey.conjuncts.empty()) Conjuncts(survey);
    Failures(survey);
    Unknown(survey);
    if (Shown(survey.pools.size()) == survey.pools.size()) {
      Pools(survey);
    } else {
      Drivers(survey);
    }
    Matching(survey);
    Values(survey);
    return std::move(out_);
  }

 private:
  template <class... Parts>
  void Print(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Parts>(parts)...);
  }

  std::string Painted(std::string_view text, std::string_view colour) const {
    return cli::Painted(text, colour, options_.colours);
  }

  size_t Shown(size_t count) const { return options_.all ? count : std::min(count, kListedMax); }
  void PrintMore(size_t count) {
    if (Shown(count) < count) Print("  … and {} more (--all shows them)\n", count - Shown(count));
  }

  std::string DeviceAt(size_t place) const { return Printable(answer_.devices[place].ToText()); }

  void Head() {
    Print("type      {}\n", answer_.type);
    const uint64_t max = answer_.estimate.max;
    const std::string estimate =
        max == cel::cost::kUnbounded ? "without bound" : fmt::format("{}", max);
    if (!answer_.has_limit()) {
      Print("cost      estimated {} by the rules of 1.32; {} does not estimate\n",
            estimate,
            api::ReleaseName(answer_.environment.rules()));
    } else if (answer_.is_admitted()) {
      Print("cost      estimated {}, the limit is {}: admitted\n", estimate, cel::kSelectorCostMax);
    } else {
      Print("cost      estimated {}, the limit is {}: {}\n",
            estimate,
            cel::kSelectorCostMax,
            Painted("refused: too complex, exceeds cost limit", kRed));
    }
    if (answer_.survey == nullptr) return;
    const planning::Survey& survey = *answer_.survey;
    if (survey.cost_max > 0) {
      Print("counted   at most {}, on {}\n", survey.cost_max, DeviceAt(survey.costliest));
    }
    Print("devices   {} of {} {}",
          survey.matching.size(),
          survey.devices,
          answer_.is_derived() ? "have a value" : "match");
    if (survey.failing > 0) Print(", {}", Painted(fmt::format("{} fail", survey.failing), kRed));
    Print("\n");
  }

  std::string MatchingColumn() const { return answer_.is_derived() ? "WITH VALUE" : "MATCHING"; }

  void Pools(const planning::Survey& survey) {
    if (survey.pools.empty()) return;
    std::vector<Row> rows = {{"DRIVER", "POOL", "NODE", MatchingColumn(), "FAILING", "DEVICES"}};
    for (const planning::PoolCount& pool : survey.pools) {
      rows.push_back({Printable(pool.driver),
                      Printable(pool.pool),
                      pool.node.empty() ? "-" : Printable(pool.node),
                      fmt::format("{}", pool.matching),
                      fmt::format("{}", pool.failing),
                      fmt::format("{}", pool.devices)});
    }
    Print("\n{}", TableOf(rows, Numbers::kRight));
  }

  /// Prints drivers instead of many pools.
  void Drivers(const planning::Survey& survey) {
    struct Total {
      size_t pools = 0, with_any = 0, matching = 0, failing = 0, devices = 0;
    };
    std::map<std::string_view, Total> totals;
    for (const planning::PoolCount& pool : survey.pools) {
      Total& total = totals[pool.driver];
      ++total.pools;
      if (pool.matching > 0) ++total.with_any;
      total.matching += pool.matching;
      total.failing += pool.failing;
      total.devices += pool.devices;
    }
    std::vector<Row> rows = {
        {"DRIVER", "POOLS", "WITH ANY", MatchingColumn(), "FAILING", "DEVICES"}};
    for (const auto& [driver, total] : totals) {
      rows.push_back({Printable(driver),
                      fmt::format("{}", total.pools),
                      fmt::format("{}", total.with_any),
                      fmt::format("{}", total.matching),
                      fmt::format("{}", total.failing),
                      fmt::format("{}", total.devices)});
    }
    Print("\n{}  (--all shows the pools)\n", TableOf(rows, Numbers::kRight));
  }

  void Matching(const planning::Survey& survey) {
    if (survey.matching.empty() || answer_.is_derived()) return;
    Print("\nmatching:\n");
    for (size_t i = 0; i < Shown(survey.matching.size()); ++i) {
      Print("  {}\n", DeviceAt(survey.matching[i]));
    }
    PrintMore(survey.matching.size());
  }

  void Values(const planning::Survey& survey) {
    if (survey.values.empty()) return;
    Print("\nvalues:\n");
    for (size_t i = 0; i < Shown(survey.values.size()); ++i) {
      const planning::Counted& value = survey.values[i];
      Print("  {} on {} {}, first on {}\n",
            Printable(value.text),
            value.count,
            Plural(value.count, "device", "devices"),
            DeviceAt(value.first));
    }
    PrintMore(survey.values.size());
  }

  void Conjuncts(const planning::Survey& survey) {
    const std::vector<size_t> to_blame = planning::Responsible(survey);
    std::vector<Row> rows = {
        {"CONJUNCT", "TRUE", "FALSE", "ERROR", "LEFT AFTER IT", "MATCH WITHOUT IT", "SOURCE"}};
    for (size_t i = 0; i < survey.conjuncts.size(); ++i) {
      const planning::ConjunctCount& conjunct = survey.conjuncts[i];
      const bool is_marked = std::ranges::find(to_blame, i) != to_blame.end();
      rows.push_back({fmt::format("#{}{}", i + 1, is_marked ? " *" : ""),
                      fmt::format("{}", conjunct.true_count),
                      fmt::format("{}", conjunct.false_count),
                      fmt::format("{}", conjunct.error_count),
                      fmt::format("{}", conjunct.left),
                      fmt::format("{}", conjunct.without_it),
                      Printable(conjunct.source)});
    }
    Print("\n{}", TableOf(rows, Numbers::kRight));
    for (size_t i = 0; i < survey.conjuncts.size(); ++i) {
      for (const planning::Counted& error : survey.conjuncts[i].errors) {
        Print("  #{} fails on {} {}: {}\n",
              i + 1,
              error.count,
              Plural(error.count, "device", "devices"),
              Printable(error.text));
      }
    }
    if (survey.matching.empty() && survey.devices > 0) Verdict(survey, to_blame);
  }

  void Verdict(const planning::Survey& survey, const std::vector<size_t>& to_blame) {
    if (survey.conjuncts.size() == 1) {
      Print("there is one conjunct only, nothing to leave out\n");
    } else if (to_blame.size() == 1) {
      const planning::ConjunctCount& conjunct = survey.conjuncts[to_blame[0]];
      Print("{} alone is why nothing matches: without it {} of {} would\n",
            Painted(fmt::format("#{}", to_blame[0] + 1), kRed),
            conjunct.without_it,
            survey.devices);
    } else if (!to_blame.empty()) {
      Print("nothing matches, but would without any one of those marked *\n");
    } else {
      Print("nothing matches, and leaving out one conjunct does not help\n");
    }
  }

  void Failures(const planning::Survey& survey) {
    if (survey.failures.empty()) return;
    Print("\nfailing:\n");
    for (size_t i = 0; i < Shown(survey.failures.size()); ++i) {
      const planning::Counted& failure = survey.failures[i];
      Print("  {} {}, first {}: {}\n",
            failure.count,
            Plural(failure.count, "device", "devices"),
            DeviceAt(failure.first),
            Painted(Printable(failure.text), kRed));
      for (const planning::MissingName& missing :
           planning::MissingIn(failure.text, answer_.names, survey)) {
        Print("    {}\n", Painted(Printable(missing.ToText()), kFaint));
      }
    }
    PrintMore(survey.failures.size());
  }

  /// Names that no device has and no failure mentions, because has() or .? guards them.
  void Unknown(const planning::Survey& survey) {
    std::string lines;
    for (const planning::MissingName& missing : planning::MissingQuietly(answer_.names, survey)) {
      lines += fmt::format("  {}\n", Painted(Printable(missing.ToText()), kFaint));
    }
    if (!lines.empty()) Print("\nunknown:\n{}", lines);
  }

  const CelAnswer& answer_;
  const CelTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string TextOf(const CelAnswer& answer, const CelTextOptions& options) {
  return CelText(answer, options).Run();
}

}  // namespace dray::cli::inline reports
