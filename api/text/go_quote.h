// SPDX-License-Identifier: Apache-2.0
// Strings quoted as Go's %q writes them: error texts that clients compare contain such values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dray::api::inline text {

/// `text` in double quotes with Go's escapes (strconv.Quote): \a \b \f \n \r \t \v \\ \", \xNN for
/// bytes that are no UTF-8 and other control characters, \uNNNN and \UNNNNNNNN for code points that
/// do not print. Unassigned code points count as printable here.
std::string GoQuote(std::string_view text);

/// Where the first code point begins that does not print as it is (Go's unicode.IsPrint); npos
/// where all do. Bytes that are no UTF-8 count as printable.
size_t FindUnprintable(std::string_view text);

}  // namespace dray::api::inline text
