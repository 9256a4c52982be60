// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/allocate_report.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/resource_v1/claim.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline reports {
namespace {

namespace v1 = api::resource_v1;

void AddDevices(const api::Object& claim, const std::string& node, std::vector<Row>& rows) {
  const auto& allocation = claim.As<v1::ResourceClaim>().status.allocation;
  if (!allocation.has_value()) return;
  const std::string key = api::ObjectKey(claim.metadata());
  for (const v1::DeviceRequestAllocationResult& result : allocation->devices.results) {
    rows.push_back({key,
                    result.request,
                    fmt::format("{}/{}/{}{}",
                                result.driver,
                                result.pool,
                                result.device,
                                result.admin_access.value_or(false) ? " (admin)" : ""),
                    node});
  }
}

void AddNode(const planning::OfflineAnswer& answer,
             const planning::NodeAnswer& here,
             std::vector<Row>& rows) {
  const bool is_taken = here.node == answer.node;
  for (const api::Object& claim : here.claims) {
    AddDevices(claim, here.node + (is_taken ? " (taken)" : ""), rows);
  }
  if (here.verdict == planning::Verdict::kFits) return;
  if (here.failure.has_value()) {
    rows.push_back({here.failure->claim,
                    here.failure->request,
                    "none: " + ToString(*here.failure),
                    here.node});
  } else {
    rows.push_back({answer.what, "", "none: " + here.reason, here.node});
  }
}

}  // namespace

void PrintAsTable(std::FILE* out, std::span<const planning::OfflineAnswer> answers) {
  std::vector<Row> rows{{"CLAIM", "REQUEST", "DEVICE", "NODE"}};
  std::set<std::string> shown;  // a claim that several pods share is shown once
  for (const planning::OfflineAnswer& answer : answers) {
    for (const planning::NodeAnswer& here : answer.nodes) AddNode(answer, here, rows);
    if (!answer.nodes.empty()) continue;
    if (answer.verdict == planning::Verdict::kFits && answer.claims.empty())
      rows.push_back({answer.what, "-", "-", answer.node});
    for (const api::Object& claim : answer.claims) {
      if (shown.insert(api::ObjectKey(claim.metadata())).second)
        AddDevices(claim, answer.node, rows);
    }
  }
  if (rows.size() > 1) cli::Print(out, "{}", Composed(TableOf(rows)));
  PrintObstacles(out, answers);
}

std::string ObstaclesOf(const planning::OfflineAnswer& answer) {
  std::string text;
  switch (answer.verdict) {
    case planning::Verdict::kFits: break;
    case planning::Verdict::kRefused:
      text += TextFor("{}: {} {}: {}\n",
                      answer.place,
                      answer.what,
                      planning::HindranceText(answer.hindrance, planning::Number::kOne),
                      answer.reason);
      break;
    case planning::Verdict::kDoesNotFit:
      text += TextFor("{} does not fit: {}\n", answer.what, answer.reason);
      break;
    case planning::Verdict::kUndecided:
      text += TextFor("{} is undecided: {}\n", answer.what, answer.reason);
      break;
  }
  if (!answer.fix.empty()) text += TextFor("  {}\n", answer.fix);
  if (!answer.note.empty()) text += TextFor("  {}: {}\n", answer.what, answer.note);
  if (!answer.evicts.empty()) {
    text += TextFor("{}: the scheduler evicts for it: {}\n",
                    answer.what,
                    fmt::format("{}", fmt::join(answer.evicts, ", ")));
  }
  for (const planning::FailureOnNodes& failure : answer.failures)
    text += TextFor("  {}\n", ToString(failure));
  return text;
}

void PrintObstacles(std::FILE* out, std::span<const planning::OfflineAnswer> answers) {
  for (const planning::OfflineAnswer& answer : answers)
    cli::Print(out, "{}", Composed(ObstaclesOf(answer)));
}

}  // namespace dray::cli::inline reports
