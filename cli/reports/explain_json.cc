// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "cli/reports/explain_report.h"
#include "planning/explain/explanation.h"

namespace dray::cli::inline reports {
namespace {

using planning::Step;

std::string_view ShownVerdict(const planning::OfflineExplanation& answer) {
  return answer.state.empty() ? planning::VerdictName(answer.verdict) : "settled";
}

void WriteRemoval(const planning::Removal& removal, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("step", planning::StepName(removal.step));
    json.Member("devices", static_cast<int64_t>(removal.devices));
    if (!removal.text.empty()) json.Member("why", removal.text);
    if (!removal.error.empty()) json.Member("error", removal.error);
    if (!removal.have.empty()) {
      json.Member("have").Array([&] {
        for (const planning::NameValues& have : removal.have) {
          for (const planning::Counted& value : have.values) {
            json.Object([&] {
              json.Member("name", have.name.ToExpression());
              json.Member("value", value.text);
              json.Member("devices", static_cast<int64_t>(value.count));
            });
          }
        }
      });
    }
    if (removal.missing.empty()) return;
    json.Member("missing").Array([&] {
      for (const planning::MissingName& missing : removal.missing) json.Value(missing.ToText());
    });
  });
}

void WriteFunnel(const planning::Funnel& funnel, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("claim", funnel.claim);
    json.Member("request", funnel.request);
    json.Member("deviceClassName", funnel.device_class);
    json.Member("allocationMode", funnel.wants_all ? "All" : "ExactCount");
    if (!funnel.wants_all) json.Member("count", funnel.wanted);
    if (funnel.is_admin) json.Member("adminAccess", true);
    json.Member("devices", static_cast<int64_t>(funnel.devices));
    json.Member("removed").Object([&] {
      for (size_t step = 0; step + 1 < planning::kSteps; ++step) {
        json.Member(planning::StepName(static_cast<Step>(step)),
                    static_cast<int64_t>(funnel.counts[step]));
      }
    });
    json.Member("usable", static_cast<int64_t>(funnel.counts.back()));
    json.Member("why").Array([&] {
      for (const planning::Removal& removal : funnel.removals) WriteRemoval(removal, json);
    });
  });
}

void WriteGroup(const planning::NodeGroup& group, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("trouble", planning::TroubleName(group.trouble));
    if (!group.claim.empty()) {
      json.Member("claim", group.claim);
      json.Member("request", group.request);
      json.Member("wanted", group.wanted);
      json.Member("usable", group.usable);
    }
    if (group.trouble == planning::Trouble::kTooFew) {
      json.Member("step", planning::StepName(group.step));
      json.Member("left", static_cast<int64_t>(group.left));
    }
    if (!group.objection.empty()) json.Member("objection", group.objection);
    if (!group.detail.empty()) json.Member("detail", group.detail);
    json.Member("nodes").ArrayOf(group.nodes);
  });
}

void WriteConflict(const planning::Conflict& conflict, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("node", conflict.node);
    json.Member("parts").Array([&] {
      for (const planning::ConflictPart& part : conflict.parts) {
        json.Object([&] {
          switch (part.kind) {
            case planning::PartKind::kRequest: json.Member("request", part.name); break;
            case planning::PartKind::kConstraint: json.Member("constraint", part.name); break;
            case planning::PartKind::kHolder: json.Member("holder", true); break;
          }
          json.Member("claim", part.claim);
        });
      }
    });
  });
}

/// In one line; for a pod that has devices and waits for something else, the reason.
std::string EventOf(const planning::OfflineExplanation& answer) {
  const bool is_other = answer.verdict != planning::Verdict::kFits && answer.explanation.fits();
  return planning::OneLine(is_other ? planning::Explanation{.refusal = answer.reason}
                                    : answer.explanation);
}

void WriteExplanation(const planning::Explanation& explanation, api::JsonWriter& json) {
  json.Member("requests").Array([&] {
    for (const planning::Funnel& funnel : explanation.funnels) WriteFunnel(funnel, json);
  });
  json.Member("nodes", static_cast<int64_t>(explanation.nodes));
  json.Member("nodeGroups").Array([&] {
    for (const planning::NodeGroup& group : explanation.groups) WriteGroup(group, json);
  });
  if (explanation.closest.empty()) return;
  json.Member("closestNode", explanation.closest);
  json.Member("fitsWhenEmpty", explanation.fits_when_empty);
  json.Member("holders").Array([&] {
    for (const planning::InTheWay& one : explanation.in_the_way) {
      json.Object([&] {
        json.Member("claim", one.holder.claim);
        json.Member("pods").ArrayOf(one.holder.pods);
        if (!one.holder.since.empty()) json.Member("since", one.holder.since);
        if (one.state != planning::HolderState::kUnknown)
          json.Member("state", planning::HolderStateName(one.state));
        json.Member("devices").ArrayOf(one.devices);
      });
    }
  });
  if (explanation.conflict.has_value()) {
    json.Member("conflict");
    WriteConflict(*explanation.conflict, json);
  }
  json.Member("suggestions").Array([&] {
    for (const planning::Suggestion& suggestion : explanation.suggestions) {
      json.Object([&] {
        json.Member("change", planning::ChangeName(suggestion.kind));
        json.Member("amount", static_cast<int64_t>(suggestion.amount));
        json.Member("text", suggestion.text);
        json.Member("node", suggestion.node);
        if (!suggestion.second_node.empty()) json.Member("secondNode", suggestion.second_node);
      });
    }
  });
}

}  // namespace

void WriteExplanations(std::span<const planning::OfflineExplanation> explanations,
                       api::JsonWriter& json) {
  json.Member("explanations").Array([&] {
    for (const planning::OfflineExplanation& answer : explanations) {
      json.Object([&] {
        json.Member("for", answer.what);
        json.Member("verdict", ShownVerdict(answer));
        if (!answer.state.empty()) {
          json.Member("state", answer.state);
          return;
        }
        if (!answer.reason.empty()) json.Member("reason", answer.reason);
        if (!answer.fix.empty() && answer.verdict != planning::Verdict::kFits) {
          json.Member("fix", answer.fix);
        }
        if (!answer.note.empty()) json.Member("note", answer.note);
        json.Member("event", EventOf(answer));
        if (!answer.evicts.empty()) json.Member("evicts").ArrayOf(answer.evicts);
        WriteExplanation(answer.explanation, json);
      });
    }
  });
}

std::string JsonOf(std::span<const planning::OfflineExplanation> explanations) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      WriteSchema("explain", json);
      WriteExplanations(explanations, json);
    });
  });
}

}  // namespace dray::cli::inline reports
