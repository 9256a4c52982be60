// SPDX-License-Identifier: Apache-2.0
#include "api/value/semver.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/text/ascii.h"
#include "base/try.h"

namespace dray::api::inline value {
namespace {

Failure RefuseSemver(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

constexpr bool IsIdentifierChar(char c) {
  return IsDigitAscii(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}
bool IsNumber(std::string_view text) {
  return std::ranges::all_of(text, IsDigitAscii);
}
bool HasLeadingZero(std::string_view text) {
  return text.size() > 1 && text[0] == '0';
}

// Cuts the part before the first `separator` off `text`; the rest is empty when there is none.
std::string_view Cut(std::string_view& text, char separator) {
  const size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

// A text cut into its five parts, none of them checked.
struct SemverParts {
  std::array<std::string_view, 3> numbers;
  std::optional<std::string_view> prerelease;
  std::optional<std::string_view> build;
};

std::optional<SemverParts> SplitSemver(std::string_view text) {
  SemverParts parts;
  for (size_t i = 0; i < 2; ++i) {
    if (!text.contains('.')) return std::nullopt;
    parts.numbers[i] = Cut(text, '.');
  }
  if (const size_t plus = text.find('+'); plus != std::string_view::npos) {
    parts.build = text.substr(plus + 1);
    text = text.substr(0, plus);
  }
  if (const size_t minus = text.find('-'); minus != std::string_view::npos) {
    parts.prerelease = text.substr(minus + 1);
    text = text.substr(0, minus);
  }
  parts.numbers[2] = text;
  return parts;
}

Result<uint64_t> ReadNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc()) return value;
  return RefuseSemver(fmt::format("strconv.ParseUint: parsing {}: {}",
                                  GoQuote(text),
                                  text.empty() ? "invalid syntax" : "value out of range"));
}

Result<uint64_t> ReadPart(std::string_view text, std::string_view upper, std::string_view lower) {
  if (!IsNumber(text)) {
    return RefuseSemver(
        fmt::format("Invalid character(s) found in {} number {}", lower, GoQuote(text)));
  }
  if (HasLeadingZero(text)) {
    return RefuseSemver(
        fmt::format("{} number must not contain leading zeroes {}", upper, GoQuote(text)));
  }
  return ReadNumber(text);
}

// Calls check(identifier) for each part between dots; the first failure ends it.
template <class Check>
Result<> ForEachIdentifier(std::string_view text, Check check) {
  for (size_t begin = 0;;) {
    const size_t end = std::min(text.find('.', begin), text.size());
    DRAY_TRY_VOID(check(text.substr(begin, end - begin)));
    if (end == text.size()) return {};
    begin = end + 1;
  }
}

Result<> CheckPrerelease(std::string_view text) {
  if (text.empty()) return RefuseSemver("Prerelease is empty");
  if (IsNumber(text)) {
    if (HasLeadingZero(text)) {
      return RefuseSemver(fmt::format(
          "Numeric PreRelease version must not contain leading zeroes {}", GoQuote(text)));
    }
    DRAY_TRY([[maybe_unused]] const uint64_t number, ReadNumber(text));
    return {};
  }
  if (!std::ranges::all_of(text, IsIdentifierChar)) {
    return RefuseSemver(fmt::format("Invalid character(s) found in prerelease {}", GoQuote(text)));
  }
  return {};
}

Result<> CheckBuild(std::string_view text) {
  if (text.empty()) return RefuseSemver("Build meta data is empty");
  if (!std::ranges::all_of(text, IsIdentifierChar)) {
    return RefuseSemver(
        fmt::format("Invalid character(s) found in build meta data {}", GoQuote(text)));
  }
  return {};
}

std::weak_ordering CompareIdentifiers(std::string_view a, std::string_view b) {
  const bool a_number = IsNumber(a);
  const bool b_number = IsNumber(b);
  if (a_number != b_number)
    return a_number ? std::weak_ordering::less : std::weak_ordering::greater;
  if (a_number && a.size() != b.size()) return a.size() <=> b.size();  // no leading zeros
  return a <=> b;
}

std::weak_ordering ComparePrereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty())
    return b.size() == a.size() ? std::weak_ordering::equivalent
           : a.empty()          ? std::weak_ordering::greater
                                : std::weak_ordering::less;
  while (!a.empty() && !b.empty()) {
    const std::weak_ordering order = CompareIdentifiers(Cut(a, '.'), Cut(b, '.'));
    if (order != 0) return order;
  }
  return int{!a.empty()} <=> int{!b.empty()};
}

// Drops leading zeros; keeps one before anything that is not a digit, which is then refused with
// it.
std::string DropZeros(std::string_view text) {
  if (text.size() < 2) return std::string(text);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.empty() || !IsDigitAscii(text[0])) return "0" + std::string(text);
  return std::string(text);
}

}  // namespace

Result<Semver> Semver::Parse(std::string_view text) {
  if (text.empty()) return RefuseSemver("Version string empty");
  const std::optional<SemverParts> parts = SplitSemver(text);
  if (!parts) return RefuseSemver("No Major.Minor.Patch elements found");
  Semver result;
  DRAY_TRY(result.major_, ReadPart(parts->numbers[0], "Major", "major"));
  DRAY_TRY(result.minor_, ReadPart(parts->numbers[1], "Minor", "minor"));
  DRAY_TRY(result.patch_, ReadPart(parts->numbers[2], "Patch", "patch"));
  if (parts->prerelease) {
    DRAY_TRY_VOID(ForEachIdentifier(*parts->prerelease, CheckPrerelease));
    result.prerelease_ = *parts->prerelease;
  }
  if (parts->build) {
    DRAY_TRY_VOID(ForEachIdentifier(*parts->build, CheckBuild));
    result.build_ = *parts->build;
  }
  return result;
}

Result<Semver> Semver::ParseNormalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string repaired;
  for (int part = 0; part < 3; ++part) {
    if (part > 0) repaired += '.';
    const size_t dot = part < 2 ? text.find('.') : std::string_view::npos;
    repaired += DropZeros(text.substr(0, dot));
    if (dot != std::string_view::npos) {
      text.remove_prefix(dot + 1);
      continue;
    }
    if (part == 2) break;
    if (text.find_first_of("+-") != std::string_view::npos) {
      return RefuseSemver("short version cannot contain PreRelease/Build meta data");
    }
    repaired += part == 0 ? ".0.0" : ".0";
    break;
  }
  return Parse(repaired);
}

std::string Semver::ToString() const {
  std::string text = fmt::format("{}.{}.{}", major_, minor_, patch_);
  if (!prerelease_.empty()) text.append("-").append(prerelease_);
  if (!build_.empty()) text.append("+").append(build_);
  return text;
}

std::weak_ordering operator<=>(const Semver& a, const Semver& b) {
  if (a.major_ != b.major_) return a.major_ <=> b.major_;
  if (a.minor_ != b.minor_) return a.minor_ <=> b.minor_;
  if (a.patch_ != b.patch_) return a.patch_ <=> b.patch_;
  return ComparePrereleases(a.prerelease_, b.prerelease_);
}

bool IsSemver(std::string_view text) {
  const std::optional<SemverParts> parts = SplitSemver(text);
  if (!parts) return false;
  for (const std::string_view number : parts->numbers) {
    if (number.empty() || !IsNumber(number) || HasLeadingZero(number)) return false;
  }
  const auto is_identifier = [](std::string_view word) -> Result<> {
    if (word.empty() || !std::ranges::all_of(word, IsIdentifierChar)) return RefuseSemver("");
    return {};
  };
  const auto is_prerelease = [&](std::string_view word) -> Result<> {
    if (IsNumber(word) && HasLeadingZero(word)) return RefuseSemver("");
    return is_identifier(word);
  };
  return (!parts->prerelease || ForEachIdentifier(*parts->prerelease, is_prerelease)) &&
         (!parts->build || ForEachIdentifier(*parts->build, is_identifier));
}

}  // namespace dray::api::inline value
