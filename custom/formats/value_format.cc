// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/value_format.h"

#include <algorithm>
#include <array>
#include <string>

#include "cel/library/addresses.h"
#include "cel/library/text_forms.h"
#include "cel/library/urls.h"
#include "custom/formats/duration.h"
#include "custom/formats/email.h"
#include "custom/formats/identifiers.h"
#include "custom/formats/names.h"
#include "custom/formats/network.h"

namespace dray::custom::formats {
namespace {

struct TextFormat {
  std::string_view name;  // without dashes
  ValueFormat format;
  bool (*check)(std::string_view text);
};

bool IsAnything(std::string_view /*text*/) {
  return true;
}

bool IsIsbn(std::string_view text) {
  return IsIsbn10(text) || IsIsbn13(text);
}

bool IsIpv6(std::string_view text) {
  return text.find(':') != std::string_view::npos && cel::library::IsAddressText(text);
}

bool IsUri(std::string_view text) {
  return cel::library::CheckRequestUri(text).has_value();
}

// Sorted by name.
constexpr auto kTextFormats = std::to_array<TextFormat>({
    {"bsonobjectid", ValueFormat::kBsonObjectId, IsBsonObjectId},
    {"byte", ValueFormat::kByte, cel::library::IsBase64Text},
    {"cidr", ValueFormat::kCidr, IsCidr},
    {"creditcard", ValueFormat::kCreditCard, IsCreditCard},
    {"date", ValueFormat::kDate, cel::library::IsDateText},
    {"datetime", ValueFormat::kDateTime, cel::library::IsDateTimeText},
    {"duration", ValueFormat::kDuration, IsDuration},
    {"email", ValueFormat::kEmail, IsEmail},
    {"hexcolor", ValueFormat::kHexColor, IsHexColor},
    {"hostname", ValueFormat::kHostname, IsHostname},
    {"ipv4", ValueFormat::kIpv4, IsIpv4},
    {"ipv6", ValueFormat::kIpv6, IsIpv6},
    {"isbn", ValueFormat::kIsbn, IsIsbn},
    {"isbn10", ValueFormat::kIsbn10, IsIsbn10},
    {"isbn13", ValueFormat::kIsbn13, IsIsbn13},
    {"k8slongname", ValueFormat::kLongName, IsLongName},
    {"k8sshortname", ValueFormat::kShortName, IsShortName},
    {"mac", ValueFormat::kMac, IsMac},
    {"password", ValueFormat::kPassword, IsAnything},
    {"rgbcolor", ValueFormat::kRgbColor, IsRgbColor},
    {"ssn", ValueFormat::kSsn, IsSsn},
    {"uri", ValueFormat::kUri, IsUri},
    {"uuid", ValueFormat::kUuid, cel::library::IsUuidText},
    {"uuid3", ValueFormat::kUuid3, IsUuid3},
    {"uuid4", ValueFormat::kUuid4, IsUuid4},
    {"uuid5", ValueFormat::kUuid5, IsUuid5},
});

}  // namespace

ValueFormat TextFormatNamed(std::string_view name) {
  std::string plain(name);
  std::erase(plain, '-');
  const auto found = std::ranges::lower_bound(kTextFormats, plain, {}, &TextFormat::name);
  return found == kTextFormats.end() || found->name != plain ? ValueFormat::kNone : found->format;
}

ValueFormat IntegerFormatNamed(std::string_view name) {
  return name == "int32"   ? ValueFormat::kInt32
         : name == "int64" ? ValueFormat::kInt64
                           : ValueFormat::kNone;
}

ValueFormat NumberFormatNamed(std::string_view name) {
  return name == "float"    ? ValueFormat::kFloat
         : name == "double" ? ValueFormat::kDouble
                            : ValueFormat::kNone;
}

bool HasFormat(std::string_view text, ValueFormat format) {
  const auto found = std::ranges::find(kTextFormats, format, &TextFormat::format);
  return found == kTextFormats.end() || found->check(text);
}

}  // namespace dray::custom::formats
