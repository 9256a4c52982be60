// SPDX-License-Identifier: Apache-2.0
#include "cel/cost/paths.h"

#include <algorithm>

namespace dray::cel::cost {

Path Paths::Root(std::string_view name) {
  arrays_.push_back({name});
  return {.array = static_cast<uint32_t>(arrays_.size() - 1), .length = 1};
}

Path Paths::Extend(const Path& path, std::string_view step) {
  if (path.is_none()) return Root(step);
  if (path.length < arrays_[path.array].size()) {
    arrays_[path.array][path.length] = step;
    return {.array = path.array, .length = path.length + 1};
  }
  std::vector<std::string_view> longer(size_t{2} * path.length);
  std::ranges::copy(PartsOf(path), longer.begin());
  longer[path.length] = step;
  arrays_.push_back(std::move(longer));
  return {.array = static_cast<uint32_t>(arrays_.size() - 1), .length = path.length + 1};
}

std::optional<SizeRange> Paths::SizeOf(const SizeSource& sizes,
                                       const Path& path,
                                       std::string_view step) const {
  if (path.is_none()) return std::nullopt;
  if (step.empty()) return sizes.SizeOf(PartsOf(path));
  const std::span<const std::string_view> parts = PartsOf(path);
  std::vector<std::string_view> longer(parts.begin(), parts.end());
  longer.push_back(step);
  return sizes.SizeOf(longer);
}

}  // namespace dray::cel::cost
