// SPDX-License-Identifier: Apache-2.0
// An index of the rules of a role: for each word (a verb, a group, a resource, a name, a path), the
// rules that have it.
//
// A word's rules are a list of their numbers, or a bit for each rule once that is shorter. So an
// index is about four times as large as its text, and finding the rules with one of a few words
// takes a step for each 32 rules. Equal rules are stored once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rbac_v1.h"

namespace dray::server::access {

using Rule = api::rbac_v1::PolicyRule;
using Rules = std::vector<Rule>;

/// A bit for each rule, 32 in a word.
using RuleBits = std::vector<uint32_t>;

/// The rules that have a word in one of their lists. Immutable.
class WordIndex {
 public:
  /// Words of rules, in any order; views that live as long as the call.
  WordIndex(std::vector<std::pair<std::string_view, uint32_t>> words, size_t rules);

  size_t size() const { return begins_.size() - 1; }
  /// The words are in alphabetical order.
  std::string_view word(size_t number) const {
    return std::string_view(text_).substr(begins_[number], begins_[number + 1] - begins_[number]);
  }
  /// The word's number; size() if it is not in the index. O(log words).
  size_t Find(std::string_view word) const;
  /// Sets the bits of the rules that have `word`. O(log words + rules/32).
  void Mark(std::string_view word, uint32_t* bits) const;

 private:
  std::string text_;  // all words
  std::vector<uint32_t> begins_, rules_begin_;
  std::vector<uint32_t> rules_;
  std::vector<bool> is_bits_;
};

/// The lists that a rule has.
enum class RulePart : uint8_t { kVerbs, kGroups, kResources, kNames, kPaths };
inline constexpr size_t kRuleParts = 5;

/// Immutable; safe from any thread.
class RuleIndex {
 public:
  /// O(text × log text), in time and while it is made in memory.
  explicit RuleIndex(std::span<const Rule> rules);

  /// Number of distinct rules, in the order in which they were given.
  size_t size() const { return size_; }
  size_t words32() const { return (size_ + 31) / 32; }
  Rule rule(size_t number) const;
  /// Bytes of the texts of a rule.
  size_t TextBytes(size_t number) const;

  const WordIndex& index(RulePart part) const { return indexes_[std::to_underlying(part)]; }
  /// The numbers of the words in one part of a rule, in the rule's order.
  std::span<const uint32_t> words(size_t number, RulePart part) const;

  // Each sets the bits of the rules that match its argument, or match everything.

  void MarkVerb(std::string_view verb, uint32_t* bits) const;
  void MarkGroup(std::string_view group, uint32_t* bits) const;
  /// `resource` with its subresource, which follows the slash at `slash`; npos if it has none.
  void MarkResource(std::string_view resource, size_t slash, uint32_t* bits) const;
  void MarkName(std::string_view name, uint32_t* bits) const;
  /// For rules without names only.
  void MarkUnnamed(uint32_t* bits) const;
  void MarkPath(std::string_view path, uint32_t* bits) const;

 private:
  size_t size_ = 0;
  std::vector<WordIndex> indexes_;  // by RulePart
  std::vector<uint32_t> lists_begin_, lists_;
  RuleBits unnamed_;
  // Paths that end in '*', without it.
  std::vector<WordIndex> prefixes_;  // one
  std::vector<size_t> prefix_lengths_;
};

}  // namespace dray::server::access
