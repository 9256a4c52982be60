// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "api/text/names.h"
#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/library/text_forms.h"
#include "cel/library/urls.h"
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

NameErrors CheckUuid(std::string_view text) {
  return OneErrorUnless(IsUuidText(text), "does not match the UUID format");
}
NameErrors CheckBase64(std::string_view text) {
  return OneErrorUnless(IsBase64Text(text), "invalid base64");
}
NameErrors CheckDate(std::string_view text) {
  return OneErrorUnless(IsDateText(text), "invalid date");
}
NameErrors CheckDateTime(std::string_view text) {
  return OneErrorUnless(IsDateTimeText(text), "invalid datetime");
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
