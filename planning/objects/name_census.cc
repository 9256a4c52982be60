// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/name_census.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text/spelling.h"

namespace dray::planning::inline objects {
namespace {

using cel::DeviceName;

/// Whether one of two different texts may be a typing mistake for the other.
bool AreAlike(std::string_view a, std::string_view b, size_t distance) {
  return distance <= a.size() / 3 + 1 && distance < std::max(a.size(), b.size());
}

/// Lower is more likely: spelling mistakes in the id, wrong section or domain, spelling mistakes in
/// the domain.
using Score = std::tuple<size_t, size_t, size_t>;

std::optional<Score> Compare(const DeviceName& wanted, const DeviceName& other) {
  const size_t id = SpellingDistance(wanted.id, other.id);
  const size_t domain = SpellingDistance(wanted.domain, other.domain);
  const size_t moves = (wanted.section != other.section ? 1 : 0) + (domain != 0 ? 1 : 0);
  if (id != 0) {
    if (!AreAlike(wanted.id, other.id, id)) return std::nullopt;
    if (domain != 0 && !AreAlike(wanted.domain, other.domain, domain)) return std::nullopt;
  }
  return Score(id, moves, domain);
}

}  // namespace

void NameCensus::Add(const cel::Device& device) {
  for (DeviceName& name : cel::NamesOf(device)) ++counts_[std::move(name)];
}

size_t NameCensus::On(const DeviceName& name) const {
  const auto found = counts_.find(name);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<CountedName> NameCensus::Near(const DeviceName& name) const {
  const bool exists = On(name) > 0;
  std::vector<std::pair<Score, CountedName>> candidates;
  for (const auto& [other, count] : counts_) {
    if (other == name || (exists && other.id != name.id)) continue;
    const auto score = Compare(name, other);
    if (score.has_value()) candidates.push_back({*score, {other, count}});
  }
  // Equally likely names are sorted by name.
  std::ranges::sort(candidates, {}, [](const auto& candidate) {
    return std::tie(candidate.first, candidate.second.name);
  });
  std::vector<CountedName> near;
  for (auto& [score, candidate] : candidates) {
    if (near.size() < kSuggestionsMax) near.push_back(std::move(candidate));
  }
  return near;
}

}  // namespace dray::planning::inline objects
