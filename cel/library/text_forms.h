// SPDX-License-Identifier: Apache-2.0
// Forms of texts that formats name, as kube-openapi's strfmt checks them.
#pragma once

#include <string_view>

namespace dray::cel::library {

/// 8-4-4-4-12 hexadecimal digits in any case; each dash may be missing. O(1).
bool IsUuidText(std::string_view text);

/// Groups of four of the standard alphabet, the last one padded with at most two '='; not empty.
/// Linear.
bool IsBase64Text(std::string_view text);

/// 2006-01-02, a day that exists. O(1).
bool IsDateText(std::string_view text);

/// A date, T, and a time of day with a zone, in any case. What follows a second T is ignored, as
/// upstream does. Linear.
bool IsDateTimeText(std::string_view text);

}  // namespace dray::cel::library
