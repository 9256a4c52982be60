// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/what_if_report.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json_writer.h"
#include "cli/reports/allocate_report.h"
#include "cli/reports/explain_groups.h"
#include "cli/reports/explain_report.h"
#include "cli/reports/verdict_report.h"
#include "cli/reports/what_if_pods.h"
#include "planning/whatif/what_if.h"

namespace dray::cli::inline reports {
namespace {

void PrintMoves(const planning::OfflineAnswer& answer, std::FILE* out) {
  cli::Print(out,
             "{} fits on node {} if {} {}:\n",
             answer.what,
             answer.node,
             answer.moves.size(),
             Plural(answer.moves.size(), "pod moves", "pods move"));
  for (const planning::Move& move : answer.moves)
    cli::Print(out, "  pod {} from {} to {}\n", move.pod, move.from, move.to);
}

void PrintCopies(const WhatIfAnswer& answer, std::FILE* out) {
  const size_t copies = *answer.copies;
  cli::Print(out,
             "{}{} {}\n",
             copies == planning::kCopiesMax || answer.is_cut_short ? "at least " : "",
             copies,
             Plural(copies, "copy fits", "copies fit"));
  std::vector<Row> rows = {{"NODE", "PODS"}};
  for (const auto& [node, pods] : answer.by_node) rows.push_back({node, std::to_string(pods)});
  if (rows.size() > 1) cli::Print(out, "{}", Composed(TableOf(rows, Numbers::kRight)));
  if (!answer.evicts.empty()) {
    cli::Print(out, "the scheduler evicts for them: {}\n", fmt::join(answer.evicts, ", "));
  }
  if (!answer.reasons.empty()) cli::Print(out, "\nof the next one:\n");
}

void WriteSituation(std::string_view name,
                    const std::optional<planning::DeviceSituation>& situation,
                    api::JsonWriter& json) {
  if (!situation.has_value()) return;
  json.Member(name).Object([&] {
    json.Member("state", planning::DeviceStateName(situation->state));
    if (!situation->claims.empty()) json.Member("claims").ArrayOf(situation->claims);
  });
}

void WriteDeviceChanges(std::span<const planning::DeviceChange> changes, api::JsonWriter& json) {
  const size_t listed = std::min(changes.size(), kDeviceChangesMax);
  json.Member("deviceChanges").Array([&] {
    for (const planning::DeviceChange& one : changes.first(listed)) {
      json.Object([&] {
        json.Member("driver", one.driver);
        json.Member("pool", one.pool);
        json.Member("device", one.device);
        if (!one.node.empty()) json.Member("node", one.node);
        WriteSituation("before", one.before, json);
        WriteSituation("after", one.after, json);
      });
    }
  });
  if (listed < changes.size())
    json.Member("deviceChangesLeftOut", static_cast<int64_t>(changes.size() - listed));
}

}  // namespace

void PrintText(const WhatIfAnswer& answer, bool all, const Output& output) {
  std::vector<planning::OfflineAnswer> fitting;
  for (const planning::OfflineAnswer& one : answer.placed) {
    if (one.verdict == planning::Verdict::kFits) fitting.push_back(one);
  }
  PrintMoved(answer.placed, answer.nodes_before, output.out);
  PrintAsTable(output.out, fitting);
  for (const planning::OfflineAnswer& one : fitting) {
    if (!one.moves.empty()) PrintMoves(one, output.out);
  }
  PrintQueued(answer.queued, all ? NamesShown::kAll : NamesShown::kSome, output);
  if (answer.copies.has_value()) PrintCopies(answer, output.out);
  const std::string text = TextOfAll(answer.reasons,
                                     {.all = all,
                                      .colours = output.colours,
                                      .columns = output.columns,
                                      .more = "--all says all about each."},
                                     Length::kBounded);
  cli::Print(output.out, "{}", Composed(text));
}

void WriteWhatIf(const WhatIfAnswer& answer, api::JsonWriter& json) {
  WriteSchema("whatif", json);
  json.Member("fits", answer.fits());
  if (answer.is_cut_short) json.Member("cutShort", true);
  json.Member("answers").Array([&] {
    for (const planning::OfflineAnswer& one : answer.placed)
      WriteAnswer(one, answer.nodes_before, json);
  });
  if (answer.queued.pods > 0) WriteQueued(answer.queued, json);
  if (answer.copies.has_value()) {
    json.Member("max", *answer.copies);
    json.Member("podsByNode").Object([&] {
      for (const auto& [node, pods] : answer.by_node) json.Member(node, pods);
    });
    if (!answer.evicts.empty()) json.Member("evicts").ArrayOf(answer.evicts);
  }
  if (answer.devices.has_value()) WriteDeviceChanges(*answer.devices, json);
  WriteExplanations(answer.reasons, json);
}

std::string JsonOf(const WhatIfAnswer& answer) {
  return api::JsonText(
      [&](api::JsonWriter& json) { json.Object([&] { WriteWhatIf(answer, json); }); });
}

CiReport ReportOf(const WhatIfAnswer& answer) {
  CiReport report = VerdictReport("whatif");
  const auto text_of = [&](std::string_view what) {
    const auto found = std::ranges::find(answer.reasons, what, &planning::OfflineExplanation::what);
    return found == answer.reasons.end() ? std::string() : TextOf(*found, {});
  };
  if (answer.copies.has_value()) {
    CiResult& all = report.results.emplace_back();
    all.subject = fmt::format("{} copies", *answer.copies);
    if (answer.fits()) return report;
    all.level = CiLevel::kError;
    all.message = "not one copy fits";
    if (!answer.reasons.empty()) all.text = text_of(answer.reasons[0].what);
    return report;
  }
  for (const planning::OfflineAnswer& one : answer.placed)
    report.results.push_back(CiResultOf(one, text_of(one.what)));
  return report;
}

}  // namespace dray::cli::inline reports
