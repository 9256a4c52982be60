// SPDX-License-Identifier: Apache-2.0
// The network addresses of a server's name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/socket.h>

#include "base/result.h"
#include "net/url.h"

namespace dray::net::client {

struct Address {
  sockaddr_storage storage;
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  /// "127.0.0.1:443", "[::1]:443".
  std::string text() const;
};

enum class Lookup : uint8_t {
  kNames,     // asks the name services, which may block for many seconds
  kLiterals,  // never blocks; fails for anything but a number
};

/// The addresses of `server`, best first; at least one.
/// Errors: kNotFound  there is no such name. kServiceUnavailable  the name services fail.
Result<std::vector<Address>> Resolve(const Endpoint& server, Lookup lookup);

}  // namespace dray::net::client
