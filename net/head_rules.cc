// SPDX-License-Identifier: Apache-2.0
#include "net/head_rules.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/text_scan.h"
#include "net/http.h"

namespace dray::net {

bool IsToken(std::string_view text) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool IsFieldValue(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

bool IsTarget(std::string_view text) {
  if (text == "*") return true;
  return text.starts_with('/') && std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
         });
}

bool IsEngineField(std::string_view name) {
  for (const std::string_view own : {"Content-Length",
                                     "Transfer-Encoding",
                                     "Connection",
                                     "Date",
                                     "Keep-Alive",
                                     "Proxy-Connection",
                                     "Upgrade"}) {
    if (EqualsIgnoringCase(name, own)) return true;
  }
  return false;
}

void AppendFieldText(std::string& out, std::string_view text) {
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): ends at `end`
  const char* const control = FindByte(text.data(), end, [](const ByteBlock& b) {
    return static_cast<ByteBlock>((b >= 0) & (b < 0x20));
  });
  if (control == end) {
    out += text;
    return;
  }
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? ' ' : c;
}

bool HasNoBody(int status) {
  return status < 200 || status == 204 || status == 304;
}

std::string RefusalText(int status, std::string_view why) {
  return fmt::format("{} {}: {}", status, ReasonPhrase(status), why);
}

}  // namespace dray::net
