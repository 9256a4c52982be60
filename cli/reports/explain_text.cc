// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_line/command_text.h"
#include "cli/command_line/help.h"
#include "cli/reports/explain_report.h"
#include "planning/explain/explanation.h"
#include "scheduler/cluster/extended_resources.h"

namespace dray::cli::inline reports {
namespace {

using planning::Explanation;
using planning::Funnel;
using planning::NodeGroup;
using planning::Removal;
using planning::Step;

/// The words after the number of devices that a step rejects.
constexpr std::array<std::string_view, planning::kSteps> kFallen = {
    "on nodes that the pod cannot use",
    "not of the class",
    "not selected by the request",
    "in pools that cannot be used",
    "in need of a feature that is off",
    "for other nodes, as they say themselves",
    "too small",
    "tainted, which the request does not tolerate",
    "in use",
    "short of counters that others use up",
    "short of capacity that others use up",
    "usable"};

/// The words for the states of claims, in the order of HolderState.
constexpr std::array<std::string_view, 6> kHolderStates = {"",
                                                           "",
                                                           "; unused: no pod names it",
                                                           "; finished: its pods have ended",
                                                           "; its pods are being deleted",
                                                           "; its pods have a lower priority, but "
                                                           "no pod is evicted for devices"};

/// The request's name for users, who do not know the claim for extended resources.
std::string RequestText(std::string_view claim, std::string_view request) {
  if (claim.ends_with(scheduler::kExtendedClaimName))
    return fmt::format("extended resource {}", request);
  return fmt::format("request {} of claim {}", request, claim);
}

/// Where the changed claims fit.
std::string FitsText(const planning::Suggestion& suggestion) {
  if (suggestion.second_node.empty() || suggestion.second_node == suggestion.node)
    return "fits on node " + suggestion.node;
  return fmt::format("fits on nodes {} and {}", suggestion.node, suggestion.second_node);
}

class ExplainText {
 public:
  ExplainText(const planning::OfflineExplanation& answer, const ExplainTextOptions& options)
      : answer_(answer), explanation_(answer.explanation), options_(options) {}

  std::string Brief() && {
    Head();
    const auto& groups = explanation_.groups;
    const auto near = std::ranges::find_if(groups, [](const NodeGroup& group) {
      return group.trouble != planning::Trouble::kObjection;
    });
    if (answer_.verdict == planning::Verdict::kFits || groups.empty()) return std::move(out_);
    const NodeGroup& group = near == groups.end() ? groups.front() : *near;
    Print(2, fmt::format("{}: {}", NodeCount(group), planning::ToString(group, explanation_)));
    if (explanation_.suggestions.empty()) return std::move(out_);
    const planning::Suggestion& first = explanation_.suggestions.front();
    Print(2, fmt::format("- {}: {}", first.text, FitsText(first)), 4);
    return std::move(out_);
  }

  std::string Run() && {
    Head();
    if (!answer_.note.empty()) Print(2, answer_.note);
    if (!answer_.evicts.empty())
      Print(2,
            fmt::format("the scheduler would evict for it: {}", fmt::join(answer_.evicts, ", ")));
    if (!answer_.state.empty() || answer_.verdict == planning::Verdict::kFits)
      return std::move(out_);
    for (const Funnel& funnel : explanation_.funnels) Requests(funnel);
    if (explanation_.groups.empty()) return std::move(out_);
    Nodes();
    Holders();
    Conflict();
    Suggestions();
    return std::move(out_);
  }

 private:
  void Print(size_t indent, std::string_view text, size_t hanging = 2) {
    out_ += std::string(indent, ' ') +
            Wrapped(Printable(text), indent + hanging, options_.columns) + "\n";
  }
  void Title(std::string_view text) {
    const std::string title = Wrapped(Printable(text), 2, options_.columns);
    out_ += "\n" + Painted(title, kYellow, options_.colours) + "\n";
  }

  size_t Shown(size_t count) const { return options_.all ? count : std::min(count, kReasonsMax); }
  void PrintMore(size_t indent, size_t count) {
    if (Shown(count) < count)
      Print(indent, fmt::format("… and {} more (--all shows them)", count - Shown(count)));
  }

  bool IsOfSeveral() const { return options_.names.size() > 1; }

  /// "pod default/a"; "57 pods".
  std::string Subject() const {
    if (!IsOfSeveral()) return answer_.what;
    return fmt::format(
        "{} {}s", options_.names.size(), answer_.what.substr(0, answer_.what.find(' ')));
  }

  void Head() {
    if (!answer_.state.empty()) return Print(0, fmt::format("{} {}", answer_.what, answer_.state));
    const size_t count = options_.names.size();
    if (answer_.verdict == planning::Verdict::kFits) {
      Print(0,
            fmt::format("{} {} on {} of {} {}",
                        Subject(),
                        Plural(IsOfSeveral() ? count : 1, "fits", "fit"),
                        explanation_.groups.front().nodes.size(),
                        explanation_.nodes,
                        Plural(explanation_.nodes, "node", "nodes")));
      if (IsOfSeveral()) Print(2, List(options_.names), 0);
      return;
    }
    std::string_view verdict = IsOfSeveral() ? "do not fit" : "does not fit";
    if (answer_.verdict == planning::Verdict::kRefused)
      verdict = planning::HindranceText(
          answer_.hindrance, IsOfSeveral() ? planning::Number::kSeveral : planning::Number::kOne);
    if (answer_.verdict == planning::Verdict::kUndecided)
      verdict = IsOfSeveral() ? "are undecided" : "is undecided";
    const std::string title =
        Wrapped(TextFor("{} {}: {}", Subject(), verdict, FirstLine()), 2, options_.columns);
    out_ += Painted(title, kRed, options_.colours) + "\n";
    OtherLines();
    if (IsOfSeveral()) Print(2, List(options_.names), 0);
    if (!answer_.fix.empty()) Print(2, answer_.fix);
  }

  std::string FirstLine() const { return reason_.substr(0, reason_.find('\n')); }

  /// Prints further lines, because errors of expressions have several, with a caret.
  void OtherLines() {
    size_t at = reason_.find('\n');
    while (at != std::string::npos) {
      const size_t next = reason_.find('\n', at + 1);
      out_ += "  " + reason_.substr(at + 1, next - at - 1) + "\n";
      at = next;
    }
  }

  void Requests(const Funnel& funnel) {
    const std::string wanted =
        funnel.wants_all
            ? "all devices"
            : fmt::format("{} {}",
                          funnel.wanted,
                          Plural(static_cast<size_t>(funnel.wanted), "device", "devices"));
    Title(fmt::format("{}: {} of class {}{}",
                      RequestText(funnel.claim, funnel.request),
                      wanted,
                      funnel.device_class,
                      funnel.is_admin ? ", with admin access" : ""));
    Count("", funnel.devices, "in the cluster");
    for (size_t step = 0; step + 1 < planning::kSteps; ++step) {
      if (funnel.counts[step] == 0) continue;
      Count("-", funnel.counts[step], kFallen[step]);
      Removals(funnel, static_cast<Step>(step));
    }
    const std::string_view need = funnel.wants_all ? "usable; all that match on one node are wanted"
                                                   : "usable, on all nodes together";
    Count("", funnel.counts.back(), need);
  }

  void Count(std::string_view sign, size_t count, std::string_view what) {
    out_ += TextFor("{:>8} {}\n", fmt::format("{}{}", sign, count), what);
  }

  void Removals(const Funnel& funnel, Step step) {
    std::vector<const Removal*> here;
    for (const Removal& removal : funnel.removals) {
      if (removal.step == step && !removal.text.empty()) here.push_back(&removal);
    }
    for (size_t i = 0; i < Shown(here.size()); ++i) RemovalLines(*here[i]);
    PrintMore(kReasonIndent, here.size());
  }

  void RemovalLines(const Removal& removal) {
    std::string why = removal.text;
    if (removal.step == Step::kInUse) why = "by claims of namespace " + removal.text;
    if (removal.step == Step::kClass || removal.step == Step::kSelectors)
      why = (removal.error.empty() ? "not " : "fails: ") + removal.text;
    Print(kReasonIndent, fmt::format("{} {}", removal.devices, why), 4);
    if (!removal.error.empty()) Print(kReasonIndent + 4, removal.error);
    if (removal.error.empty()) Values(removal);
    for (const planning::MissingName& missing : removal.missing)
      Print(kReasonIndent + 4, missing.ToText());
  }

  /// Prints the values that the devices have instead.
  void Values(const Removal& removal) {
    for (const planning::NameValues& have : removal.have) {
      if (have.values.size() == 1 && have.values.front().text == planning::kNoValue) continue;
      std::vector<std::string> values;
      for (size_t i = 0; i < Shown(have.values.size()); ++i) {
        const planning::Counted& value = have.values[i];
        values.push_back(removal.devices == value.count
                             ? value.text
                             : fmt::format("{} ({})", value.text, value.count));
      }
      if (Shown(have.values.size()) < have.values.size()) values.emplace_back("…");
      Print(kReasonIndent + 4, fmt::format("{} is {}", have.name.id, fmt::join(values, ", ")));
    }
  }

  void Nodes() {
    Title("nodes, the most promising first");
    for (size_t i = 0; i < Shown(explanation_.groups.size()); ++i) {
      const NodeGroup& group = explanation_.groups[i];
      Print(2, fmt::format("{}: {}", NodeCount(group), planning::ToString(group)));
      if (!group.detail.empty()) Print(6, group.detail, 0);
      Print(6, List(group.nodes), 0);
    }
    PrintMore(2, explanation_.groups.size());
    const bool is_known = answer_.verdict != planning::Verdict::kUndecided;
    if (is_known && !explanation_.closest.empty() && !explanation_.fits_when_empty)
      Print(2, "Even with nothing in use none of the nodes would do.");
  }

  static std::string NodeCount(const NodeGroup& group) {
    return fmt::format("{} {}", group.nodes.size(), Plural(group.nodes.size(), "node", "nodes"));
  }

  std::string List(const std::vector<std::string>& names) const {
    const size_t shown = Shown(names.size());
    const auto end = names.begin() + static_cast<ptrdiff_t>(shown);
    std::string list = fmt::format("{}", fmt::join(names.begin(), end, ", "));
    if (shown < names.size()) list += fmt::format(" and {} more", names.size() - shown);
    return list;
  }

  void Holders() {
    const auto& holders = explanation_.in_the_way;
    if (holders.empty() || !explanation_.fits_when_empty) return;
    Title("who has devices of node " + explanation_.closest);
    for (size_t i = 0; i < Shown(holders.size()); ++i) {
      const planning::Holder& holder = holders[i].holder;
      std::string text = "claim " + holder.claim;
      if (!holder.pods.empty())
        text +=
            fmt::format(" of {} {}", Plural(holder.pods.size(), "pod", "pods"), List(holder.pods));
      if (!holder.since.empty()) text += ", since " + holder.since;
      text += kHolderStates.at(static_cast<size_t>(holders[i].state));
      Print(2, text);
      Print(6, List(holders[i].devices), 0);
    }
    PrintMore(2, holders.size());
  }

  void Conflict() {
    if (!explanation_.conflict.has_value() || explanation_.conflict->parts.size() < 2) return;
    const auto& parts = explanation_.conflict->parts;
    Title(
        fmt::format("what cannot hold together on node {}; without any one of these the rest fits",
                    explanation_.conflict->node));
    for (size_t i = 0; i < Shown(parts.size()); ++i) {
      const planning::ConflictPart& part = parts[i];
      switch (part.kind) {
        case planning::PartKind::kRequest: Print(2, RequestText(part.claim, part.name)); break;
        case planning::PartKind::kConstraint:
          Print(2, fmt::format("the constraint {} of claim {}", part.name, part.claim));
          break;
        case planning::PartKind::kHolder:
          Print(2, fmt::format("claim {} and the devices that it has", part.claim));
          break;
      }
    }
    PrintMore(2, parts.size());
  }

  void Suggestions() {
    const auto& suggestions = explanation_.suggestions;
    if (explanation_.closest.empty()) return;
    if (suggestions.empty()) {
      if (answer_.verdict == planning::Verdict::kUndecided) return;
      out_ += "\n";
      Print(0, "No single small change would help.");
      return Hints();
    }
    Title("what would help, the smallest change first (each was tried)");
    for (size_t i = 0; i < Shown(suggestions.size()); ++i) {
      const planning::Suggestion& suggestion = suggestions[i];
      Print(2, fmt::format("- {}: {}", suggestion.text, FitsText(suggestion)));
    }
    PrintMore(2, suggestions.size());
    Hints();
  }

  /// Prints remedies that cannot be tested with the allocator alone.
  void Hints() {
    for (const std::string& hint : planning::HintsFor(explanation_)) Print(0, hint, 0);
  }

  static constexpr size_t kReasonIndent = 9;

  const planning::OfflineExplanation& answer_;
  const std::string reason_ = PrintableLines(answer_.reason);
  const Explanation& explanation_;
  const ExplainTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string TextOf(const planning::OfflineExplanation& explanation,
                   const ExplainTextOptions& options) {
  return ExplainText(explanation, options).Run();
}

std::string BriefOf(const planning::OfflineExplanation& explanation,
                    const ExplainTextOptions& options) {
  return ExplainText(explanation, options).Brief();
}

}  // namespace dray::cli::inline reports
