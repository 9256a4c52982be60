// SPDX-License-Identifier: Apache-2.0
// The formats of texts and numbers that the server checks in custom objects: those of
// kube-openapi's strfmt that definitions may use.
#pragma once

#include <cstdint>
#include <string_view>

namespace dray::custom::formats {

enum class ValueFormat : uint8_t {
  kNone,
  // of numbers
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  // of texts
  kBsonObjectId,
  kByte,
  kCidr,
  kCreditCard,
  kDate,
  kDateTime,
  kDuration,
  kEmail,
  kHexColor,
  kHostname,
  kIpv4,
  kIpv6,
  kIsbn,
  kIsbn10,
  kIsbn13,
  kLongName,
  kMac,
  kPassword,
  kRgbColor,
  kShortName,
  kSsn,
  kUri,
  kUuid,
  kUuid3,
  kUuid4,
  kUuid5,
};

/// The format of texts with this name; dashes in it do not count. kNone if there is none.
ValueFormat TextFormatNamed(std::string_view name);
/// int32 or int64.
ValueFormat IntegerFormatNamed(std::string_view name);
/// float or double.
ValueFormat NumberFormatNamed(std::string_view name);

/// Whether `text` has a format of texts; all have the others. Linear in the text.
bool HasFormat(std::string_view text, ValueFormat format);

}  // namespace dray::custom::formats
