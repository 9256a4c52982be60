// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "api/text/names.h"
#include "base/ascii.h"
#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/library/urls.h"
#include "cel/syntax/utf8.h"
#include "cel/value/arena.h"
#include "cel/value/make.h"
#include "cel/value/named_format.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;
using api::LengthWord;
using api::NameErrors;

NameErrors OneErrorUnless(bool good, std::string_view error) {
  return good ? NameErrors() : NameErrors{std::string(error)};
}

NameErrors CheckLabel(std::string_view text) {
  return api::CheckDnsLabel(text);
}
NameErrors CheckSubdomain(std::string_view text) {
  return api::CheckDnsSubdomain(text);
}
NameErrors CheckLabelPrefix(std::string_view text) {
  return api::CheckDnsLabel(api::MaskTrailingDash(text));
}
NameErrors CheckSubdomainPrefix(std::string_view text) {
  return api::CheckDnsSubdomain(api::MaskTrailingDash(text));
}
NameErrors Check1035Prefix(std::string_view text) {
  return api::CheckDns1035Label(api::MaskTrailingDash(text));
}

template <LengthWord word>
NameErrors CheckQualifiedName(std::string_view text) {
  return api::CheckLabelKey(text, word);
}
template <LengthWord word>
NameErrors CheckLabelText(std::string_view text) {
  return api::CheckLabelValue(text, word);
}

NameErrors CheckUri(std::string_view text) {
  const auto read = CheckRequestUri(text);
  return read.has_value() ? NameErrors() : NameErrors{read.error().message};
}

// 8-4-4-4-12 hexadecimal digits in any case; each dash may be missing.
NameErrors CheckUuid(std::string_view text) {
  bool good = true;
  for (const size_t digits : {8u, 4u, 4u, 4u, 12u}) {
    if (digits != 8 && text.starts_with('-')) text.remove_prefix(1);
    const std::string_view group = text.substr(0, digits);
    good = good && group.size() == digits && std::ranges::all_of(group, [](char c) {
             return IsDigitAscii(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
           });
    text.remove_prefix(group.size());
  }
  return OneErrorUnless(good && text.empty(), "does not match the UUID format");
}

// Groups of four with the standard alphabet, the last one padded with at most two '='; not empty.
NameErrors CheckBase64(std::string_view text) {
  const bool whole = !text.empty() && text.size() % 4 == 0;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  const bool good = std::ranges::all_of(text, [](char c) {
    return IsDigitAscii(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '/';
  });
  return OneErrorUnless(whole && good, "invalid base64");
}

// `form` has '0' for a digit.
bool HasForm(std::string_view text, std::string_view form) {
  return std::ranges::equal(
      text, form, [](char c, char f) { return f == '0' ? IsDigitAscii(c) : c == f; });
}

bool IsDate(std::string_view text) {
  if (!HasForm(text, "0000-00-00")) return false;
  const auto number = [&](size_t start, size_t size) {
    int value = 0;
    for (const char c : text.substr(start, size)) value = value * 10 + (c - '0');
    return value;
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

bool IsZone(std::string_view text) {
  return text == "z" || HasForm(text, "+00:00") || HasForm(text, "-00:00");
}

// A time in lower case: hh:mm:ss, any one character with digits after it or nothing, a zone.
bool IsTimeOfDay(std::string_view text) {
  constexpr size_t kSecondsEnd = 8;
  if (!HasForm(text.substr(0, kSecondsEnd), "00:00:00")) return false;
  if (text.substr(0, 2) > "23" || text.substr(3, 2) > "59" || text.substr(6, 2) > "59") {
    return false;
  }
  text.remove_prefix(kSecondsEnd);
  if (IsZone(text)) return true;
  if (text.empty() || text[0] == '\n') return false;
  text.remove_prefix(syntax::DecodeUtf8(text, 0).width);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && IsZone(text.substr(digits));
}

NameErrors CheckDate(std::string_view text) {
  return OneErrorUnless(IsDate(text), "invalid date");
}

// What follows a second T is ignored, as upstream does.
NameErrors CheckDateTime(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  const std::string_view rest = lower;
  const size_t t = rest.find('t');
  const bool good = t != std::string_view::npos && IsDate(rest.substr(0, t)) &&
                    IsTimeOfDay(rest.substr(t + 1, rest.find('t', t + 1) - t - 1));
  return OneErrorUnless(good, "invalid datetime");
}

constexpr uint32_t kLabelPattern = 30;
constexpr uint32_t kSubdomainPattern = 60;
constexpr uint32_t kLabelValuePattern = 40;
constexpr uint32_t kUriPattern = 1103;
constexpr uint32_t kOldUriPattern = 1117;
constexpr uint32_t kUuidPattern = 70;
constexpr uint32_t kBase64Pattern = 84;
constexpr uint32_t kDateTimePattern = 71;

constexpr LengthWord kBytes = LengthWord::kBytes;
constexpr LengthWord kCharacters = LengthWord::kCharacters;

constexpr auto kFormats = std::to_array<NamedFormat>({
    {"format.byte", "byte", kBase64Pattern, CheckBase64},
    {"format.date", "date", kDateTimePattern, CheckDate},
    {"format.datetime", "datetime", kDateTimePattern, CheckDateTime},
    {"format.dns1035Label", "DNS1035Label", kLabelPattern, api::CheckDns1035Label},
    {"format.dns1035LabelPrefix", "DNS1035LabelPrefix", kLabelPattern, Check1035Prefix},
    {"format.dns1123Label", "DNS1123Label", kLabelPattern, CheckLabel},
    {"format.dns1123LabelPrefix", "DNS1123LabelPrefix", kLabelPattern, CheckLabelPrefix},
    {"format.dns1123Subdomain", "DNS1123Subdomain", kSubdomainPattern, CheckSubdomain},
    {"format.dns1123SubdomainPrefix",
     "DNS1123SubdomainPrefix",
     kSubdomainPattern,
     CheckSubdomainPrefix},
    {"format.labelValue",
     "LabelValue",
     kLabelValuePattern,
     CheckLabelText<kCharacters>,
     {.last = 35}},
    {"format.labelValue", "LabelValue", kLabelValuePattern, CheckLabelText<kBytes>, {.first = 36}},
    {"format.qualifiedName",
     "QualifiedName",
     kSubdomainPattern,
     CheckQualifiedName<kCharacters>,
     {.last = 35}},
    {"format.qualifiedName",
     "QualifiedName",
     kSubdomainPattern,
     CheckQualifiedName<kBytes>,
     {.first = 36}},
    {"format.uri", "URI", kOldUriPattern, CheckUri, {.last = 32}},
    {"format.uri", "URI", kUriPattern, CheckUri, kSince33},
    {"format.uuid", "uuid", kUuidPattern, CheckUuid},
});

template <size_t index>
Value Constant(Arena& /*arena*/, Arguments /*arguments*/) {
  return Value::Format(&kFormats[index]);
}

// `minor` is any release of a run in which the formats are the same.
template <int minor>
Value Named(Arena& arena, Arguments arguments) {
  arena.work().Charge(kFormats.size() * 8);
  for (const NamedFormat& format : kFormats) {
    if (format.name() == arguments[0].text() && format.in.Rules(static_cast<api::Release>(minor))) {
      return MakeSome(arena, Value::Format(&format));
    }
  }
  return Value::None();
}

Value Validate(Arena& arena, Arguments arguments) {
  arena.work().Charge(WorkOfReading(4 * arguments[1].text().size()));
  const NameErrors errors = arguments[0].format().check(arguments[1].text());
  if (errors.empty()) return Value::None();
  const std::span<Value> texts = arena.NewValues(errors.size());
  for (size_t i = 0; i < errors.size(); ++i) texts[i] = Value::String(arena.Copy(errors[i]));
  return MakeSome(arena, AdoptList(arena, texts));
}

constexpr auto kFunctions = std::to_array<Builtin>({
    {"format.named", Named<32>, CostRule::kOne, WrongTypes::kSignature, {.last = 32}},
    {"format.named", Named<33>, CostRule::kOne, WrongTypes::kSignature, {.first = 33, .last = 35}},
    {"format.named", Named<36>, CostRule::kOne, WrongTypes::kSignature, {.first = 36}},
    {"validate", Validate, CostRule::kValidate, WrongTypes::kSignature, {}, kSince32},
});

template <size_t... index>
constexpr std::array<Builtin, sizeof...(index) + kFunctions.size()> WithConstants(
    std::index_sequence<index...> /*indexes*/) {
  std::array<Builtin, sizeof...(index) + kFunctions.size()> all = {Builtin{
      .name = kFormats[index].function, .call = Constant<index>, .in = kFormats[index].in}...};
  std::ranges::copy(kFunctions, all.begin() + sizeof...(index));
  return all;
}

constexpr auto kFormatsBuiltins = WithConstants(std::make_index_sequence<kFormats.size()>());

}  // namespace

std::span<const Builtin> FormatBuiltins() {
  return kFormatsBuiltins;
}

}  // namespace dray::cel::library
