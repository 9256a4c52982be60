// SPDX-License-Identifier: Apache-2.0
#include "base/text/spelling.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/ascii.h"

namespace dray::inline text {

size_t SpellingDistance(std::string_view a, std::string_view b) {
  const std::string left = LowerAscii(a);
  const std::string right = LowerAscii(b);
  std::vector<size_t> row(right.size() + 1);
  for (size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (size_t i = 1; i <= left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string NearestName(std::string_view name, std::span<const std::string> names) {
  const auto distance = [&](const std::string& known) { return SpellingDistance(known, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  if (nearest == names.end()) return {};
  const size_t letters = std::max(nearest->size(), name.size());
  const size_t slips_max = letters < 4 ? 1 : std::max<size_t>(2, letters / 3);
  return distance(*nearest) > slips_max ? std::string() : *nearest;
}

std::string MeantName(std::string_view name, std::span<const std::string> names) {
  const std::string nearest = NearestName(name, names);
  return nearest.empty() ? nearest : fmt::format("; did you mean {}?", nearest);
}

std::string KnownNames(std::string_view name, std::span<const std::string> names) {
  constexpr size_t kNamesShownMax = 10;
  if (names.empty()) return "it has none";
  const std::span<const std::string> shown = names.first(std::min(names.size(), kNamesShownMax));
  std::string text = fmt::format("it has {}", fmt::join(shown, ", "));
  if (shown.size() < names.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  const auto nearest = std::ranges::min_element(
      names, {}, [&](const std::string& known) { return SpellingDistance(known, name); });
  return text + fmt::format(": did you mean {}?", *nearest);
}

}  // namespace dray::inline text
