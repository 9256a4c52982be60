// SPDX-License-Identifier: Apache-2.0
// IP addresses and prefixes as Go's net/netip reads and writes them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/value/network.h"

namespace dray::cel::library {

/// Errors: kInvalid in the words of Kubernetes: not an address, with a zone, an IPv4 address
/// written as IPv6.
Result<IpAddress> ParseAddress(std::string_view text);

/// Whether Go's net.ParseIP accepts `text`: an IPv4 address, or an IPv6 address without a zone.
bool IsAddressText(std::string_view text);

/// "address/bits"; host bits may be set. Errors: kInvalid as above.
Result<IpPrefix> ParsePrefix(std::string_view text);

/// What may stand in brackets in a URL: an IPv6 address, also with a zone. Errors: kInvalid in Go's
/// words.
Result<> CheckIpLiteral(std::string_view text);

/// The canonical text (RFC 5952).
std::string AddressText(const IpAddress& address);
std::string PrefixText(const IpPrefix& prefix);

/// Whether the first `bits` of the two are the same; versions never mix.
bool SharePrefix(const IpAddress& a, const IpAddress& b, int bits);

}  // namespace dray::cel::library
