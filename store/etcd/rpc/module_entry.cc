// SPDX-License-Identifier: Apache-2.0
// The function that the module exports to the program (module.cc).
#include "store/etcd/rpc/connection.h"

extern "C" {
// NOLINTBEGIN(misc-use-internal-linkage,readability-identifier-naming): names for dlsym
extern const char dray_etcd_version[];
const char dray_etcd_version[] = DRAY_VERSION;
extern dray::store::etcd::rpc::MakeClient* const dray_etcd_make_client;
dray::store::etcd::rpc::MakeClient* const dray_etcd_make_client =
    dray::store::etcd::rpc::MakeGrpcClient;
// NOLINTEND(misc-use-internal-linkage,readability-identifier-naming)
}
