// SPDX-License-Identifier: Apache-2.0
#include "api/validation/name_rules.h"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "api/device_names.h"
#include "api/text/names.h"
#include "base/text/ascii.h"

namespace dray::api::validation {
namespace {

bool AreHexDigits(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

// The error of Go's uuid package for a text that is no UUID in any accepted form; empty if it is
// one.
std::string UuidProblem(std::string_view text) {
  constexpr size_t kSize = 36;
  constexpr size_t kDigits = 32;
  constexpr std::string_view kUrn = "urn:uuid:";
  constexpr const char* kWrong = "invalid UUID format";
  if (text.size() == kDigits) return AreHexDigits(text) ? "" : kWrong;
  if (text.size() == kSize + kUrn.size()) {
    const std::string_view start = text.substr(0, kUrn.size());
    if (!EqualsIgnoringCase(start, kUrn))
      return fmt::format("invalid urn prefix: {}", Shown(start));
    text.remove_prefix(kUrn.size());
  } else if (text.size() == kSize + 2) {
    if (!text.starts_with('{') || !text.ends_with('}')) return "invalid bracketed UUID format";
    text = text.substr(1, kSize);
  } else if (text.size() != kSize) {
    return fmt::format("invalid UUID length: {}", text.size());
  }
  for (const size_t dash : {size_t{8}, size_t{13}, size_t{18}, size_t{23}}) {
    if (text[dash] != '-') return kWrong;
  }
  std::string digits(text);
  std::erase(digits, '-');
  return digits.size() == kDigits && AreHexDigits(digits) ? "" : kWrong;
}

// The text of hand-written rules up to 1.36.
NameErrors CheckRfc4122(std::string_view value) {
  const std::string problem = UuidProblem(value);
  if (!problem.empty()) return {fmt::format("error validating uid: {}", problem)};
  if (CheckUuid(value).empty()) return {};
  return {
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with "
      "lowercase hexadecimal characters"};
}

void CheckUuidShaped(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Names(path, value, CheckRfc4122(value));
}

}  // namespace

void CheckDriver(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Problems(path, CheckDriverName(value, errors.release()));
}

void CheckPool(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Problems(path, CheckPoolName(value));
}

void CheckLabelShaped(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Names(path, value, CheckDnsLabel(value));
}

void CheckSubdomainShaped(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Names(path, value, CheckDnsSubdomain(value));
}

void CheckKeyShaped(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Names(path, value, CheckLabelKey(value, errors.label_length_word()));
}

void CheckLabelValueShaped(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Names(path, value, CheckLabelValue(value, errors.label_length_word()));
}

void CheckDeviceKeyShaped(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Problems(path, CheckDeviceKey(value, errors.release()));
}

void CheckAttributeName(std::string_view value, const Path& path, FieldErrors& errors) {
  CheckDeviceKeyShaped(value, path, errors);
  if (value.contains('/') || (value.empty() && !errors.Since(35))) return;
  if (errors.Since(35)) {
    errors.Invalid(path,
                   Shown(value),
                   "a fully qualified name must be a domain and a name separated by a slash");
  } else if (errors.Since(32)) {
    errors.Invalid(path, Shown(value), "must include a domain");
  } else {
    errors.Required(path.Child("domain"), "must include a prefix");
  }
}

void CheckDeclaredDriver(std::string_view value, const Path& path, FieldErrors& errors) {
  if (value.empty()) {
    errors.Required(path);
    return;
  }
  errors.Names(path, value, CheckDnsSubdomainCaseless(value));
  if (value.size() > kDriverNameMax) {
    errors.TooLong(path, kDriverNameMax, LengthWord::kCharacters);
  }
}

void CheckDeclaredPool(std::string_view value, const Path& path, FieldErrors& errors) {
  if (value.empty()) {
    errors.Required(path);
    return;
  }
  errors.Problems(path, CheckPoolNameSegments(value));
}

void CheckDeclaredLabel(std::string_view value, const Path& path, FieldErrors& errors) {
  errors.Names(path, value, CheckDnsLabel(value, LengthWord::kBytes));
}

void CheckDeclaredAttributeName(std::string_view value, const Path& path, FieldErrors& errors) {
  const auto check_identifier = [&](std::string_view name) {
    if (name.size() > kDeviceIdentifierMax) errors.TooLong(path, kDeviceIdentifierMax);
    errors.Names(path, name, CheckCIdentifier(name));
  };
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos) {
    check_identifier(value);
    errors.Invalid(path,
                   Shown(value),
                   "a fully qualified name must be a domain and a name separated by a slash");
    return;
  }
  const std::string_view domain = value.substr(0, slash);
  const std::string_view name = value.substr(slash + 1);
  if (name.contains('/')) return;  // as upstream, which does not check it
  if (domain.empty()) {
    errors.Invalid(path, Shown(""), "prefix must not be empty");
  } else {
    if (domain.size() > kDriverNameMax) errors.TooLong(path, kDriverNameMax);
    for (const std::string& error : CheckDnsSubdomain(domain, LengthWord::kBytes)) {
      errors.Invalid(path, Shown(domain), "prefix: " + error);
    }
  }
  if (name.empty()) {
    errors.Invalid(path, Shown(""), "name must not be empty");
  } else {
    check_identifier(name);
  }
}

void CheckCoveredDriver(std::string_view value, const Path& path, Findings& out) {
  if (out.is_declarative()) {
    FieldErrors errors(out.profile.release);
    CheckDeclaredDriver(value, path, errors);
    // v1beta1 declares the length before the form.
    if (out.is_v1beta1()) errors.Reverse();
    out.declared.Append(std::move(errors));
  } else {
    CheckDriver(value, path, out.written);
  }
}

void CheckCoveredPool(std::string_view value, const Path& path, Findings& out) {
  if (out.is_declarative()) {
    CheckDeclaredPool(value, path, out.declared);
  } else {
    CheckPool(value, path, out.written);
  }
}

void CheckCoveredLabel(std::string_view value, const Path& path, Findings& out) {
  if (out.is_declarative()) {
    CheckDeclaredLabel(value, path, out.declared);
  } else {
    CheckLabelShaped(value, path, out.written);
  }
}

void CheckCoveredAttributeName(std::string_view value, const Path& path, Findings& out) {
  if (out.is_declarative()) {
    CheckDeclaredAttributeName(value, path, out.declared);
  } else {
    CheckAttributeName(value, path, out.written);
  }
}

void CheckCoveredUuid(std::string_view value, const Path& path, Findings& out) {
  if (out.is_declarative()) {
    out.declared.Names(path, value, CheckUuid(value));
  } else {
    CheckUuidShaped(value, path, out.written);
  }
}

}  // namespace dray::api::validation
