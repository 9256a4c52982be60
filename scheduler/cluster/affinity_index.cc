// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/affinity_index.h"

#include <algorithm>
#include <utility>

namespace dray::scheduler::inline cluster {
namespace {

constexpr std::string_view kAnyNamespace = "*";  // no namespace has that name

/// The key of a place. Names of namespaces and keys of labels do not contain the separators.
std::string PlaceText(std::string_view namespace_name) {
  return std::string(namespace_name) + '\n';
}
std::string PlaceText(std::string_view namespace_name, std::string_view key) {
  return PlaceText(namespace_name).append(key);
}
std::string PlaceText(std::string_view namespace_name,
                      std::string_view key,
                      std::string_view value) {
  return PlaceText(namespace_name, key).append("=").append(value);
}

/// The required label with the fewest allowed values; null: no label is required.
const KeyedSelector::Rule* Narrowest(const KeyedSelector& selector) {
  const KeyedSelector::Rule* narrowest = nullptr;
  const auto values = [](const KeyedSelector::Rule& rule) {
    return rule.is_limited ? rule.allowed.size() : SIZE_MAX;
  };
  for (const KeyedSelector::Rule& rule : selector.rules()) {
    if (!rule.must_exist) continue;
    if (narrowest == nullptr || values(rule) < values(*narrowest)) narrowest = &rule;
  }
  return narrowest;
}

/// Calls `visit` with each place of the term.
template <class Visit>
void ForEachPlace(const AffinityTerm& term, Visit visit) {
  if (term.selector.IsNothing()) return;
  const KeyedSelector::Rule* const label = Narrowest(term.selector);
  const auto in_namespace = [&](std::string_view name) {
    if (label == nullptr) {
      visit(PlaceText(name));
    } else if (label->is_limited && label->allowed.size() <= AffinityIndex::kPlacesMax) {
      for (const std::string_view value : label->allowed) visit(PlaceText(name, label->key, value));
    } else {
      visit(PlaceText(name, label->key));
    }
  };
  if (term.namespace_selector || term.namespaces.size() > AffinityIndex::kPlacesMax) {
    return in_namespace(kAnyNamespace);
  }
  for (const std::string_view name : term.namespaces) in_namespace(name);
}

template <class Visit>
void ForEachPlace(const AffinityRules& rules, Visit visit) {
  for (const auto* terms :
       {&rules.required(), &rules.forbidden(), &rules.preferred(), &rules.disliked()}) {
    for (const AffinityTerm& term : *terms) ForEachPlace(term, visit);
  }
}

}  // namespace

void AffinityIndex::Add(const AffinityRules& rules) {
  ForEachPlace(rules, [&](std::string place) { ++places_[std::move(place)][&rules]; });
}

void AffinityIndex::Remove(const AffinityRules& rules) {
  ForEachPlace(rules, [&](const std::string& place) {
    const auto found = places_.find(place);
    if (found == places_.end()) return;
    const auto known = found->second.find(&rules);
    if (known == found->second.end() || --known->second > 0) return;
    found->second.erase(known);
    if (found->second.empty()) places_.erase(found);
  });
}

std::vector<const AffinityRules*> AffinityIndex::About(const api::core_v1::Pod& pod) const {
  std::vector<const AffinityRules*> about;
  if (places_.empty()) return about;
  const auto look = [&](const std::string& place) {
    const auto found = places_.find(place);
    if (found == places_.end()) return;
    for (const auto& [rules, count] : found->second) about.push_back(rules);
  };
  for (const std::string_view name : {std::string_view(pod.metadata.namespace_), kAnyNamespace}) {
    look(PlaceText(name));
    for (const auto& [key, value] : pod.metadata.labels) {
      look(PlaceText(name, key));
      look(PlaceText(name, key, value));
    }
  }
  std::ranges::sort(about, ByUid());
  about.erase(std::ranges::unique(about).begin(), about.end());
  return about;
}

}  // namespace dray::scheduler::inline cluster
