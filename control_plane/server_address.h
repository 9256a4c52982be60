// SPDX-License-Identifier: Apache-2.0
// The names and addresses by which clients reach a server. Pure.
#pragma once

#include <string>
#include <vector>

#include "net/server/own_addresses.h"

namespace dray::control_plane {

struct ServerAddress {
  std::string local;               // from this machine: in the kubeconfig
  std::string advertised;          // from others: endpoints of the Service "kubernetes"
  std::vector<std::string> names;  // in its certificate, beside those that every server has
};

/// Of a server that listens on the address `listen`; `more` are names that the user wants. `own`
/// counts where `listen` is every address.
ServerAddress AddressOf(const std::string& listen,
                        const std::vector<std::string>& more,
                        const net::server::OwnNames& own);

}  // namespace dray::control_plane
