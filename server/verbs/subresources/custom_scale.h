// SPDX-License-Identifier: Apache-2.0
// The subresource scale of custom kinds. The definition gives the paths of its numbers.
#pragma once

#include <string>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace dray::server::verbs::inline subresources {

/// The Scale of an object of a custom kind with this subresource; a number that the object does
/// not have is 0, a text empty.
api::Object CustomScaleOf(const api::Object& object);

/// The names of the members on the path to spec.replicas of the Scale.
std::vector<std::string> CustomReplicasPath(const api::Object& object);

/// Whether the object has the number of wanted replicas, without which it has no Scale to read.
/// Errors: kInternalError  it has not; kUnknown  something else is there.
Result<> CheckHasReplicas(const api::Object& object);

/// `object` with the replicas that `scale` wants, under the version and uid that it names.
/// Errors: kUnknown  something else than an object is on the way to them.
Result<api::Object> CustomScaled(const api::Object& object, const api::Object& scale);

}  // namespace dray::server::verbs::inline subresources
