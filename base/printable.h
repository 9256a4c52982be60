// SPDX-License-Identifier: Apache-2.0
// Texts of others, shown to people: the one place that knows which characters do something else
// than to show themselves. They move the cursor, clear the screen, begin a line that somebody else
// seems to have written, turn the direction of reading, or are not there for the eye.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray {

/// How what is hidden is shown.
enum class HiddenAs : uint8_t {
  kText,  // \x1b for a byte of ASCII or one that is not UTF-8, \u202e and \U000e0001 for others
  kJson,  // as JSON strings show it: \u009b; \ufffd for what is not UTF-8
};

/// `text` without control characters (C0, C1 and delete; newlines and tabs are some), characters
/// that change the direction of text, separators of lines, characters without width, and bytes that
/// are not UTF-8: each is shown as an escape. Everything else stays, backslashes too, so a text
/// that was made printable stays as it is. O(size).
std::string Printable(std::string_view text, HiddenAs how = HiddenAs::kText);

/// The same of a message that may have lines: those that begin with " | ", as lines of source do
/// under a message about them, or with "ERROR: <input>:", as messages of expressions do, stay
/// lines. No line begins with what somebody else chose.
std::string PrintableLines(std::string_view text);

/// Whether Printable would change the text, newlines apart.
bool HasHidden(std::string_view text);

/// JSON that stays the same JSON, on the same lines, in which a terminal shows all characters:
/// those that it would not show stand in strings only, and are escapes there.
std::string PrintableJson(std::string_view json);

}  // namespace dray
