// SPDX-License-Identifier: Apache-2.0
// Where etcd is, as a command line says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/etcd/options.h"

namespace dray::store::etcd::rpc {

/// Members of a cluster that one command line may name.
inline constexpr size_t kEndpointsMax = 64;

struct Endpoint {
  std::string url;      // as it was given, for messages
  std::string address;  // "host:port", an IPv6 host in brackets
};

struct Endpoints {
  std::vector<Endpoint> members;  // at least one
  bool tls = false;
};

/// Checks what can be checked without a network or a disk.
///
/// Errors: kBadRequest  no endpoint, one that is not a URL of etcd, http and https mixed, files for
///                      TLS without https, a certificate without its key; the message says which.
Result<Endpoints> ParseEndpoints(const EtcdOptions& options);

}  // namespace dray::store::etcd::rpc
