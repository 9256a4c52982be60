// SPDX-License-Identifier: Apache-2.0
// The names and addresses by which clients reach a server. Pure.
#pragma once

#include <string>
#include <vector>

#include "net/server/own_addresses.h"

namespace dray::control_plane {

struct ServerAddress {
  std::string local;               // from this machine; in the kubeconfig
  std::string advertised;          // from other machines; endpoint of the Service "kubernetes"
  std::vector<std::string> names;  // for its certificate, besides those of every server
};

/// The addresses of a server that listens on `listen`; `more` are the user's names. `own` is used
/// if `listen` means all addresses.
ServerAddress AddressOf(const std::string& listen,
                        const std::vector<std::string>& more,
                        const net::server::OwnNames& own);

}  // namespace dray::control_plane
