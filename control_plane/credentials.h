// SPDX-License-Identifier: Apache-2.0
// What a server's data folder holds besides objects: an authority, a serving certificate, and the
// kubeconfig of an administrator, made on the first start and kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "net/tls/certificates.h"
#include "net/tls/token_key.h"

namespace dray::control_plane {

struct ServerCredentials {
  net::tls::Credentials ca;
  net::tls::Credentials serving;
  net::tls::Credentials admin;  // CN kubernetes-admin, O system:masters
};

/// Reads DATA/pki, or makes what is missing there. The serving certificate has `names`, DNS names
/// or addresses; it is made anew when it lacks one.
/// Errors: what the disk says; kBadRequest  a file there does not parse, or a name is none.
Result<ServerCredentials> LoadOrMakeCredentials(World& world,
                                                const std::string& data_folder,
                                                const std::vector<std::string>& names);

/// Writes DATA/kubeconfig for the administrator, who trusts the certificates of `authorities`
/// (PEM); returns its path.
Result<std::string> WriteKubeconfig(World& world,
                                    const std::string& data_folder,
                                    const std::string& server_url,
                                    const std::string& authorities,
                                    const net::tls::Credentials& admin);

/// The key that signs tokens of service accounts: that in `file`, or, where none is named, the one
/// in the data folder, which is made if it is not there.
///
/// Errors: kBadRequest  not such a key. Those of the disk.
Result<net::tls::TokenKey> LoadOrMakeTokenKey(World& world,
                                              const std::string& data_folder,
                                              const std::string& file);

}  // namespace dray::control_plane
