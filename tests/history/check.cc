// SPDX-License-Identifier: Apache-2.0
#include "tests/history/check.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/history/arrangement.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"
#include "tests/history/key_order.h"
#include "tests/history/reads.h"
#include "tests/history/real_time.h"
#include "tests/history/watch_rules.h"
#include "tests/history/well_formed.h"

namespace dray::history {
namespace {

void CheckKeyOrder(const History& history,
                   const std::string& key,
                   const Limits& limits,
                   Report& report) {
  const auto held = std::ranges::find(history.held, key, &Item::key);
  std::optional<Item> first;
  if (held != history.held.end()) first = *held;
  const std::vector<KeyStep> steps = StepsOn(history, key);
  const KeyOrder order = FindKeyOrder(key, first, steps, limits.steps_max);
  report.steps += order.steps;
  switch (order.verdict) {
    case KeyOrder::Verdict::kExists: break;
    case KeyOrder::Verdict::kNone: report.Add(limits, Property::kLinearizable, order.text); break;
    case KeyOrder::Verdict::kUndecided:
      report.undecided.push_back(
          fmt::format("no order of the {} operations on {} found in {} steps",
                      steps.size(),
                      key,
                      limits.steps_max));
      break;
  }
}

/// Keys with findings are left out: there is no order of answers that are wrong.
void CheckKeyOrders(const History& history,
                    const Arrangement& arrangement,
                    const Limits& limits,
                    Report& report) {
  for (const std::string& key : arrangement.Keys()) {
    if (!arrangement.blamed().contains(key)) CheckKeyOrder(history, key, limits, report);
  }
}

}  // namespace

Report Check(const History& history, const Limits& limits) {
  Report report;
  CheckWellFormed(history, limits, report);
  if (!report.findings.empty()) return report;
  const std::vector<SeenBefore> told = SeenBeforeCalls(history);
  CheckRealTime(history, told, limits, report);
  const bool is_in_time = report.findings.empty();
  for (const Watch& watch : history.watches) CheckSequence(watch, limits, report);
  Arrangement arrangement(history, told, limits);
  arrangement.Find(report);
  if (arrangement.is_decided()) {
    for (const Watch& watch : history.watches)
      CheckCompleteness(watch, arrangement, limits, report);
  }
  CheckReads(history, arrangement, limits, report);
  if (is_in_time) CheckKeyOrders(history, arrangement, limits, report);
  return report;
}

}  // namespace dray::history
