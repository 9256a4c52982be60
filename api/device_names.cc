// SPDX-License-Identifier: Apache-2.0
#include "api/device_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "api/text/names.h"

namespace dray::api {
namespace {

using Problems = std::vector<NameProblem>;

NameProblem Required(std::string detail = {}) {
  return {.kind = NameProblem::Kind::kRequired, .detail = std::move(detail)};
}
NameProblem TooLong(size_t max) {
  return {.kind = NameProblem::Kind::kTooLong, .max = max};
}
NameProblem Invalid(std::string_view value, std::string detail) {
  return {.kind = NameProblem::Kind::kInvalid,
          .value = std::string(value),
          .detail = std::move(detail)};
}

void AddInvalid(std::string_view value, NameErrors errors, Problems& problems) {
  for (std::string& error : errors) problems.push_back(Invalid(value, std::move(error)));
}

void Append(Problems more, Problems& problems) {
  std::ranges::move(more, std::back_inserter(problems));
}

// Whether `release` is `minor` (36 for 1.36) or newer.
bool IsSince(Release release, uint8_t minor) {
  return Releases{.first = minor}.Rules(release);
}

Problems CheckDeviceIdentifier(std::string_view name, Release release) {
  Problems problems;
  if (name.size() > kDeviceIdentifierMax) problems.push_back(TooLong(kDeviceIdentifierMax));
  for (std::string& error : CheckCIdentifier(name)) {
    problems.push_back(Invalid(name, std::move(error)));
    if (!IsSince(release, 34)) problems.back().kind = NameProblem::Kind::kTypeInvalid;
  }
  return problems;
}

// The error for an empty part before or after the slash.
NameProblem EmptyPart(std::string_view part, Release release) {
  if (IsSince(release, 35)) return Invalid("", fmt::format("the {} must not be empty", part));
  if (part == "domain" && !IsSince(release, 32)) part = "prefix";
  return Required(fmt::format("the {} must not be empty", part));
}

std::vector<std::string_view> SplitAtSlashes(std::string_view name) {
  std::vector<std::string_view> parts;
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/')) {
    parts.push_back(name.substr(0, slash));
    name.remove_prefix(slash + 1);
  }
  parts.push_back(name);
  return parts;
}

}  // namespace

Problems CheckDriverName(std::string_view name, Release release) {
  Problems problems;
  if (name.empty()) {
    problems.push_back(Required());
    if (IsSince(release, 35)) return problems;
  }
  if (name.size() > kDriverNameMax) problems.push_back(TooLong(kDriverNameMax));
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  AddInvalid(name, CheckDnsSubdomain(lower), problems);
  return problems;
}

Problems CheckPoolName(std::string_view name) {
  if (name.empty()) return {Required()};
  Problems problems;
  if (name.size() > kPoolNameMax) problems.push_back(TooLong(kPoolNameMax));
  for (const std::string_view part : SplitAtSlashes(name)) {
    AddInvalid(part, CheckDnsSubdomain(part), problems);
  }
  return problems;
}

Problems CheckPoolNameSegments(std::string_view name) {
  Problems problems;
  if (name.size() > kPoolNameMax) problems.push_back(TooLong(kPoolNameMax));
  const std::vector<std::string_view> parts = SplitAtSlashes(name);
  for (size_t i = 0; i < parts.size(); ++i) {
    NameErrors errors = {"must not be empty"};
    if (!parts[i].empty()) errors = CheckDnsSubdomain(parts[i], LengthWord::kBytes);
    // The error shows the bad segment, or the whole name if the segment is empty.
    const std::string_view shown = parts[i].empty() ? name : parts[i];
    for (const std::string& error : errors) {
      problems.push_back(Invalid(shown, fmt::format("segment {}: {}", i, error)));
    }
  }
  return problems;
}

Problems CheckDeviceKey(std::string_view name, Release release) {
  if (name.empty() && !IsSince(release, 35)) return {Required("name required")};
  const std::vector<std::string_view> parts = SplitAtSlashes(name);
  if (parts.size() == 1) return CheckDeviceIdentifier(name, release);
  if (parts.size() > 2) return {};
  Problems problems;
  if (parts[0].empty()) {
    problems.push_back(EmptyPart("domain", release));
  } else {
    Append(CheckDriverName(parts[0], release), problems);
  }
  if (parts[1].empty()) {
    problems.push_back(EmptyPart("name", release));
  } else {
    Append(CheckDeviceIdentifier(parts[1], release), problems);
  }
  return problems;
}

}  // namespace dray::api
