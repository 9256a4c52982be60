// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/explain_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace dray::cli::inline reports {
namespace {

using planning::OfflineExplanation;

/// Whether the character can be part of a name in Kubernetes.
bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/// Where a name is masked: only as a whole word, or also at the start of a longer name before a
/// dash, as in names of a pod's claims.
enum class Masking : uint8_t { kWhole, kBeginnings };

/// `text` with each `name` replaced by `mark`.
std::string Masked(std::string_view text,
                   std::string_view name,
                   std::string_view mark,
                   Masking masking = Masking::kWhole) {
  std::string masked;
  size_t from = 0;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, from)) {
    const size_t end = at + name.size();
    const bool ends = end == text.size() || !IsOfName(text[end]) ||
                      (masking == Masking::kBeginnings && text[end] == '-');
    const bool is_whole = ends && (at == 0 || !IsOfName(text[at - 1]));
    masked += text.substr(from, at - from);
    masked += is_whole ? mark : name;
    from = end;
  }
  masked += text.substr(from);
  return masked;
}

/// "default/a" of "pod default/a".
std::string_view NameOf(const OfflineExplanation& answer) {
  const std::string_view what = answer.what;
  return what.substr(what.find(' ') + 1);
}

/// The whole answer, without the names of the pod or claim and of its claims.
std::string KeyOf(const OfflineExplanation& answer, const ExplainTextOptions& options) {
  constexpr size_t kNoWrapping = 1'000'000;
  ExplainTextOptions whole = options;
  whole.all = true;
  whole.columns = kNoWrapping;
  std::string key = Masked(TextOf(answer, whole), NameOf(answer), "\1");
  std::set<std::string_view> seen;
  for (const planning::Funnel& funnel : answer.explanation.funnels) {
    if (!seen.insert(funnel.claim).second) continue;
    key = Masked(key, funnel.claim, fmt::format("\2{}", seen.size()));
  }
  const std::string_view name = NameOf(answer);
  return Masked(key, name.substr(name.find('/') + 1), "\3", Masking::kBeginnings);
}

std::vector<std::string> NamesOf(std::span<const OfflineExplanation> answers,
                                 const ExplanationGroup& group) {
  std::vector<std::string> names;
  names.reserve(group.size());
  for (const size_t place : group) names.emplace_back(NameOf(answers[place]));
  return names;
}

size_t LinesIn(std::string_view text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

std::vector<ExplanationGroup> GroupsOf(std::span<const OfflineExplanation> answers) {
  std::vector<ExplanationGroup> groups;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto [place, is_new] = places.emplace(KeyOf(answers[i], {}), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

std::string TextOf(std::span<const OfflineExplanation> answers,
                   std::span<const ExplanationGroup> groups,
                   const ExplainTextOptions& options) {
  std::string text;
  for (const ExplanationGroup& group : groups) {
    if (!text.empty()) text += '\n';
    ExplainTextOptions of_group = options;
    of_group.names = NamesOf(answers, group);
    text += TextOf(answers[group.front()], of_group);
  }
  return text;
}

std::string BriefOf(std::span<const OfflineExplanation> answers,
                    std::span<const ExplanationGroup> groups,
                    const ExplainTextOptions& options) {
  constexpr size_t kLastLines = 3;  // about the groups left out, and how to see them
  std::vector<ExplanationGroup> order(groups.begin(), groups.end());
  std::ranges::sort(order, {}, [](const ExplanationGroup& group) {
    return std::pair(-static_cast<std::ptrdiff_t>(group.size()), group.front());
  });
  std::string text;
  size_t shown = 0;
  for (; shown < order.size(); ++shown) {
    ExplainTextOptions of_group = options;
    of_group.names = NamesOf(answers, order[shown]);
    const std::string entry = BriefOf(answers[order[shown].front()], of_group);
    if (LinesIn(text) + LinesIn(entry) + kLastLines > kBriefLinesMax) break;
    text += entry;
  }
  size_t left = 0;
  for (size_t i = shown; i < order.size(); ++i) left += order[i].size();
  if (left > 0)
    text += fmt::format("… and {} more, for {} other reasons\n", left, order.size() - shown);
  return fmt::format("{}\n{}\n", text, options.more);
}

std::string TextOfAll(std::span<const OfflineExplanation> answers,
                      const ExplainTextOptions& options,
                      Length length) {
  if (options.all || answers.size() == 1) {
    std::vector<ExplanationGroup> each;
    each.reserve(answers.size());
    for (size_t i = 0; i < answers.size(); ++i) each.push_back({i});
    return TextOf(answers, each, options);
  }
  const std::vector<ExplanationGroup> groups = GroupsOf(answers);
  std::string text = TextOf(answers, groups, options);
  if (length == Length::kWhole || LinesIn(text) <= kBriefLinesMax) return text;
  return BriefOf(answers, groups, options);
}

}  // namespace dray::cli::inline reports
