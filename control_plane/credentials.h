// SPDX-License-Identifier: Apache-2.0
// The files of a server's data folder besides objects: a certificate authority, a serving
// certificate, and an administrator's kubeconfig. The first start creates them.
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

/// Reads DATA/pki, and creates missing files. The serving certificate has `names`, which are DNS
/// names or addresses; if one is missing, the certificate is replaced. Errors: those of the disk;
/// kBadRequest  a file there does not parse, or a name is invalid.
Result<ServerCredentials> LoadOrMakeCredentials(World& world,
                                                const std::string& data_folder,
                                                const std::vector<std::string>& names);

/// Writes the administrator's DATA/kubeconfig, which trusts the certificates of `authorities`
/// (PEM). Returns its path.
Result<std::string> WriteKubeconfig(World& world,
                                    const std::string& data_folder,
                                    const std::string& server_url,
                                    const std::string& authorities,
                                    const net::tls::Credentials& admin);

/// The key that signs tokens of service accounts: from `file`, or, if that is empty, from the data
/// folder, where a missing key is created.
///
/// Errors: kBadRequest  not such a key. Those of the disk.
Result<net::tls::TokenKey> LoadOrMakeTokenKey(World& world,
                                              const std::string& data_folder,
                                              const std::string& file);

}  // namespace dray::control_plane
