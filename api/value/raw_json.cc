// SPDX-License-Identifier: Apache-2.0
#include "api/value/raw_json.h"

#include "base/json_text.h"

namespace dray::api::inline value {

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
    // What JSON itself asks for is escaped already.
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
