// SPDX-License-Identifier: Apache-2.0
// Plugin Priority: applies PriorityClasses to pods and pod groups, and allows one default class.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Gives a new pod the class name, priority and preemption policy of the class that it names, and a
/// new pod group the class name and priority. Without a name the default class applies (the lowest
/// if there are several), without a default class 0. An updated pod keeps what the client leaves
/// out. O(classes) for objects that name no class.
///
/// Errors: kForbidden  the class does not exist; the object has another priority or policy.
Result<> GivePriority(const Call& call,
                      const store::Snapshot& snapshot,
                      const Write& write,
                      api::Object* object);

/// Errors: kForbidden  the PriorityClass would be a second default.
Result<> CheckDefaultClass(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
