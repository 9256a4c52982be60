// SPDX-License-Identifier: Apache-2.0
// Plugin TaintNodesByCondition: new nodes get no pods until a controller finds them ready.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Taints a new node as not ready. The node life-cycle controller takes the taint away.
Result<> TaintNewNode(const Call& call,
                      const store::Snapshot& snapshot,
                      const Write& write,
                      api::Object* object);

}  // namespace dray::server::verbs::admission
