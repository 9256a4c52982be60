// SPDX-License-Identifier: Apache-2.0
// What this machine is called by others: for the certificate of a server that listens everywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dray::net::server {

/// Addresses that are read. On a machine with more of them, name the server's addresses by a flag.
inline constexpr size_t kOwnAddressesMax = 64;

/// The machine's name, and the addresses of its interfaces that are up, IPv4 first; without
/// loopback and link-local ones. The name is left out where it is no DNS name. Costs system calls.
struct OwnNames {
  std::string host;
  std::vector<std::string> addresses;
};
OwnNames NamesOfThisMachine();

/// "0.0.0.0" and "::", in any spelling: every address of the machine.
bool IsEveryAddress(std::string_view address);

}  // namespace dray::net::server
