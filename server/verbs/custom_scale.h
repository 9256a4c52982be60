// SPDX-License-Identifier: Apache-2.0
// The subresource scale of custom kinds: where a definition says that its objects keep the numbers.
#pragma once

#include <string>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace dray::server::verbs {

/// The Scale of an object of a custom kind that has one; what is missing in the object is 0 or
/// empty.
api::Object CustomScaleOf(const api::Object& object);

/// The names of the members on the way to the number of wanted replicas.
std::vector<std::string> CustomReplicasPath(const api::Object& object);

/// Whether the object has the number of wanted replicas, without which it has no Scale to read.
/// Errors: kInternalError  it has not; kUnknown  something else is there.
Result<> CheckHasReplicas(const api::Object& object);

/// `object` with the replicas that `scale` wants, under the version and uid that it names.
/// Errors: kUnknown  something else than an object is on the way to them.
Result<api::Object> CustomScaled(const api::Object& object, const api::Object& scale);

}  // namespace dray::server::verbs
