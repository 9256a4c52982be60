// SPDX-License-Identifier: Apache-2.0
#include "api/value/raw_json.h"

#include "base/text/json_text.h"
#include "base/text/text_scan.h"

namespace dray::api::inline value {
namespace {

// Whether no byte of `bytes` is one that compact() leaves out or writes in another way.
bool IsCompact(std::string_view bytes) {
  const char* const end = bytes.data() + bytes.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): ends at `end`
  const char* const other = FindByte(bytes.data(), end, [](const ByteBlock& b) {
    // Blanks, and all that is not ASCII; one bit apart: < and >.
    return static_cast<ByteBlock>((b <= ' ') | ((b | 2) == '>') | (b == '&'));
  });
  return other == end;
}

}  // namespace

bool RawJson::is_compact() const {
  return !IsEmpty() && IsCompact(bytes_);
}

std::string RawJson::compact() const {
  if (IsEmpty()) return "null";
  if (is_compact()) return bytes_;
  const std::string_view bytes = bytes_;
  std::string out;
  out.reserve(bytes.size());
  bool in_string = false;
  bool escaped = false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    const bool quotes = c == '"' && !escaped;
    escaped = in_string && !escaped && c == '\\';
    in_string = in_string != quotes;
    // JSON's own escapes are there already.
    if (c != '<' && c != '>' && c != '&' && c != '\xE2') {
      out += c;
      continue;
    }
    const JsonEscape escape = JsonEscapeAt(bytes.substr(i), JsonEscapes::kWeb);
    out += escape.text.empty() ? bytes.substr(i, 1) : escape.text;
    i += escape.length - 1;
  }
  return out;
}

}  // namespace dray::api::inline value
