// SPDX-License-Identifier: Apache-2.0
// Plugins StorageObjectInUseProtection and PodGroupProtection: new objects get the finalizer that a
// controller takes away when nothing uses them.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// For volumes, volume claims and VolumeAttributesClasses.
Result<> ProtectStorage(const Call& call,
                        const store::Snapshot& snapshot,
                        const Write& write,
                        api::Object* object);

/// For pod groups.
Result<> ProtectPodGroup(const Call& call,
                         const store::Snapshot& snapshot,
                         const Write& write,
                         api::Object* object);

}  // namespace dray::server::verbs::admission
