// SPDX-License-Identifier: Apache-2.0
#include "server/access/escalation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/text/go_quote.h"

namespace dray::server::access {
namespace {

/// The parts of a rule in the order in which upstream expands them.
constexpr std::array kOrder = {
    RulePart::kGroups, RulePart::kResources, RulePart::kVerbs, RulePart::kNames};

bool IsNone(std::span<const uint32_t> bits) {
  return std::ranges::all_of(bits, [](uint32_t word) { return word == 0; });
}

class Check {
 public:
  Check(const Held& held, const RuleIndex& wanted, size_t shown_max)
      : held_(held), wanted_(wanted), shown_max_(shown_max) {
    for (const auto& one : held_) words32_ += one->words32();
  }

  Missing Run() {
    for (size_t rule = 0; rule < wanted_.size() && !is_over(); ++rule) {
      LookAtResources(rule);
      LookAtPaths(rule);
    }
    return std::move(missing_);
  }

 private:
  bool is_over() const { return missing_.is_undecided || missing_.has_more; }
  /// Counts work that visits a bit of each held rule.
  bool Spend(size_t times = 1) {
    steps_ += times * (words32_ + 1);
    if (steps_ > kEscalationStepsMax) missing_.is_undecided = true;
    return !missing_.is_undecided;
  }

  /// The held rules that mention a word.
  RuleBits HeldOf(RulePart part, std::string_view word) const {
    RuleBits bits(words32_);
    uint32_t* at = bits.data();
    for (const auto& one : held_) {
      switch (part) {
        case RulePart::kVerbs: one->MarkVerb(word, at); break;
        case RulePart::kGroups: one->MarkGroup(word, at); break;
        case RulePart::kResources: one->MarkResource(word, word.find('/'), at); break;
        case RulePart::kNames: one->MarkName(word, at); break;
        case RulePart::kPaths: one->MarkPath(word, at); break;
      }
      at += one->words32();
    }
    return bits;
  }
  const RuleBits& HeldOf(RulePart part, uint32_t word) {
    auto& known = known_[std::to_underlying(part)];
    const auto found = known.find(word);
    if (found != known.end()) return found->second;
    Spend();
    return known.emplace(word, HeldOf(part, wanted_.index(part).word(word))).first->second;
  }
  RuleBits Unnamed() const {
    RuleBits bits(words32_);
    uint32_t* at = bits.data();
    for (const auto& one : held_) {
      one->MarkUnnamed(at);
      at += one->words32();
    }
    return bits;
  }

  /// A part of a rule: its words, grouped by the held rules that mention them.
  struct List {
    RulePart part;
    std::vector<uint32_t> words;             // as the rule has them; none: of names, any
    std::vector<std::vector<size_t>> alike;  // groups of equivalent words, as indexes of `words`
    std::vector<RuleBits> held;              // of each of those
    RuleBits by_all;                         // the held rules that mention all words
  };

  std::optional<List> ListFor(size_t rule, RulePart part) {
    const std::span<const uint32_t> words = wanted_.words(rule, part);
    List list{.part = part, .words = {words.begin(), words.end()}};
    if (words.empty()) {
      if (part != RulePart::kNames) return std::nullopt;
      list.alike = {{0}};
      list.held = {Unnamed()};
      list.by_all = list.held.front();
      return list;
    }
    std::map<RuleBits, size_t> classes;
    list.by_all.assign(words32_, ~0U);
    for (size_t i = 0; i < words.size(); ++i) {
      if (!Spend()) return std::nullopt;
      const RuleBits& held = HeldOf(part, words[i]);
      const auto [at, is_new] = classes.emplace(held, list.alike.size());
      if (is_new) {
        list.alike.emplace_back();
        list.held.push_back(held);
      }
      list.alike[at->second].push_back(i);
      for (size_t k = 0; k < words32_; ++k) list.by_all[k] &= held[k];
    }
    return list;
  }

  using Lists = std::array<List, kOrder.size()>;
  using Chosen = std::array<size_t, kOrder.size()>;  // a class of each list

  void LookAtResources(size_t rule) {
    Lists lists;
    for (size_t i = 0; i < kOrder.size(); ++i) {
      std::optional<List> list = ListFor(rule, kOrder[i]);
      if (!list.has_value()) return;  // the list is empty, or the limit of steps is reached
      lists[i] = *std::move(list);
    }
    std::vector<Chosen> bad;
    Chosen chosen{};
    Descend(lists, 0, RuleBits(words32_, ~0U), chosen, bad);
    if (!bad.empty() && !missing_.is_undecided) Show(lists, bad);
  }

  static constexpr size_t kAll = ~size_t{0};  // classes: all of them

  /// Finds the combinations of the lists from `depth` on that the held rules in `candidates` do not
  /// cover.
  void Descend(const Lists& lists,
               size_t depth,
               const RuleBits& candidates,
               Chosen& chosen,
               std::vector<Chosen>& bad) {
    if (!Spend()) return;
    if (depth == lists.size()) {
      if (IsNone(candidates)) bad.push_back(chosen);
      return;
    }
    if (IsNone(candidates)) {  // no held rule covers any of it
      std::fill(chosen.begin() + static_cast<ptrdiff_t>(depth), chosen.end(), kAll);
      bad.push_back(chosen);
      return;
    }
    RuleBits left = candidates;
    for (size_t i = depth; i < lists.size(); ++i) And(left, lists[i].by_all);
    if (!IsNone(left)) return;  // one rule has all of it
    for (size_t i = 0; i < lists[depth].alike.size() && !is_over(); ++i) {
      chosen[depth] = i;
      left = candidates;
      And(left, lists[depth].held[i]);
      Descend(lists, depth + 1, left, chosen, bad);
    }
  }
  static void And(RuleBits& bits, const RuleBits& others) {
    for (size_t i = 0; i < bits.size(); ++i) bits[i] &= others[i];
  }

  /// Adds the combinations of `bad` to the result, in upstream's order, up to the limit.
  void Show(const Lists& lists, const std::vector<Chosen>& bad) {
    std::array<std::vector<size_t>, kOrder.size()> class_of;  // of each word
    for (size_t i = 0; i < lists.size(); ++i) {
      class_of[i].resize(std::max<size_t>(lists[i].words.size(), 1));
      for (size_t k = 0; k < lists[i].alike.size(); ++k) {
        for (const size_t at : lists[i].alike[k]) class_of[i][at] = k;
      }
    }
    const auto is_bad = [&](const Chosen& one) {
      return std::ranges::any_of(bad, [&](const Chosen& other) {
        return std::ranges::equal(
            other, one, [](size_t its, size_t ours) { return its == kAll || its == ours; });
      });
    };
    Chosen at{};  // a word of each list
    do {
      Chosen classes{};
      for (size_t i = 0; i < at.size(); ++i) classes[i] = class_of[i][at[i]];
      steps_ += bad.size();
      if (steps_ > kEscalationStepsMax) missing_.has_more = true;
      if (!missing_.has_more && is_bad(classes)) ShowOne(lists, at);
    } while (!missing_.has_more && Next(class_of, at));
  }
  static bool Next(const std::array<std::vector<size_t>, kOrder.size()>& lists, Chosen& at) {
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < lists[i].size()) return true;
      at[i] = 0;
    }
    return false;
  }
  void ShowOne(const Lists& lists, const Chosen& at) {
    if (IsFull()) return;
    Rule& part = missing_.shown.emplace_back();
    const auto word = [&](size_t list) {
      return std::string(wanted_.index(kOrder[list]).word(lists[list].words[at[list]]));
    };
    part.api_groups = {word(0)};
    part.resources = {word(1)};
    part.verbs = {word(2)};
    if (!lists[3].words.empty()) part.resource_names = {word(3)};
  }
  bool IsFull() {
    if (missing_.shown.size() == shown_max_) missing_.has_more = true;
    return missing_.has_more;
  }

  // Rules for paths have only verbs besides, so their combinations are pairs of words.
  void LookAtPaths(size_t rule) {
    const RuleBits unnamed = Unnamed();
    for (const uint32_t path : wanted_.words(rule, RulePart::kPaths)) {
      for (const uint32_t verb : wanted_.words(rule, RulePart::kVerbs)) {
        if (!Spend()) return;
        RuleBits left = unnamed;
        And(left, HeldOf(RulePart::kPaths, path));
        And(left, HeldOf(RulePart::kVerbs, verb));
        if (!IsNone(left)) continue;
        if (IsFull()) return;
        Rule& part = missing_.shown.emplace_back();
        part.non_resource_urls = {std::string(wanted_.index(RulePart::kPaths).word(path))};
        part.verbs = {std::string(wanted_.index(RulePart::kVerbs).word(verb))};
      }
    }
  }

  const Held& held_;
  const RuleIndex& wanted_;
  const size_t shown_max_;
  size_t words32_ = 0;  // of all that is held
  size_t steps_ = 0;
  std::array<std::map<uint32_t, RuleBits>, kRuleParts> known_;
  Missing missing_;
};

/// Parts of one resource and name become one rule with all their verbs.
Rules Compact(const Rules& parts) {
  Rules compact;
  std::map<std::tuple<std::string_view, std::string_view, bool, std::string_view>, size_t> places;
  for (const Rule& part : parts) {
    if (!part.non_resource_urls.empty()) {
      compact.push_back(part);
      continue;
    }
    const bool is_named = !part.resource_names.empty();
    const auto [place, is_new] = places.emplace(
        std::tuple(std::string_view(part.api_groups.front()),
                   std::string_view(part.resources.front()),
                   is_named,
                   is_named ? std::string_view(part.resource_names.front()) : std::string_view()),
        compact.size());
    if (is_new) {
      compact.push_back(part);
    } else {
      auto& verbs = compact[place->second].verbs;
      verbs.insert(verbs.end(), part.verbs.begin(), part.verbs.end());
    }
  }
  return compact;
}

template <class Texts>
std::string Quoted(const Texts& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(api::GoQuote(text));
  return fmt::format("[{}]", fmt::join(quoted, " "));
}

std::string Words(const Rule& rule) {
  std::vector<std::string> members;
  const auto say = [&](std::string_view name, const auto& texts) {
    if (!texts.empty()) members.push_back(fmt::format("{}:{}", name, Quoted(texts)));
  };
  say("APIGroups", rule.api_groups);
  say("Resources", rule.resources);
  say("NonResourceURLs", rule.non_resource_urls);
  say("ResourceNames", rule.resource_names);
  say("Verbs", rule.verbs);
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

}  // namespace

Missing Uncovered(const Held& held, const RuleIndex& wanted, size_t shown_max) {
  return Check(held, wanted, shown_max).Run();
}

std::string EscalationText(const User& user, const Missing& missing) {
  std::set<std::string> lines;
  for (const Rule& rule : Compact(missing.shown)) lines.insert(Words(rule));
  std::string text = fmt::format(
      "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
      api::GoQuote(user.name),
      Quoted(user.groups),
      fmt::join(lines, "\n"));
  if (missing.has_more) text += fmt::format("\n(and more: {} are shown)", missing.shown.size());
  if (missing.is_undecided) {
    text += fmt::format(
        "to compare the rules takes more than {} steps: give fewer rules, or those "
        "that fewer other rules speak of",
        kEscalationStepsMax);
  }
  return text;
}

}  // namespace dray::server::access
