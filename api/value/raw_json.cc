// SPDX-License-Identifier: Apache-2.0
#include "api/value/raw_json.h"

namespace dray::api::inline value {
namespace {

// U+2028 and U+2029: E2 80 A8 and E2 80 A9.
bool IsLineSeparator(std::string_view text) {
  return text.size() >= 3 && text[0] == '\xE2' && text[1] == '\x80' &&
         (text[2] == '\xA8' || text[2] == '\xA9');
}

std::string_view EscapeOf(char c) {
  switch (c) {
    case '<': return "\\u003c";
    case '>': return "\\u003e";
    case '&': return "\\u0026";
    default: return {};
  }
}

}  // namespace

std::string RawJson::compact() const {
  if (IsEmpty()) return "null";
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
    if (IsLineSeparator(bytes.substr(i))) {
      out += bytes[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (const std::string_view escape = EscapeOf(c); !escape.empty()) {
      out += escape;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace dray::api::inline value
