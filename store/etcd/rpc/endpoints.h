// SPDX-License-Identifier: Apache-2.0
// Parses the endpoints of etcd that a command line gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/etcd/options.h"

namespace dray::store::etcd::rpc {

/// Limit of members that one command line may name.
inline constexpr size_t kEndpointsMax = 64;

struct Endpoint {
  std::string url;      // as it was given, for messages
  std::string address;  // "host:port", an IPv6 host in brackets
};

struct Endpoints {
  std::vector<Endpoint> members;  // at least one
  bool tls = false;
};

/// Checks the options that can be checked without a network or a disk.
///
/// Errors: kBadRequest  no endpoint, one that is not a URL of etcd, http and https mixed, files for
///                      TLS without https, a certificate without its key; the message names it.
Result<Endpoints> ParseEndpoints(const EtcdOptions& options);

}  // namespace dray::store::etcd::rpc
