// SPDX-License-Identifier: Apache-2.0
#include "control_plane/server_address.h"

#include <algorithm>
#include <iterator>

namespace dray::control_plane {

ServerAddress AddressOf(const std::string& listen,
                        const std::vector<std::string>& more,
                        const net::server::OwnNames& own) {
  ServerAddress address{.local = listen, .advertised = listen, .names = {}};
  if (net::server::IsEveryAddress(listen)) {
    address.local = listen.contains(':') ? "::1" : "127.0.0.1";
    address.advertised = own.addresses.empty() ? address.local : own.addresses.front();
    if (!own.host.empty()) address.names.push_back(own.host);
    std::ranges::copy(own.addresses, std::back_inserter(address.names));
  } else {
    address.names.push_back(listen);
  }
  std::ranges::copy(more, std::back_inserter(address.names));
  return address;
}

}  // namespace dray::control_plane
