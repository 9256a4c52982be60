// SPDX-License-Identifier: Apache-2.0
// Formats of addresses: ipv4, cidr, mac.
#pragma once

#include <string_view>

namespace dray::custom::formats {

/// An address with a dot in it, as Kubernetes reads addresses that it always accepted: parts of
/// IPv4 addresses may begin with zeros, and an IPv6 address may end with one. O(1).
bool IsIpv4(std::string_view text);

/// Such an IPv4 or IPv6 address, a slash, and a number of bits. O(1).
bool IsCidr(std::string_view text);

/// 6, 8 or 20 bytes in hexadecimal digits, by twos with ':' or '-' between, or by fours with '.'.
bool IsMac(std::string_view text);

}  // namespace dray::custom::formats
