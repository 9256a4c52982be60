// SPDX-License-Identifier: Apache-2.0
// Plugins DefaultStorageClass and DefaultIngressClass: objects that name no class get the one that
// an annotation makes the default.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Gives a new volume claim that names no StorageClass the default one, if there is one.
Result<> GiveStorageClass(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object);

/// Gives a new ingress that names no IngressClass the default one, if there is one.
Result<> GiveIngressClass(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object);

}  // namespace dray::server::verbs::admission
