// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/what_if_pods.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_line/command_text.h"
#include "cli/reports/allocate_report.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline reports {
namespace {

using planning::QueuedChange;
using planning::QueuedReport;

constexpr size_t kNamesMax = 20;

/// "default/a" of "pod default/a".
std::string NameIn(const std::string& what) {
  return what.substr(what.find(' ') + 1);
}

using Changes = std::vector<const QueuedChange*>;

/// The pods that fit only with the change, or those that fit only without it.
Changes ChangesWith(const QueuedReport& queued, bool fits) {
  Changes changes;
  for (const QueuedChange& change : queued.changes) {
    if ((change.then.verdict == planning::Verdict::kFits) == fits) changes.push_back(&change);
  }
  return changes;
}

std::string PodsText(size_t some, const QueuedReport& queued) {
  return fmt::format("{} of {} {}",
                     some,
                     queued.pods,
                     Plural(queued.pods, "pod that waits already", "pods that wait already"));
}

void PrintMore(size_t all, size_t shown, std::FILE* out) {
  if (all > shown) cli::Print(out, "… and {} more; --all names them\n", all - shown);
}

void PrintGained(const QueuedReport& queued, size_t names_max, std::FILE* out) {
  const Changes gained = ChangesWith(queued, true);
  if (gained.empty()) return;
  const size_t shown = std::min(gained.size(), names_max);
  cli::Print(out, "{} would then run:\n", PodsText(gained.size(), queued));
  std::vector<Row> rows = {{"POD", "NODE"}};
  for (size_t i = 0; i < shown; ++i)
    rows.push_back({NameIn(gained[i]->then.what), gained[i]->then.node});
  cli::Print(out, "{}", Composed(TableOf(rows)));
  PrintMore(gained.size(), shown, out);
}

void PrintLost(const QueuedReport& queued, size_t names_max, const Output& output) {
  const Changes lost = ChangesWith(queued, false);
  if (lost.empty()) return;
  const size_t shown = std::min(lost.size(), names_max);
  cli::Print(output.out, "{} would no longer run:\n", PodsText(lost.size(), queued));
  for (size_t i = 0; i < shown; ++i) {
    const std::string text = TextFor("{} (otherwise on node {}): {}",
                                     lost[i]->then.what,
                                     lost[i]->node_before,
                                     lost[i]->then.reason);
    cli::Print(output.out, "  {}\n", Composed(Wrapped(text, 4, output.columns)));
  }
  PrintMore(lost.size(), shown, output.out);
}

/// Prints the number of pods whose answer does not change.
void PrintOthers(const QueuedReport& queued, const Output& output) {
  const size_t others = queued.pods - queued.changes.size();
  if (others == 0) return;
  const bool are_all = queued.changes.empty();
  std::string text = fmt::format("{} {}{}",
                                 others,
                                 are_all ? "" : "other ",
                                 Plural(others, "pod waits already: ", "pods wait already: "));
  std::vector<std::string> same;
  if (queued.fit_both > 0) same.push_back(fmt::format("{} would run", queued.fit_both));
  if (queued.wait_both > 0) same.push_back(fmt::format("{} would wait", queued.wait_both));
  text += fmt::format("{}", fmt::join(same, " and "));
  if (!same.empty()) text += " with and without this";
  if (!same.empty() && queued.undecided > 0) text += ", ";
  if (queued.undecided > 0)
    text += fmt::format("{} {} undecided", queued.undecided, Plural(queued.undecided, "is", "are"));
  if (queued.wait_both > 0) text += " (dray explain says why)";
  cli::Print(output.out, "{}\n", Composed(Wrapped(text, 2, output.columns)));
}

void WriteMoves(std::span<const planning::Move> moves, api::JsonWriter& json) {
  if (moves.empty()) return;
  json.Member("moves").Array([&] {
    for (const planning::Move& move : moves) {
      json.Object([&] {
        json.Member("pod", move.pod);
        json.Member("from", move.from);
        json.Member("to", move.to);
      });
    }
  });
}

void WriteOutcome(const planning::OfflineAnswer& answer,
                  const std::string& node_before,
                  api::JsonWriter& json) {
  json.Object([&] {
    json.Member("for", answer.what);
    json.Member("fits", answer.verdict == planning::Verdict::kFits);
    json.Member("verdict", planning::VerdictName(answer.verdict));
    if (!node_before.empty()) json.Member("nodeBefore", node_before);
    if (!answer.node.empty()) json.Member("node", answer.node);
    if (!answer.reason.empty()) json.Member("reason", answer.reason);
    if (answer.verdict == planning::Verdict::kFits) WriteDevices(answer.claims, json);
    if (!answer.evicts.empty()) json.Member("evicts").ArrayOf(answer.evicts);
    WriteMoves(answer.moves, json);
  });
}

}  // namespace

void PrintMoved(std::span<const planning::OfflineAnswer> answers,
                const NodesBefore& nodes_before,
                std::FILE* out) {
  std::vector<Row> rows = {{"POD", "FROM", "TO"}};
  for (const planning::OfflineAnswer& one : answers) {
    const auto before = nodes_before.find(one.what);
    if (before == nodes_before.end()) continue;
    rows.push_back({NameIn(one.what), before->second, one.node.empty() ? "nowhere" : one.node});
  }
  if (rows.size() > 1) cli::Print(out, "{}", Composed(TableOf(rows)));
}

void PrintQueued(const QueuedReport& queued, NamesShown names, const Output& output) {
  const size_t names_max = names == NamesShown::kAll ? queued.pods : kNamesMax;
  PrintGained(queued, names_max, output.out);
  PrintLost(queued, names_max, output);
  PrintOthers(queued, output);
}

void WriteAnswer(const planning::OfflineAnswer& answer,
                 const NodesBefore& nodes_before,
                 api::JsonWriter& json) {
  const auto before = nodes_before.find(answer.what);
  WriteOutcome(answer, before == nodes_before.end() ? std::string() : before->second, json);
}

void WriteQueued(const QueuedReport& queued, api::JsonWriter& json) {
  json.Member("waiting").Object([&] {
    json.Member("pods", static_cast<int64_t>(queued.pods));
    json.Member("fitBefore", static_cast<int64_t>(queued.fit_before));
    json.Member("fit", static_cast<int64_t>(queued.fit_then));
    if (queued.undecided > 0) json.Member("undecided", static_cast<int64_t>(queued.undecided));
    json.Member("changes").Array([&] {
      for (const QueuedChange& change : queued.changes)
        WriteOutcome(change.then, change.node_before, json);
    });
  });
}

}  // namespace dray::cli::inline reports
