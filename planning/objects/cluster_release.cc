// SPDX-License-Identifier: Apache-2.0
#include "planning/objects/cluster_release.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace dray::planning::inline objects {
namespace {

/// Cuts a number off the start of the text; absent: the text starts with none.
std::optional<int> TakeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool TakeDot(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string ClusterRelease::ToString() const {
  if (minor == 0) return {};
  return patch.has_value() ? fmt::format("1.{}.{}", minor, *patch) : fmt::format("1.{}", minor);
}

ClusterRelease ReleaseIn(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  if (TakeNumber(version) != 1 || !TakeDot(version)) return {};
  const std::optional<int> minor = TakeNumber(version);
  if (!minor.has_value()) return {};
  ClusterRelease release{.minor = *minor};
  if (!TakeDot(version)) return release;
  release.patch = TakeNumber(version);
  release.is_of_vendor = !version.empty();
  return release;
}

}  // namespace dray::planning::inline objects
