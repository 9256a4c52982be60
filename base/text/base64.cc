// SPDX-License-Identifier: Apache-2.0
#include "base/text/base64.h"

#include <cstdint>

namespace dray::inline text {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) -> uint32_t {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
    };
    const uint32_t group = byte(0) << 16U | byte(1) << 8U | byte(2);
    out += kAlphabet[group >> 18U];
    out += kAlphabet[(group >> 12U) & 63U];
    out += i + 1 < bytes.size() ? kAlphabet[(group >> 6U) & 63U] : '=';
    out += i + 2 < bytes.size() ? kAlphabet[group & 63U] : '=';
  }
  return out;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    uint32_t value = 0;
    if (c == '=') {
      if (digits < 2) return std::nullopt;
      ++padding;
    } else {
      const size_t found = kAlphabet.find(c);
      if (found == std::string_view::npos || padding > 0) return std::nullopt;
      value = static_cast<uint32_t>(found);
    }
    group = group << 6U | value;
    if (++digits < 4) continue;
    out += static_cast<char>(static_cast<unsigned char>(group >> 16U));
    if (padding < 2) out += static_cast<char>(static_cast<unsigned char>((group >> 8U) & 0xFFU));
    if (padding < 1) out += static_cast<char>(static_cast<unsigned char>(group & 0xFFU));
    if (padding > 0 && digits == 4) {
      digits = 5;  // nothing but line breaks may follow
      continue;
    }
    group = 0;
    digits = 0;
  }
  if (digits != 0 && digits != 5) return std::nullopt;
  return out;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return text;
}

std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string standard(text);
  for (char& c : standard) {
    if (c == '+' || c == '/' || c == '=' || c == '\n' || c == '\r') return std::nullopt;
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  while (standard.size() % 4 != 0) standard += '=';
  std::optional<std::string> bytes = DecodeBase64(standard);
  if (!bytes.has_value() || EncodeBase64Url(*bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace dray::inline text
