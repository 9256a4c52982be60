// SPDX-License-Identifier: Apache-2.0
#include "server/http/warning_header.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace dray::server::http {
namespace {

bool BeginsRune(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

size_t Runes(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, BeginsRune));
}

std::string_view FirstRunes(std::string_view text, size_t count) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (BeginsRune(text[at]) && seen++ == count) break;
  }
  return text.substr(0, at);
}

// Control characters would end the header, so they become spaces.
std::string HeaderOf(std::string_view text) {
  std::string header = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') header += '\\';
    header += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  return header + '"';
}

}  // namespace

std::vector<std::string> WarningHeaders(std::span<const std::string> texts) {
  std::set<std::string_view> seen;
  std::vector<std::string_view> sent;
  size_t total = 0;
  bool cutting = false;
  for (const std::string_view text : texts) {
    if (cutting && total >= kWarningsTotalMax) break;
    if (text.empty() || !seen.insert(text).second) continue;
    sent.push_back(text);
    total += std::min(Runes(text), cutting ? kWarningTextMax : Runes(text));
    if (cutting || total <= kWarningsTotalMax) continue;
    cutting = true;
    total = 0;
    for (const std::string_view each : sent) total += std::min(Runes(each), kWarningTextMax);
  }
  std::vector<std::string> headers;
  headers.reserve(sent.size());
  for (const std::string_view text : sent) {
    headers.push_back(HeaderOf(cutting ? FirstRunes(text, kWarningTextMax) : text));
  }
  return headers;
}

}  // namespace dray::server::http
