// SPDX-License-Identifier: Apache-2.0
#include "api/raw_json.h"

namespace dray::api {

std::string RawJson::compact() const {
  if (IsEmpty()) return "null";
  std::string out;
  out.reserve(bytes_.size());
  bool in_string = false;
  bool escaped = false;
  for (const char c : bytes_) {
    if (in_string) {
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      continue;
    } else {
      in_string = c == '"';
    }
    out += c;
  }
  return out;
}

}  // namespace dray::api
