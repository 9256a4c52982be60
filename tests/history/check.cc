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

/// The steps according to `arrangement`: a step with an unknown outcome is where it was placed, and
/// one that was not placed did not happen.
std::vector<KeyStep> Arranged(std::vector<KeyStep> steps,
                              const std::string& key,
                              const Arrangement& arrangement) {
  for (KeyStep& step : steps) {
    if (step.is_certain) continue;
    if (step.is_expiry) {
      step.revision = arrangement.ExpiryOf(*step.operation, key);
      step.expected.reset();  // the arrangement has already checked that the value may expire
    } else {
      step.revision = arrangement.PlaceOf(*step.operation);
    }
    step.is_certain = step.revision.value() != 0;
  }
  std::erase_if(steps, [](const KeyStep& step) { return !step.is_certain; });
  return steps;
}

/// For any number of unknown outcomes, an order along the revisions of the arrangement is found
/// without choices; only reads without a revision leave some. The search among all orders is for
/// histories that no such order explains.
KeyOrder OrderOf(const std::string& key,
                 const std::optional<Item>& first,
                 const std::vector<KeyStep>& steps,
                 const Arrangement& arrangement,
                 const Limits& limits) {
  KeyOrder order = FindKeyOrder(key, first, Arranged(steps, key, arrangement), limits.steps_max);
  if (order.verdict == KeyOrder::Verdict::kExists) return order;
  const size_t steps_before = order.steps;
  order = FindKeyOrder(key, first, steps, limits.steps_max);
  order.steps += steps_before;
  return order;
}

void CheckKeyOrder(const History& history,
                   const std::string& key,
                   const Arrangement& arrangement,
                   const Limits& limits,
                   Report& report) {
  const auto held = std::ranges::find(history.held, key, &Item::key);
  std::optional<Item> first;
  if (held != history.held.end()) first = *held;
  const std::vector<KeyStep> steps = StepsOn(history, key);
  const KeyOrder order = OrderOf(key, first, steps, arrangement, limits);
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

/// Keys with findings are left out, because wrong answers have no order.
void CheckKeyOrders(const History& history,
                    const Arrangement& arrangement,
                    const Limits& limits,
                    Report& report) {
  for (const std::string& key : arrangement.Keys()) {
    if (!arrangement.blamed().contains(key))
      CheckKeyOrder(history, key, arrangement, limits, report);
  }
}

}  // namespace

Report Check(const History& history, const Limits& limits) {
  Report report;
  CheckWellFormed(history, limits, report);
  if (!report.findings.empty()) return report;
  const std::vector<SeenBefore> reported = SeenBeforeCalls(history);
  CheckRealTime(history, reported, limits, report);
  const bool is_in_time = report.findings.empty();
  for (const Watch& watch : history.watches) CheckSequence(watch, limits, report);
  Arrangement arrangement(history, reported, limits);
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
