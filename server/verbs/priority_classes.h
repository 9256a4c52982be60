// SPDX-License-Identifier: Apache-2.0
// PriorityClasses as new pods and other classes meet them (upstream's admission plug-in Priority).
#pragma once

#include <optional>

#include "api/object.h"
#include "api/pods/priority.h"
#include "base/result.h"
#include "store/snapshot.h"

namespace dray::server::verbs {

/// The priority of a new pod or pod group: of the class that it names, else of the one that is the
/// default (the lowest, should there be several); nothing for other kinds. O(classes) for those
/// that name none.
///
/// Errors: kForbidden  there is no such class.
Result<std::optional<api::pods::PodPriority>> PriorityOf(const api::Object& object,
                                                         const store::Snapshot& snapshot);

/// Whether `object` may be stored, were it only for the rule that one class is the default.
///
/// Errors: kForbidden  another one is.
Result<> CheckDefaultClass(const api::Object& object, const store::Snapshot& snapshot);

}  // namespace dray::server::verbs
