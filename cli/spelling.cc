// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace dray::cli {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

size_t SpellingDistance(std::string_view a, std::string_view b) {
  const std::string left = Lower(a);
  const std::string right = Lower(b);
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

}  // namespace dray::cli
