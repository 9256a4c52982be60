// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "api/feature_gates.h"
#include "cli/cel_missing.h"
#include "cli/cel_report.h"

namespace dray::cli {
namespace {

constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kFaint = "\033[2m";
constexpr std::string_view kPlain = "\033[0m";

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell; the last one is not padded, numbers stand to the right.
std::string Table(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string table;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_number = &row != &rows.front() && !row[i].empty() &&
                             row[i].find_first_not_of("0123456789") == std::string::npos;
      line += is_number ? fmt::format("{:>{}}   ", row[i], widths[i])
                        : fmt::format("{:<{}}   ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + '\n';
  }
  return table;
}

std::string_view Plural(size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

class TextReport {
 public:
  TextReport(const CelAnswer& answer, const CelTextOptions& options)
      : answer_(answer), options_(options) {}

  std::string Run() && {
    Head();
    if (answer_.survey == nullptr) return std::move(out_);
    const Survey& survey = *answer_.survey;
    Pools(survey);
    Matching(survey);
    Values(survey);
    if (!survey.conjuncts.empty()) Conjuncts(survey);
    Failures(survey);
    Unknown(survey);
    return std::move(out_);
  }

 private:
  template <class... Parts>
  void Say(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Parts>(parts)...);
  }

  std::string Painted(std::string_view text, std::string_view colour) const {
    if (options_.colours == Colours::kNone) return std::string(text);
    return fmt::format("{}{}{}", colour, text, kPlain);
  }

  size_t Shown(size_t count) const { return options_.all ? count : std::min(count, kListedMax); }
  void SayMore(size_t count) {
    if (Shown(count) < count) Say("  … and {} more (--all shows them)\n", count - Shown(count));
  }

  std::string DeviceAt(size_t place) const { return answer_.devices[place].ToText(); }

  void Head() {
    Say("type      {}\n", answer_.type);
    const uint64_t max = answer_.estimate.max;
    const std::string estimate = max == cel::kUnbounded ? "without bound" : fmt::format("{}", max);
    if (!answer_.has_limit()) {
      Say("cost      estimated {} by the rules of 1.32; {} does not estimate\n",
          estimate,
          api::ReleaseName(answer_.environment.rules()));
    } else if (answer_.is_admitted()) {
      Say("cost      estimated {}, the limit is {}: admitted\n", estimate, cel::kSelectorCostMax);
    } else {
      Say("cost      estimated {}, the limit is {}: {}\n",
          estimate,
          cel::kSelectorCostMax,
          Painted("refused: too complex, exceeds cost limit", kRed));
    }
    if (answer_.survey == nullptr) return;
    const Survey& survey = *answer_.survey;
    if (survey.cost_max > 0) {
      Say("counted   at most {}, on {}\n", survey.cost_max, DeviceAt(survey.costliest));
    }
    Say("devices   {} of {} {}",
        survey.matching.size(),
        survey.devices,
        answer_.is_derived() ? "have a value" : "match");
    if (survey.failing > 0) Say(", {}", Painted(fmt::format("{} fail", survey.failing), kRed));
    Say("\n");
  }

  void Pools(const Survey& survey) {
    if (survey.pools.empty()) return;
    std::vector<Row> rows = {{"DRIVER",
                              "POOL",
                              "NODE",
                              answer_.is_derived() ? "WITH VALUE" : "MATCHING",
                              "FAILING",
                              "DEVICES"}};
    for (size_t i = 0; i < Shown(survey.pools.size()); ++i) {
      const PoolCount& pool = survey.pools[i];
      rows.push_back({std::string(pool.driver),
                      std::string(pool.pool),
                      pool.node.empty() ? "-" : std::string(pool.node),
                      fmt::format("{}", pool.matching),
                      fmt::format("{}", pool.failing),
                      fmt::format("{}", pool.devices)});
    }
    Say("\n{}", Table(rows));
    SayMore(survey.pools.size());
  }

  void Matching(const Survey& survey) {
    if (survey.matching.empty() || answer_.is_derived()) return;
    Say("\nmatching:\n");
    for (size_t i = 0; i < Shown(survey.matching.size()); ++i) {
      Say("  {}\n", DeviceAt(survey.matching[i]));
    }
    SayMore(survey.matching.size());
  }

  void Values(const Survey& survey) {
    if (survey.values.empty()) return;
    Say("\nvalues:\n");
    for (size_t i = 0; i < Shown(survey.values.size()); ++i) {
      const Counted& value = survey.values[i];
      Say("  {} on {} {}, first on {}\n",
          value.text,
          value.count,
          Plural(value.count, "device", "devices"),
          DeviceAt(value.first));
    }
    SayMore(survey.values.size());
  }

  void Conjuncts(const Survey& survey) {
    const std::vector<size_t> to_blame =
        survey.conjuncts.size() > 1 ? Responsible(survey) : std::vector<size_t>();
    std::vector<Row> rows = {
        {"CONJUNCT", "TRUE", "FALSE", "ERROR", "LEFT AFTER IT", "MATCH WITHOUT IT", "SOURCE"}};
    for (size_t i = 0; i < survey.conjuncts.size(); ++i) {
      const ConjunctCount& conjunct = survey.conjuncts[i];
      const bool is_marked = std::ranges::find(to_blame, i) != to_blame.end();
      rows.push_back({fmt::format("#{}{}", i + 1, is_marked ? " *" : ""),
                      fmt::format("{}", conjunct.true_count),
                      fmt::format("{}", conjunct.false_count),
                      fmt::format("{}", conjunct.error_count),
                      fmt::format("{}", conjunct.left),
                      fmt::format("{}", conjunct.without_it),
                      conjunct.source});
    }
    Say("\n{}", Table(rows));
    for (size_t i = 0; i < survey.conjuncts.size(); ++i) {
      for (const Counted& error : survey.conjuncts[i].errors) {
        Say("  #{} fails on {} {}: {}\n",
            i + 1,
            error.count,
            Plural(error.count, "device", "devices"),
            error.text);
      }
    }
    if (survey.matching.empty() && survey.devices > 0) Verdict(survey, to_blame);
  }

  void Verdict(const Survey& survey, const std::vector<size_t>& to_blame) {
    if (survey.conjuncts.size() == 1) {
      Say("there is one conjunct only, nothing to leave out\n");
    } else if (to_blame.size() == 1) {
      const ConjunctCount& conjunct = survey.conjuncts[to_blame[0]];
      Say("{} alone is why nothing matches: without it {} of {} would\n",
          Painted(fmt::format("#{}", to_blame[0] + 1), kRed),
          conjunct.without_it,
          survey.devices);
    } else if (!to_blame.empty()) {
      Say("nothing matches, but would without any one of those marked *\n");
    } else {
      Say("nothing matches, and leaving out one conjunct does not help\n");
    }
  }

  void Failures(const Survey& survey) {
    if (survey.failures.empty()) return;
    Say("\nfailing:\n");
    for (size_t i = 0; i < Shown(survey.failures.size()); ++i) {
      const Counted& failure = survey.failures[i];
      Say("  {} {}, first {}: {}\n",
          failure.count,
          Plural(failure.count, "device", "devices"),
          DeviceAt(failure.first),
          Painted(failure.text, kRed));
      for (const MissingName& missing : MissingIn(failure.text, answer_.names, survey)) {
        Say("    {}\n", Painted(missing.ToText(), kFaint));
      }
    }
    SayMore(survey.failures.size());
  }

  /// Names that no device has and that no failure told of: guarded by has() or .?
  void Unknown(const Survey& survey) {
    std::string lines;
    for (const MissingName& missing : MissingQuietly(answer_.names, survey)) {
      lines += fmt::format("  {}\n", Painted(missing.ToText(), kFaint));
    }
    if (!lines.empty()) Say("\nunknown:\n{}", lines);
  }

  const CelAnswer& answer_;
  const CelTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string TextOf(const CelAnswer& answer, const CelTextOptions& options) {
  return TextReport(answer, options).Run();
}

}  // namespace dray::cli
