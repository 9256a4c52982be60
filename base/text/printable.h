// SPDX-License-Identifier: Apache-2.0
// Makes texts from untrusted sources safe to show. Only this file knows the characters that a
// terminal does not simply show: they move the cursor, clear the screen, start a line that seems to
// come from another source, change the direction of text, or are invisible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::inline text {

/// The form of escapes for hidden characters.
enum class HiddenAs : uint8_t {
  kText,  // \x1b for a byte of ASCII or one that is not UTF-8, \u202e and \U000e0001 for others
  kJson,  // as in JSON strings: \u009b; \ufffd for bytes that are not UTF-8
};

/// Returns `text` with escapes for control characters (C0, including newlines and tabs, C1 and
/// delete), characters that change the direction of text, line separators, characters without
/// width, and bytes that are not UTF-8. Everything else stays, backslashes too, so Printable does
/// not change its own output. O(size).
std::string Printable(std::string_view text, HiddenAs how = HiddenAs::kText);

/// The same for a message that may have several lines. Keeps the newline before lines that begin
/// with " | " (source lines under a message) or "ERROR: <input>:" (messages of expressions). All
/// other newlines are escaped, so an untrusted text cannot start a line of its own.
std::string PrintableLines(std::string_view text);

/// Whether Printable would change the text, apart from newlines.
bool HasHidden(std::string_view text);

/// Returns equal JSON, with the same lines, in which a terminal shows all characters. Hidden
/// characters can occur only inside strings, where they are escaped.
std::string PrintableJson(std::string_view json);

}  // namespace dray::inline text
