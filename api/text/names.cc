// SPDX-License-Identifier: Apache-2.0
// Loops instead of regular expressions: names are checked on every write.
#include "api/text/names.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

namespace dray::api::inline text {
namespace {

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool IsLetter(char c) {
  return IsLower(c) || (c >= 'A' && c <= 'Z');
}
constexpr bool IsAlphanumeric(char c) {
  return IsLetter(c) || IsDigit(c);
}
constexpr bool IsLowerAlphanumeric(char c) {
  return IsLower(c) || IsDigit(c);
}

// Whether `text` is `ends` at both ends and `inside` between them; empty is not.
template <class Ends, class Inside>
bool IsFramed(std::string_view text, Ends ends, Inside inside) {
  return !text.empty() && ends(text.front()) && ends(text.back()) &&
         std::ranges::all_of(text, inside);
}

bool IsDnsLabel(std::string_view text) {
  return IsFramed(
      text, IsLowerAlphanumeric, [](char c) { return c == '-' || IsLowerAlphanumeric(c); });
}

bool IsDnsLabelCaseless(std::string_view text) {
  return IsFramed(text, IsAlphanumeric, [](char c) { return c == '-' || IsAlphanumeric(c); });
}

template <class IsPart>
bool IsDotted(std::string_view text, IsPart is_part) {
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    if (!is_part(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_part(text);
}

bool IsLabelName(std::string_view text) {
  return IsFramed(text, IsAlphanumeric, [](char c) {
    return c == '-' || c == '_' || c == '.' || IsAlphanumeric(c);
  });
}

std::string TooLong(size_t max, LengthWord word) {
  return fmt::format(
      "must be no more than {} {}", max, word == LengthWord::kBytes ? "bytes" : "characters");
}

std::string WrongForm(std::string_view message,
                      std::string_view form,
                      std::initializer_list<std::string_view> examples) {
  std::string text = fmt::format("{} (e.g. ", message);
  for (const std::string_view example : examples) {
    if (example != *examples.begin()) text += " or ";
    text += fmt::format("'{}', ", example);
  }
  return text + fmt::format("regex used for validation is '{}')", form);
}

constexpr std::string_view kSubdomainForm =
    R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)";

std::string WrongLabelName() {
  return WrongForm(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
      {"MyName", "my.name", "123-abc"});
}

}  // namespace

NameErrors CheckDnsLabel(std::string_view value, LengthWord word) {
  NameErrors errors;
  if (value.size() > kDnsLabelMax) errors.push_back(TooLong(kDnsLabelMax, word));
  if (IsDnsLabel(value)) return errors;
  if (IsDotted(value, IsDnsLabel)) {
    errors.emplace_back("must not contain dots");
  } else {
    errors.push_back(WrongForm(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
        {"my-name", "123-abc"}));
  }
  return errors;
}

NameErrors CheckDnsSubdomain(std::string_view value, LengthWord word) {
  NameErrors errors;
  if (value.size() > kDnsSubdomainMax) errors.push_back(TooLong(kDnsSubdomainMax, word));
  if (!IsDotted(value, IsDnsLabel)) {
    errors.push_back(WrongForm(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        kSubdomainForm,
        {"example.com"}));
  }
  return errors;
}

NameErrors CheckDnsSubdomainCaseless(std::string_view value) {
  NameErrors errors;
  if (value.size() > kDnsSubdomainMax)
    errors.push_back(TooLong(kDnsSubdomainMax, LengthWord::kBytes));
  if (!IsDotted(value, IsDnsLabelCaseless)) {
    errors.push_back(WrongForm(
        "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character",
        kSubdomainForm,
        {"Example.com"}));
  }
  return errors;
}

NameErrors CheckDns1035Label(std::string_view value) {
  NameErrors errors;
  if (value.size() > kDnsLabelMax) errors.push_back(TooLong(kDnsLabelMax, LengthWord::kCharacters));
  if (!IsDnsLabel(value) || !IsLower(value.front())) {
    errors.push_back(WrongForm(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?",
        {"my-name", "abc-123"}));
  }
  return errors;
}

NameErrors CheckLabelKey(std::string_view value, LengthWord word) {
  NameErrors errors;
  std::string_view name = value;
  if (const size_t slash = value.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = value.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.contains('/')) {
      const bool older = word == LengthWord::kCharacters;
      return {(older ? "a qualified name " : "a valid label key ") + WrongLabelName() +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) errors.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& error : CheckDnsSubdomain(prefix, word)) {
        errors.push_back("prefix part " + error);
      }
    }
  }
  if (name.empty()) {
    errors.emplace_back("name part must be non-empty");
  } else if (name.size() > kLabelNameMax) {
    errors.push_back("name part " + TooLong(kLabelNameMax, word));
  }
  if (!IsLabelName(name)) errors.push_back("name part " + WrongLabelName());
  return errors;
}

NameErrors CheckPrefixedLabelKey(std::string_view value) {
  NameErrors errors = CheckLabelKey(value);
  if (errors.empty() && !value.contains('/')) {
    errors.emplace_back("must include a prefix (e.g. 'example.com/key')");
  }
  return errors;
}

NameErrors CheckLabelValue(std::string_view value, LengthWord word) {
  NameErrors errors;
  if (value.size() > kLabelValueMax) errors.push_back(TooLong(kLabelValueMax, word));
  if (!value.empty() && !IsLabelName(value)) {
    errors.push_back(WrongForm(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
        {"MyValue", "my_value", "12345"}));
  }
  return errors;
}

NameErrors CheckCIdentifier(std::string_view value) {
  const bool good =
      !value.empty() && !IsDigit(value.front()) &&
      std::ranges::all_of(value, [](char c) { return c == '_' || IsAlphanumeric(c); });
  if (good) return {};
  return {WrongForm(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*",
      {"my_name", "MY_NAME", "MyName"})};
}

NameErrors CheckPathSegmentName(std::string_view value) {
  if (value == "." || value == "..") return {fmt::format("may not be '{}'", value)};
  return CheckPathSegmentPrefix(value);
}

NameErrors CheckPathSegmentPrefix(std::string_view value) {
  NameErrors errors;
  for (const char c : {'/', '%'}) {
    if (value.contains(c)) errors.push_back(fmt::format("may not contain '{}'", c));
  }
  return errors;
}

NameErrors CheckUuid(std::string_view value) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  bool good = value.size() == kForm.size();
  for (size_t i = 0; good && i < kForm.size(); ++i) {
    const char c = value[i];
    good = kForm[i] == '-' ? c == '-' : IsDigit(c) || (c >= 'a' && c <= 'f');
  }
  if (good) return {};
  return {"must be a lowercase UUID in 8-4-4-4-12 format"};
}

std::string MaskTrailingDash(std::string_view prefix) {
  if (prefix.size() < 2 || !prefix.ends_with('-')) return std::string(prefix);
  return std::string(prefix.substr(0, prefix.size() - 2)) + 'a';
}

}  // namespace dray::api::inline text
