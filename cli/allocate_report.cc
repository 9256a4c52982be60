// SPDX-License-Identifier: Apache-2.0
#include "cli/allocate_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/resource_v1/claim.h"

namespace dray::cli {
namespace {

namespace v1 = api::resource_v1;

using Row = std::array<std::string, 4>;

/// Columns as wide as their widest cell.
void PrintRows(std::FILE* out, const std::vector<Row>& rows) {
  std::array<size_t, 4> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths.at(i) = std::max(widths.at(i), row.at(i).size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{:<{}}   ", row.at(i), widths.at(i));
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print(out, "{}\n", line);
  }
}

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

void AddNodeJson(const planning::OfflineAnswer& answer,
                 const planning::NodeAnswer& here,
                 std::string& json) {
  const auto text = [&json](const char* name, std::string_view value) {
    json += fmt::format(",\"{}\":", name);
    api::QuoteJson(value, json);
  };
  json += "{\"for\":";
  api::QuoteJson(answer.what, json);
  if (!here.node.empty()) text("node", here.node);
  json += fmt::format(",\"fits\":{}", here.verdict == planning::Verdict::kFits);
  if (here.verdict != planning::Verdict::kFits) {
    text("reason", here.reason);
    if (here.failure.has_value()) {
      text("claim", here.failure->claim);
      text("request", here.failure->request);
      text("obstacle", ToString(*here.failure));
    }
  } else {
    json += fmt::format(",\"taken\":{},\"claims\":[", here.node == answer.node);
    for (const api::Object& claim : here.claims) {
      if (&claim != &here.claims.front()) json += ',';
      api::EncodeJson(claim, json);
    }
    json += ']';
  }
  json += '}';
}

}  // namespace

void PrintAsTable(std::FILE* out, std::span<const planning::OfflineAnswer> answers) {
  std::vector<Row> rows{{"CLAIM", "REQUEST", "DEVICE", "NODE"}};
  std::set<std::string> shown;  // a claim that several pods share is shown once
  for (const planning::OfflineAnswer& answer : answers) {
    for (const planning::NodeAnswer& here : answer.nodes) AddNode(answer, here, rows);
    if (!answer.nodes.empty()) continue;
    for (const api::Object& claim : answer.claims) {
      if (shown.insert(api::ObjectKey(claim.metadata())).second)
        AddDevices(claim, answer.node, rows);
    }
  }
  if (rows.size() > 1) PrintRows(out, rows);
  PrintObstacles(out, answers);
}

void PrintObstacles(std::FILE* out, std::span<const planning::OfflineAnswer> answers) {
  for (const planning::OfflineAnswer& answer : answers) {
    switch (answer.verdict) {
      case planning::Verdict::kFits: break;
      case planning::Verdict::kRefused:
        fmt::print(out, "{}: {} gets no devices: {}\n", answer.place, answer.what, answer.reason);
        break;
      case planning::Verdict::kDoesNotFit:
        fmt::print(out, "{} does not fit: {}\n", answer.what, answer.reason);
        break;
      case planning::Verdict::kUndecided:
        fmt::print(out, "{} is undecided: {}\n", answer.what, answer.reason);
        break;
    }
    if (!answer.fix.empty()) fmt::print(out, "  {}\n", answer.fix);
    for (const planning::FailureOnNodes& failure : answer.failures) {
      fmt::print(out, "  {}\n", ToString(failure));
    }
  }
}

std::string AllocatedClaims(std::span<const planning::OfflineAnswer> answers) {
  std::vector<std::string> order;
  std::map<std::string, const api::Object*> newest;
  for (const planning::OfflineAnswer& answer : answers) {
    for (const api::Object& claim : answer.claims) {
      std::string key = api::ObjectKey(claim.metadata());
      if (newest.insert_or_assign(key, &claim).second) order.push_back(std::move(key));
    }
  }
  std::string json = R"({"kind":"List","apiVersion":"v1","metadata":{},"items":[)";
  for (const std::string& key : order) {
    if (key != order.front()) json += ',';
    api::EncodeJson(*newest.at(key), json);
  }
  return json + "]}";
}

std::string NodeAnswersAsJson(std::span<const planning::OfflineAnswer> answers) {
  std::string json = R"({"answers":[)";
  bool first = true;
  for (const planning::OfflineAnswer& answer : answers) {
    std::vector<planning::NodeAnswer> nodes = answer.nodes;
    if (nodes.empty()) nodes.push_back({.verdict = answer.verdict, .reason = answer.reason});
    for (const planning::NodeAnswer& here : nodes) {
      if (!std::exchange(first, false)) json += ',';
      AddNodeJson(answer, here, json);
    }
  }
  return json + "]}";
}

}  // namespace dray::cli
