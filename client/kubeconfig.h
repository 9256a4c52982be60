// SPDX-License-Identifier: Apache-2.0
// kubeconfig files: the server, the authorities to trust, and our credentials.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/world.h"

namespace dray::client {

/// What a kubeconfig says about one context, files read in.
struct ClusterAccess {
  std::string server;           // https://127.0.0.1:6443
  std::string namespace_;       // empty: default
  std::string ca_pem;           // empty: the system's authorities
  std::string certificate_pem;  // of the client; empty: none
  std::string key_pem;
  std::string token;
  bool skip_verification = false;
};

/// Reads the context `context` of a kubeconfig (YAML or JSON), or its current one when empty. Paths
/// in it are relative to `folder`.
///
/// Errors: kBadRequest  not YAML, a part is missing or of the wrong type, bad base64, or a way to
/// log in that is not supported (exec, auth-provider, passwords). kNotFound  a file it names is
/// missing.
Result<ClusterAccess> ParseKubeconfig(std::string_view text,
                                      std::string_view context,
                                      std::string_view folder,
                                      Disk& disk);

}  // namespace dray::client
