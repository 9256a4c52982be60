// SPDX-License-Identifier: Apache-2.0
// Plugin Priority: PriorityClasses as pods, pod groups and other classes meet them.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Gives a new pod the name, priority and preemption policy, and a new pod group the name and
/// priority, of the class that it names, else of the one that is the default (the lowest, should
/// there be several), else 0. A pod that is changed keeps what the client leaves out. O(classes)
/// for those that name none.
///
/// Errors: kForbidden  there is no such class; or the object brings another priority or policy.
Result<> GivePriority(const Call& call,
                      const store::Snapshot& snapshot,
                      const Write& write,
                      api::Object* object);

/// Errors: kForbidden  a PriorityClass is to be the default, and another one is.
Result<> CheckDefaultClass(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
