// SPDX-License-Identifier: Apache-2.0
#include "net/server/socket_address.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace dray::net::server {
namespace {

bool IsLoopback(const in_addr& four) {
  return ntohl(four.s_addr) >> 24U == IN_LOOPBACKNET;
}

bool IsLoopback(const in6_addr& six) {
  if (!IN6_IS_ADDR_V4MAPPED(&six)) return IN6_IS_ADDR_LOOPBACK(&six);
  in_addr four{};
  std::memcpy(&four, &six.s6_addr[12], sizeof four);
  return IsLoopback(four);
}

}  // namespace

std::optional<SocketAddress> SocketAddress::Parse(const std::string& address, uint16_t port) {
  SocketAddress parsed;
  if (inet_pton(AF_INET, address.c_str(), &parsed.four_.sin_addr) == 1) {
    parsed.set_port(port);
    return parsed;
  }
  const size_t percent = address.find('%');
  if (inet_pton(AF_INET6, address.substr(0, percent).c_str(), &parsed.six_.sin6_addr) != 1) {
    return std::nullopt;
  }
  if (percent != std::string::npos) {
    parsed.six_.sin6_scope_id = if_nametoindex(address.substr(percent + 1).c_str());
    if (parsed.six_.sin6_scope_id == 0) return std::nullopt;
  }
  parsed.six_.sin6_family = AF_INET6;
  parsed.is_six_ = true;
  parsed.set_port(port);
  return parsed;
}

SocketAddress SocketAddress::OfSocket(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how the kernel is called
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size);
  return Of(storage);
}

SocketAddress SocketAddress::Of(const sockaddr_storage& storage) {
  SocketAddress address;
  if (storage.ss_family == AF_INET) {
    std::memcpy(&address.four_, &storage, sizeof address.four_);
  } else if (storage.ss_family == AF_INET6) {
    std::memcpy(&address.six_, &storage, sizeof address.six_);
    address.is_six_ = true;
  }
  return address;
}

const sockaddr* SocketAddress::get() const {
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how the kernel is called
  return is_six_ ? reinterpret_cast<const sockaddr*>(&six_)
                 : reinterpret_cast<const sockaddr*>(&four_);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
}

socklen_t SocketAddress::size() const {
  return is_six_ ? sizeof six_ : sizeof four_;
}

uint16_t SocketAddress::port() const {
  return ntohs(is_six_ ? six_.sin6_port : four_.sin_port);
}

void SocketAddress::set_port(uint16_t port) {
  (is_six_ ? six_.sin6_port : four_.sin_port) = htons(port);
}

bool SocketAddress::is_loopback() const {
  return is_six_ ? IsLoopback(six_.sin6_addr) : IsLoopback(four_.sin_addr);
}

std::string SocketAddress::host() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (!is_six_) {
    inet_ntop(AF_INET, &four_.sin_addr, text.data(), text.size());
    return text.data();
  }
  inet_ntop(AF_INET6, &six_.sin6_addr, text.data(), text.size());
  std::array<char, IF_NAMESIZE> interface{};
  const bool has_name =
      six_.sin6_scope_id != 0 && if_indextoname(six_.sin6_scope_id, interface.data()) != nullptr;
  return has_name ? fmt::format("{}%{}", text.data(), interface.data()) : text.data();
}

std::string SocketAddress::network() const {
  constexpr size_t kNetworkBytes = 8;
  if (!is_six_ || IN6_IS_ADDR_V4MAPPED(&six_.sin6_addr)) return host();
  SocketAddress network = *this;
  std::fill(std::begin(network.six_.sin6_addr.s6_addr) + kNetworkBytes,
            std::end(network.six_.sin6_addr.s6_addr),
            uint8_t{0});
  network.six_.sin6_scope_id = 0;
  return network.host() + "/64";
}

std::string SocketAddress::text() const {
  return is_six_ ? fmt::format("[{}]:{}", host(), port()) : fmt::format("{}:{}", host(), port());
}

}  // namespace dray::net::server
