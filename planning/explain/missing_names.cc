// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/missing_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::planning::inline explain {
namespace {

using cel::DeviceName;

/// Whether the message is about this key. Advice may follow after a full stop.
bool IsAbout(std::string_view message, const DeviceName& name) {
  constexpr std::string_view kNoKey = "no such key: ";
  const size_t at = message.find(kNoKey);
  if (at == std::string_view::npos) return false;
  const std::string_view key = message.substr(at + kNoKey.size());
  const std::string_view behind = key.starts_with(name.id) ? key.substr(name.id.size()) : "?";
  return behind.empty() || behind.starts_with(". ");
}

MissingName About(const DeviceName& name, const Survey& survey) {
  return {.name = name,
          .devices = survey.names.On(name),
          .total = survey.devices,
          .suggestions = survey.names.Near(name)};
}

}  // namespace

std::string MissingName::ToText() const {
  std::string text =
      fmt::format("{} exists on {} of {} devices", name.ToExpression(), devices, total);
  if (suggestions.empty()) return text;
  text += ", did you mean ";
  for (size_t i = 0; i < suggestions.size(); ++i) {
    const std::string_view separator = i == 0 ? "" : i + 1 == suggestions.size() ? " or " : ", ";
    text += fmt::format(
        "{}{} (on {})", separator, suggestions[i].name.ToExpression(), suggestions[i].devices);
  }
  return text + '?';
}

std::vector<MissingName> MissingIn(std::string_view message,
                                   std::span<const DeviceName> names,
                                   const Survey& survey) {
  std::vector<MissingName> missing;
  for (const DeviceName& name : names) {
    if (survey.names.On(name) < survey.devices && IsAbout(message, name)) {
      missing.push_back(About(name, survey));
    }
  }
  return missing;
}

std::vector<MissingName> MissingQuietly(std::span<const DeviceName> names, const Survey& survey) {
  std::vector<MissingName> missing;
  if (survey.devices == 0) return missing;
  for (const DeviceName& name : names) {
    const bool is_reported = std::ranges::any_of(
        survey.failures, [&](const Counted& failure) { return IsAbout(failure.text, name); });
    if (!is_reported && survey.names.On(name) == 0) missing.push_back(About(name, survey));
  }
  return missing;
}

}  // namespace dray::planning::inline explain
