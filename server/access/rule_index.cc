// SPDX-License-Identifier: Apache-2.0
#include "server/access/rule_index.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

namespace dray::server::access {
namespace {

constexpr std::string_view kAnything = "*";
constexpr uint32_t kBitsOfWord = 32;

using RuleWords = std::vector<std::pair<std::string_view, uint32_t>>;

const api::List<std::string>& ListOf(const Rule& rule, RulePart part) {
  switch (part) {
    case RulePart::kVerbs: return rule.verbs;
    case RulePart::kGroups: return rule.api_groups;
    case RulePart::kResources: return rule.resources;
    case RulePart::kNames: return rule.resource_names;
    case RulePart::kPaths: break;
  }
  return rule.non_resource_urls;
}

constexpr std::array kParts = {
    RulePart::kVerbs, RulePart::kGroups, RulePart::kResources, RulePart::kNames, RulePart::kPaths};

/// A text that is equal for two rules only if the rules are equal.
std::string TextOf(const Rule& rule) {
  std::string text;
  for (const RulePart part : kParts) {
    const auto& list = ListOf(rule, part);
    text += fmt::format("{}[", list.size());
    for (const std::string& word : list) text += fmt::format("{}:{}", word.size(), word);
  }
  return text;
}

std::vector<const Rule*> Different(std::span<const Rule> rules) {
  std::vector<const Rule*> different;
  std::unordered_set<std::string> known;
  for (const Rule& rule : rules) {
    if (known.insert(TextOf(rule)).second) different.push_back(&rule);
  }
  return different;
}

void SetBit(uint32_t* bits, uint32_t number) {
  bits[number / kBitsOfWord] |= 1U << (number % kBitsOfWord);
}

std::string_view WithoutStars(std::string_view path) {
  while (path.ends_with('*')) path.remove_suffix(1);
  return path;
}

}  // namespace

// ------------------------------------------------------------------------------------- one list

WordIndex::WordIndex(RuleWords words, size_t rules) {
  std::ranges::sort(words);
  const auto [first, last] = std::ranges::unique(words);
  words.erase(first, last);
  const size_t words32 = (rules + kBitsOfWord - 1) / kBitsOfWord;
  for (size_t i = 0; i < words.size();) {
    const std::string_view word = words[i].first;
    size_t end = i;
    while (end < words.size() && words[end].first == word) ++end;
    begins_.push_back(static_cast<uint32_t>(text_.size()));
    rules_begin_.push_back(static_cast<uint32_t>(rules_.size()));
    text_ += word;
    is_bits_.push_back(end - i > words32);
    if (is_bits_.back()) {
      const size_t at = rules_.size();
      rules_.resize(at + words32);
      for (; i < end; ++i) SetBit(&rules_[at], words[i].second);
    } else {
      for (; i < end; ++i) rules_.push_back(words[i].second);
    }
  }
  begins_.push_back(static_cast<uint32_t>(text_.size()));
  rules_begin_.push_back(static_cast<uint32_t>(rules_.size()));
  for (auto* const part : {&begins_, &rules_begin_, &rules_}) part->shrink_to_fit();
  text_.shrink_to_fit();
}

size_t WordIndex::Find(std::string_view wanted) const {
  size_t low = 0;
  size_t high = size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (word(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < size() && word(low) == wanted ? low : size();
}

void WordIndex::Mark(std::string_view wanted, uint32_t* bits) const {
  const size_t number = Find(wanted);
  if (number == size()) return;
  const std::span<const uint32_t> rules(rules_.data() + rules_begin_[number],
                                        rules_begin_[number + 1] - rules_begin_[number]);
  if (is_bits_[number]) {
    for (size_t i = 0; i < rules.size(); ++i) bits[i] |= rules[i];
  } else {
    for (const uint32_t one : rules) SetBit(bits, one);
  }
}

// ------------------------------------------------------------------------------------ all rules

RuleIndex::RuleIndex(std::span<const Rule> all) {
  const std::vector<const Rule*> rules = Different(all);
  size_ = rules.size();
  unnamed_.assign(words32(), 0);
  std::array<RuleWords, kRuleParts> words;
  RuleWords prefixes;
  for (uint32_t i = 0; i < size_; ++i) {
    for (const RulePart part : kParts) {
      for (const std::string& word : ListOf(*rules[i], part)) {
        words[std::to_underlying(part)].emplace_back(word, i);
      }
    }
    if (rules[i]->resource_names.empty()) SetBit(unnamed_.data(), i);
    for (const std::string& path : rules[i]->non_resource_urls) {
      if (path.ends_with('*')) prefixes.emplace_back(WithoutStars(path), i);
    }
  }
  std::set<size_t> lengths;
  for (const auto& [prefix, rule] : prefixes) lengths.insert(prefix.size());
  prefix_lengths_.assign(lengths.begin(), lengths.end());
  for (RuleWords& one : words) indexes_.emplace_back(std::move(one), size_);
  prefixes_.emplace_back(std::move(prefixes), size_);
  for (const Rule* const rule : rules) {
    for (const RulePart part : kParts) {
      lists_begin_.push_back(static_cast<uint32_t>(lists_.size()));
      for (const std::string& word : ListOf(*rule, part)) {
        lists_.push_back(static_cast<uint32_t>(index(part).Find(word)));
      }
    }
  }
  lists_begin_.push_back(static_cast<uint32_t>(lists_.size()));
  lists_.shrink_to_fit();
}

std::span<const uint32_t> RuleIndex::words(size_t number, RulePart part) const {
  const size_t at = number * kRuleParts + std::to_underlying(part);
  return {lists_.data() + lists_begin_[at], lists_begin_[at + 1] - lists_begin_[at]};
}

Rule RuleIndex::rule(size_t number) const {
  Rule rule;
  const auto fill = [&](RulePart part, auto& list) {
    for (const uint32_t word : words(number, part)) list.emplace_back(index(part).word(word));
  };
  fill(RulePart::kVerbs, rule.verbs);
  fill(RulePart::kGroups, rule.api_groups);
  fill(RulePart::kResources, rule.resources);
  fill(RulePart::kNames, rule.resource_names);
  fill(RulePart::kPaths, rule.non_resource_urls);
  return rule;
}

size_t RuleIndex::TextBytes(size_t number) const {
  size_t bytes = 0;
  for (const RulePart part : kParts) {
    for (const uint32_t word : words(number, part)) bytes += index(part).word(word).size();
  }
  return bytes;
}

void RuleIndex::MarkVerb(std::string_view verb, uint32_t* bits) const {
  index(RulePart::kVerbs).Mark(kAnything, bits);
  index(RulePart::kVerbs).Mark(verb, bits);
}

void RuleIndex::MarkGroup(std::string_view group, uint32_t* bits) const {
  index(RulePart::kGroups).Mark(kAnything, bits);
  index(RulePart::kGroups).Mark(group, bits);
}

void RuleIndex::MarkResource(std::string_view resource, size_t slash, uint32_t* bits) const {
  const WordIndex& resources = index(RulePart::kResources);
  resources.Mark(kAnything, bits);
  resources.Mark(resource, bits);
  if (slash == std::string_view::npos) return;
  resources.Mark(fmt::format("*{}", resource.substr(slash)), bits);
}

void RuleIndex::MarkName(std::string_view name, uint32_t* bits) const {
  MarkUnnamed(bits);
  index(RulePart::kNames).Mark(name, bits);
}

void RuleIndex::MarkUnnamed(uint32_t* bits) const {
  for (size_t i = 0; i < unnamed_.size(); ++i) bits[i] |= unnamed_[i];
}

void RuleIndex::MarkPath(std::string_view path, uint32_t* bits) const {
  index(RulePart::kPaths).Mark(path, bits);
  for (const size_t length : prefix_lengths_) {
    if (length > path.size()) return;
    prefixes_.front().Mark(path.substr(0, length), bits);
  }
}

}  // namespace dray::server::access
