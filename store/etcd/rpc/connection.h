// SPDX-License-Identifier: Apache-2.0
// Where this program has gRPC: in itself, or in a module beside it, which is loaded when somebody
// asks for etcd. The module (DRAY_ETCD_MODULE) keeps 3 MB out of the program that most never use.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/etcd/options.h"
#include "store/etcd/rpc/endpoints.h"

namespace dray::store::etcd::rpc {

class Client;

/// PEM texts; empty: the system's authorities, no certificate.
struct TlsTexts {
  std::string ca, certificate, key;
};

/// Makes a client, which connects nowhere yet.
using MakeClient = std::unique_ptr<Client>(const EtcdOptions& options,
                                           const Endpoints& endpoints,
                                           const TlsTexts& texts);

/// By gRPC. In the module, where there is one.
MakeClient MakeGrpcClient;

/// What makes clients of this program.
///
/// Errors: as LoadModule.
Result<MakeClient*> FindGrpc();

/// What makes clients in the module of that path, which stays loaded.
///
/// Errors: kNotFound  it cannot be loaded, or is no such module, or one of another version of Dray.
Result<MakeClient*> LoadModule(const std::string& path);

}  // namespace dray::store::etcd::rpc
