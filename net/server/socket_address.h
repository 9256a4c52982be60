// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

namespace dray::net::server {

/// An address of IPv4 or IPv6, and a port.
class SocketAddress {
 public:
  SocketAddress() = default;
  /// `address` is digits, as `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`; nothing when it is not.
  static std::optional<SocketAddress> Parse(const std::string& address, uint16_t port);
  /// The one that `descriptor`, a socket, is bound to; 0.0.0.0:0 when it has none.
  static SocketAddress OfSocket(int descriptor);
  /// As the kernel wrote it. Every family but those two becomes 0.0.0.0:0.
  static SocketAddress Of(const sockaddr_storage& storage);

  const sockaddr* get() const;
  socklen_t size() const;
  sa_family_t family() const { return is_six_ ? AF_INET6 : AF_INET; }

  uint16_t port() const;
  void set_port(uint16_t port);
  /// 127.0.0.0/8, ::1, and the former as mapped into IPv6.
  bool is_loopback() const;
  /// Without the port.
  std::string host() const;
  /// What one customer of a provider has, and so shares: the host of IPv4, 64 bits of IPv6.
  std::string network() const;
  /// `192.0.2.1:80`, `[2001:db8::1]:80`.
  std::string text() const;

 private:
  bool is_six_ = false;
  sockaddr_in four_{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
  sockaddr_in6 six_{};
};

}  // namespace dray::net::server
