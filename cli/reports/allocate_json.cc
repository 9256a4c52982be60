// SPDX-License-Identifier: Apache-2.0
// The output of dray allocate for programs. docs/allocate.md defines its members.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/resource_v1/claim.h"
#include "cli/reports/allocate_report.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline reports {
namespace {

namespace v1 = api::resource_v1;

void WriteObstacle(const planning::FirstFailure& failure, api::JsonWriter& json) {
  json.Member("claim", failure.claim);
  json.Member("request", failure.request);
  json.Member("obstacle", ToString(failure));
}

void WriteNode(const planning::OfflineAnswer& answer,
               const planning::NodeAnswer& here,
               api::JsonWriter& json) {
  json.Object([&] {
    json.Member("node", here.node);
    json.Member("verdict", VerdictName(here.verdict));
    if (here.verdict == planning::Verdict::kFits) {
      json.Member("taken", here.node == answer.node);
      return WriteDevices(here.claims, json);
    }
    json.Member("reason", here.reason);
    if (here.failure.has_value()) WriteObstacle(*here.failure, json);
  });
}

void WriteAnswer(const planning::OfflineAnswer& answer, size_t turn, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("for", answer.what);
    json.Member("place", answer.place);
    json.Member("turn", turn);
    json.Member("verdict", VerdictName(answer.verdict));
    if (answer.verdict == planning::Verdict::kFits) {
      json.Member("node", answer.node);
      WriteDevices(answer.claims, json);
    } else {
      json.Member("reason", answer.reason);
    }
    if (!answer.fix.empty()) json.Member("fix", answer.fix);
    if (!answer.note.empty()) json.Member("note", answer.note);
    if (!answer.evicts.empty()) json.Member("evicts").ArrayOf(answer.evicts);
    if (!answer.failures.empty()) {
      json.Member("obstacles").Array([&] {
        for (const planning::FailureOnNodes& group : answer.failures) {
          json.Object([&] {
            WriteObstacle(group.failure, json);
            json.Member("nodes").ArrayOf(group.nodes);
          });
        }
      });
    }
    if (answer.nodes.empty()) return;
    json.Member("nodes").Array([&] {
      for (const planning::NodeAnswer& here : answer.nodes) WriteNode(answer, here, json);
    });
  });
}

/// The answers by name, each with its turn, because earlier ones got devices first.
std::vector<std::pair<const planning::OfflineAnswer*, size_t>> Sorted(
    const std::vector<planning::OfflineAnswer>& answers) {
  std::vector<std::pair<const planning::OfflineAnswer*, size_t>> sorted;
  sorted.reserve(answers.size());
  for (size_t i = 0; i < answers.size(); ++i) sorted.emplace_back(&answers[i], i + 1);
  std::ranges::sort(sorted, {}, [](const auto& one) {
    return std::pair<std::string_view, size_t>(one.first->what, one.second);
  });
  return sorted;
}

/// The claims that got devices or a user, as the last answer left them, by namespace and name.
std::map<std::string, std::reference_wrapper<const api::Object>> ClaimsOf(
    const std::vector<planning::OfflineAnswer>& answers) {
  std::map<std::string, std::reference_wrapper<const api::Object>> claims;
  for (const planning::OfflineAnswer& answer : answers) {
    for (const api::Object& claim : answer.claims)
      claims.insert_or_assign(api::ObjectKey(claim.metadata()), std::cref(claim));
  }
  return claims;
}

}  // namespace

void WriteDevices(const std::vector<api::Object>& claims, api::JsonWriter& json) {
  json.Member("devices").Array([&] {
    for (const api::Object& object : claims) {
      const auto& claim = object.As<v1::ResourceClaim>();
      if (!claim.status.allocation.has_value()) continue;
      for (const v1::DeviceRequestAllocationResult& result :
           claim.status.allocation->devices.results) {
        json.Object([&] {
          json.Member("claim", api::ObjectKey(claim.metadata));
          json.Member("request", result.request);
          json.Member("driver", result.driver);
          json.Member("pool", result.pool);
          json.Member("device", result.device);
          if (result.admin_access.value_or(false)) json.Member("adminAccess", true);
        });
      }
    }
  });
}

std::string JsonOf(const Allocated& allocated) {
  const bool fits =
      !allocated.is_cut_short && std::ranges::all_of(allocated.answers, [](const auto& answer) {
        return answer.verdict == planning::Verdict::kFits;
      });
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      WriteSchema("allocate", json);
      json.Member("fits", fits);
      if (allocated.is_cut_short) json.Member("cutShort", true);
      json.Member("answers").Array([&] {
        for (const auto& [answer, turn] : Sorted(allocated.answers))
          WriteAnswer(*answer, turn, json);
      });
      json.Member("claims").Array([&] {
        const auto claims = ClaimsOf(allocated.answers);
        for (const auto& one : claims)
          json.Encoded([&one](std::string& out) { api::EncodeJson(one.second.get(), out); });
      });
      json.Member("leftOut").Array([&] {
        for (const planning::LeftOut& one : allocated.left_out)
          json.Object({{"for", one.what}, {"why", one.why}});
      });
    });
  });
}

}  // namespace dray::cli::inline reports
