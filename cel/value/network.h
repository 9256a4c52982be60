// SPDX-License-Identifier: Apache-2.0
// IP addresses, CIDRs and URLs, as expressions see them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dray::cel::inline value {

/// IPv4 uses the first four bytes; the rest are zero. Has no zone, and is never an IPv4 address
/// mapped into IPv6.
struct IpAddress {
  std::array<uint8_t, 16> bytes = {};
  bool is_v4 = false;

  int size() const { return is_v4 ? 4 : 16; }  // bytes
  bool operator==(const IpAddress&) const = default;
};

/// Bits after the prefix may be set.
struct IpPrefix {
  IpAddress address;
  int bits = 0;
  bool operator==(const IpPrefix&) const = default;
};

/// The texts belong to an arena or to the constants of a program.
struct Url {
  std::string_view text;  // as upstream writes it back; two URLs are equal if their texts are
  std::string_view scheme;
  std::string_view host;  // with the port
  std::string_view path;  // escaped
  std::string_view query;

  bool operator==(const Url& other) const { return text == other.text; }
};

}  // namespace dray::cel::inline value
