// SPDX-License-Identifier: Apache-2.0
#include "cli/allocate_report.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/resource_v1/claim.h"
#include "cli/output.h"

namespace dray::cli {
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

void WriteObject(const api::Object& object, api::JsonWriter& json) {
  json.Encoded([&](std::string& out) { api::EncodeJson(object, out); });
}

void WriteNode(const planning::OfflineAnswer& answer,
               const planning::NodeAnswer& here,
               api::JsonWriter& json) {
  json.Object([&] {
    json.Member("for", answer.what);
    if (!here.node.empty()) json.Member("node", here.node);
    const bool fits = here.verdict == planning::Verdict::kFits;
    json.Member("fits", fits);
    if (fits) {
      json.Member("taken", here.node == answer.node);
      json.Member("claims").Array([&] {
        for (const api::Object& claim : here.claims) WriteObject(claim, json);
      });
      return;
    }
    json.Member("reason", here.reason);
    if (!here.failure.has_value()) return;
    json.Member("claim", here.failure->claim);
    json.Member("request", here.failure->request);
    json.Member("obstacle", ToString(*here.failure));
  });
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
  if (rows.size() > 1) fmt::print(out, "{}", TableOf(rows));
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
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", "List");
      json.Member("apiVersion", "v1");
      json.Member("metadata").Object({});
      json.Member("items").Array([&] {
        for (const std::string& key : order) WriteObject(*newest.at(key), json);
      });
    });
  });
}

std::string NodeAnswersAsJson(std::span<const planning::OfflineAnswer> answers) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("answers").Array([&] {
        for (const planning::OfflineAnswer& answer : answers) {
          for (const planning::NodeAnswer& here : answer.nodes) WriteNode(answer, here, json);
          if (!answer.nodes.empty()) continue;
          WriteNode(answer, {.verdict = answer.verdict, .reason = answer.reason}, json);
        }
      });
    });
  });
}

}  // namespace dray::cli
