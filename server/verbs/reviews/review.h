// SPDX-License-Identifier: Apache-2.0
// Objects that are questions: reviews of tokens and of rights.
#pragma once

#include "api/kind.h"
#include "base/task.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::inline reviews {

/// Whether objects of `kind` are questions: answered, and never stored.
bool IsReview(const api::KindInfo& kind);
/// Create of a review.
Task<Outcome> Review(Call call);

}  // namespace dray::server::verbs::inline reviews
