// SPDX-License-Identifier: Apache-2.0
#include "net/server/own_addresses.h"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

namespace dray::net::server {
namespace {

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  const std::string text = name.data();
  const bool is_dns = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  });
  return is_dns && !text.starts_with('.') && !text.ends_with('.') ? text : std::string();
}

// Nothing for what others cannot reach.
std::string TextOf(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    const in_addr& bytes = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    constexpr uint32_t kLinkLocal = 0xA9FE;  // 169.254
    const uint32_t host = ntohl(bytes.s_addr);
    if (host >> 24U == IN_LOOPBACKNET || host >> 16U == kLinkLocal) return {};
    inet_ntop(AF_INET, &bytes, text.data(), text.size());
  } else if (address.sa_family == AF_INET6) {
    const in6_addr& bytes = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (IN6_IS_ADDR_LOOPBACK(&bytes) || IN6_IS_ADDR_LINKLOCAL(&bytes)) return {};
    inet_ntop(AF_INET6, &bytes, text.data(), text.size());
  }
  return text.data();
}

}  // namespace

OwnNames NamesOfThisMachine() {
  OwnNames names{.host = HostName(), .addresses = {}};
  std::vector<std::string> six;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return names;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    std::string text = TextOf(*one->ifa_addr);
    std::vector<std::string>& into = text.contains(':') ? six : names.addresses;
    const bool is_new = std::ranges::find(into, text) == into.end();
    if (!text.empty() && is_new) into.push_back(std::move(text));
  }
  freeifaddrs(first);
  names.addresses.insert(names.addresses.end(), six.begin(), six.end());
  if (names.addresses.size() > kOwnAddressesMax) names.addresses.resize(kOwnAddressesMax);
  return names;
}

bool IsEveryAddress(std::string_view address) {
  const std::string text(address);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return four.s_addr == INADDR_ANY;
  in6_addr six{};
  return inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_UNSPECIFIED(&six);
}

}  // namespace dray::net::server
