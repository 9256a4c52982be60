// SPDX-License-Identifier: Apache-2.0
// Plugin AlwaysDeny: refuses every write.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Errors: kForbidden  always.
Result<> DenyAlways(const Call& call,
                    const store::Snapshot& snapshot,
                    const Write& write,
                    api::Object* object);

}  // namespace dray::server::verbs::admission
