// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/verdict_report.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace dray::cli::inline reports {
namespace {

/// The index in VerdictReport's rules.
size_t RuleOf(planning::Verdict verdict) {
  switch (verdict) {
    case planning::Verdict::kFits:
    case planning::Verdict::kDoesNotFit: return 0;
    case planning::Verdict::kRefused: return 1;
    case planning::Verdict::kUndecided: return 2;
  }
  return 0;
}

CiLevel CiLevelOf(planning::Verdict verdict) {
  switch (verdict) {
    case planning::Verdict::kFits: return CiLevel::kFine;
    case planning::Verdict::kUndecided: return CiLevel::kWarning;
    case planning::Verdict::kDoesNotFit:
    case planning::Verdict::kRefused: return CiLevel::kError;
  }
  return CiLevel::kFine;
}

template <class Answer>
CiResult ResultFor(const Answer& answer, std::string text) {
  CiResult result{.subject = answer.what, .level = CiLevelOf(answer.verdict)};
  if (result.level == CiLevel::kFine) return result;
  FileAndLine place = FileAndLineOf(answer.place);
  result.rule = RuleOf(answer.verdict);
  result.message =
      answer.fix.empty() ? answer.reason : fmt::format("{}; {}", answer.reason, answer.fix);
  result.text = std::move(text);
  result.file = std::move(place.file);
  result.line = place.line;
  return result;
}

}  // namespace

CiReport VerdictReport(std::string_view command) {
  return {.command = command,
          .rules = {{.id = "does-not-fit", .says = "No node has what the pod or claim wants."},
                    {.id = "refused", .says = "Something is wrong with the pod or its claims."},
                    {.id = "undecided", .says = "The search for devices was given up."}},
          .results = {}};
}

CiResult CiResultOf(const planning::OfflineAnswer& answer, std::string text) {
  return ResultFor(answer, std::move(text));
}

CiResult CiResultOf(const planning::OfflineExplanation& answer, std::string text) {
  if (!answer.state.empty()) return {.subject = answer.what};
  return ResultFor(answer, std::move(text));
}

}  // namespace dray::cli::inline reports
