// SPDX-License-Identifier: Apache-2.0
// Texts as JSON strings (RFC 8259, section 7). Only this file knows which characters to escape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/text_scan.h"

namespace dray::inline text {

/// The characters to escape in a JSON string.
enum class JsonEscapes : uint8_t {
  kNeeded,  // quotes, backslashes and control characters, as JSON requires
  kWeb,     // `<`, `>`, `&`, U+2028 and U+2029 too, as Go and so Kubernetes do
};

struct JsonEscape {
  std::string_view text;  // empty: the byte is not escaped
  size_t length = 1;      // number of bytes that it stands for
};

/// Returns the escape for the beginning of `rest`, which must not be empty. O(1).
JsonEscape JsonEscapeAt(std::string_view rest, JsonEscapes escapes);

/// Calls `put(std::string_view)` with one piece after another of `text` as the contents of a JSON
/// string. Bytes that are not UTF-8 are not changed. O(size), sixteen bytes at a time where nothing
/// is escaped.
template <class Put>
void EscapeJson(std::string_view text, JsonEscapes escapes, Put&& put) {
  const char* plain = text.data();
  const char* const end = plain + text.size();
  for (const char* at = plain; (at = FindEscaped(at, end)) != end;) {
    const JsonEscape escape = JsonEscapeAt({at, end}, escapes);
    if (escape.text.empty()) {
      ++at;
      continue;
    }
    put(std::string_view(plain, at));
    put(escape.text);
    plain = at += escape.length;
  }
  put(std::string_view(plain, end));
}

/// Appends `text` as a JSON string, with its quotes.
void AppendJsonString(std::string_view text, JsonEscapes escapes, std::string& out);

}  // namespace dray::inline text
