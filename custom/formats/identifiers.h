// SPDX-License-Identifier: Apache-2.0
// Formats of identifiers and colours: numbers with check digits, UUIDs of one version, and more.
#pragma once

#include <string_view>

namespace dray::custom::formats {

/// 24 hexadecimal digits.
bool IsBsonObjectId(std::string_view text);

/// Ten or thirteen digits with the right check digit, white space and dashes between them. Linear.
bool IsIsbn10(std::string_view text);
bool IsIsbn13(std::string_view text);

/// The digits in `text`, whatever stands between them, are a number of a known issuer with the
/// right check digit. Linear.
bool IsCreditCard(std::string_view text);

/// 123-45-6789; a blank may stand for each dash.
bool IsSsn(std::string_view text);

/// Three or six hexadecimal digits, after '#' or not.
bool IsHexColor(std::string_view text);
/// rgb(0, 128, 255)
bool IsRgbColor(std::string_view text);

/// A UUID of that version, in any case; each dash may be missing.
bool IsUuid3(std::string_view text);
bool IsUuid4(std::string_view text);
bool IsUuid5(std::string_view text);

}  // namespace dray::custom::formats
