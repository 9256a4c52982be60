// SPDX-License-Identifier: Apache-2.0
#include "net/client/addresses.h"

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <nss.h>
#include <sys/socket.h>

#include "base/result.h"
#include "net/url.h"

namespace dray::net::client {
namespace {

/// Restricts the services that look up names of servers.
void ChooseNameServices() {
#ifdef DRAY_STATIC
  // A static program cannot load the modules that nsswitch.conf may name beside these two.
  static const int chosen = __nss_configure_lookup("hosts", "files dns");
  static_cast<void>(chosen);
#endif
}

}  // namespace

std::string Address::text() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(get(),
                  size,
                  host.data(),
                  host.size(),
                  port.data(),
                  port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  const bool is_ipv6 = family() == AF_INET6;
  return is_ipv6 ? fmt::format("[{}]:{}", host.data(), port.data())
                 : fmt::format("{}:{}", host.data(), port.data());
}

Result<std::vector<Address>> Resolve(const Endpoint& server, Lookup lookup) {
  ChooseNameServices();
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  if (lookup == Lookup::kLiterals) hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found);
  if (error != 0) {
    const bool is_unknown = error == EAI_NONAME || error == EAI_NODATA;
    return Fail(is_unknown ? StatusReason::kNotFound : StatusReason::kServiceUnavailable,
                gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    Address& address = addresses.emplace_back();
    address.size = one->ai_addrlen;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
  }
  if (addresses.empty()) return Fail(StatusReason::kNotFound, "no address");
  return addresses;
}

}  // namespace dray::net::client
