// SPDX-License-Identifier: Apache-2.0
// Finds gRPC, which is linked into the program or is in a module beside it. The module
// (DRAY_ETCD_MODULE) is loaded when a store in etcd is opened. It keeps 3 MB that most users never
// need out of the program.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/endpoints.h"

namespace dray::store::etcd::rpc {

class Client;

/// PEM texts. Empty: the system's authorities, or no client certificate.
struct TlsTexts {
  std::string ca, certificate, key;
};

/// Makes a client. It does not connect yet.
using MakeClient = std::unique_ptr<Client>(const EtcdOptions& options,
                                           const Endpoints& endpoints,
                                           const TlsTexts& texts);

/// Makes clients that use gRPC. In the module, where there is one.
MakeClient MakeGrpcClient;

/// Returns the function that makes this program's clients.
///
/// Errors: as LoadModule.
Result<MakeClient*> FindGrpc();

/// Loads the module at `path`, which stays loaded, and returns its function that makes clients.
///
/// Errors: kNotFound  the file cannot be loaded, is not such a module, or is of another version of
///                    Dray.
Result<MakeClient*> LoadModule(const std::string& path);

}  // namespace dray::store::etcd::rpc
