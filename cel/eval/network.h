// SPDX-License-Identifier: Apache-2.0
// IP addresses, CIDRs and URLs, as expressions see them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace dray::cel {

/// Version 4 uses the first four bytes, the rest are zero. No zones, no mapped addresses.
struct IpAddress {
  std::array<uint8_t, 16> bytes = {};
  bool is_v4 = false;

  int size() const { return is_v4 ? 4 : 16; }  // bytes
  bool operator==(const IpAddress&) const = default;
};

/// Bits behind the prefix may be set.
struct IpPrefix {
  IpAddress address;
  int bits = 0;
  bool operator==(const IpPrefix&) const = default;
};

struct Url {
  std::string text;  // as upstream writes it back; two URLs are equal if their texts are
  std::string scheme;
  std::string host;  // with the port
  std::string path;  // escaped
  std::string query;

  bool operator==(const Url& other) const { return text == other.text; }
};

}  // namespace dray::cel
