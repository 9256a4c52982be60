// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/keyed_selector.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace dray::scheduler::inline cluster {
namespace {

using Values = std::vector<std::string_view>;

bool Has(const Values& values, std::string_view value) {
  return std::ranges::binary_search(values, value);
}

void Limit(KeyedSelector::Rule& rule, Values values) {
  if (std::exchange(rule.is_limited, true)) {
    Values both;
    std::ranges::set_intersection(rule.allowed, values, std::back_inserter(both));
    rule.allowed = std::move(both);
  } else {
    rule.allowed = std::move(values);
  }
}

/// The intersection of both rules.
void Join(KeyedSelector::Rule& rule, KeyedSelector::Rule other) {
  rule.must_exist = rule.must_exist || other.must_exist;
  rule.must_be_absent = rule.must_be_absent || other.must_be_absent;
  if (other.is_limited) Limit(rule, std::move(other.allowed));
  std::ranges::move(other.forbidden, std::back_inserter(rule.forbidden));
}

bool Admits(const KeyedSelector::Rule& rule, std::string_view value) {
  if (rule.must_be_absent || Has(rule.forbidden, value)) return false;
  return !rule.is_limited || Has(rule.allowed, value);
}

/// Whether the requirement is valid. Invalid keys and values are not detected; no label matches
/// them.
bool IsSound(const api::meta_v1::LabelSelectorRequirement& one) {
  if (one.operator_ == "In" || one.operator_ == "NotIn") return !one.values.empty();
  return one.values.empty() && (one.operator_ == "Exists" || one.operator_ == "DoesNotExist");
}

}  // namespace

KeyedSelector::KeyedSelector(const api::Maybe<api::meta_v1::LabelSelector>& selector) {
  nothing_ = !selector.has_value() || !std::ranges::all_of(selector->match_expressions, IsSound);
  if (nothing_) return;
  for (const auto& [key, value] : selector->match_labels) Add(key, "In", {value});
  for (const auto& one : selector->match_expressions) {
    Add(one.key, one.operator_, Values(one.values.begin(), one.values.end()));
  }
  PutTogether();
}

void KeyedSelector::Add(std::string_view key, std::string_view op, Values values) {
  std::ranges::sort(values);
  Rule rule{.key = key};
  if (op == "In") {
    rule.must_exist = true;
    Limit(rule, std::move(values));
  } else if (op == "NotIn") {
    rule.forbidden = std::move(values);
  } else if (op == "Exists") {
    rule.must_exist = true;
  } else {
    rule.must_be_absent = true;
  }
  rules_.push_back(std::move(rule));
}

void KeyedSelector::PutTogether() {
  std::ranges::sort(rules_, {}, &Rule::key);
  std::vector<Rule> joined;
  for (Rule& rule : rules_) {
    if (joined.empty() || joined.back().key != rule.key) {
      joined.push_back(std::move(rule));
    } else {
      Join(joined.back(), std::move(rule));
    }
  }
  for (Rule& rule : joined) {
    std::ranges::sort(rule.forbidden);
    if (rule.must_exist) ++musts_;
  }
  joined.shrink_to_fit();
  rules_ = std::move(joined);
}

bool KeyedSelector::Matches(const api::Labels& labels) const {
  if (nothing_ || labels.size() < musts_) return false;
  size_t musts = 0;
  if (labels.size() < rules_.size()) {
    for (const auto& [key, value] : labels) {
      const auto rule = std::ranges::lower_bound(rules_, std::string_view(key), {}, &Rule::key);
      if (rule == rules_.end() || rule->key != key) continue;
      if (!Admits(*rule, value)) return false;
      if (rule->must_exist) ++musts;
    }
    return musts == musts_;
  }
  return std::ranges::all_of(rules_, [&](const Rule& rule) {
    const auto label = labels.find(rule.key);
    return label == labels.end() ? !rule.must_exist : Admits(rule, label->second);
  });
}

uint64_t KeyedSelector::WorkOfMatching(const api::Labels& labels) const {
  constexpr uint64_t kPerComparison = 8;
  const size_t fewer = std::min(labels.size(), rules_.size());
  const size_t more = std::max(labels.size(), rules_.size());
  return kPerComparison * (1 + uint64_t{fewer} * (2 + uint64_t{std::bit_width(more)}));
}

}  // namespace dray::scheduler::inline cluster
