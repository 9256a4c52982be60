// SPDX-License-Identifier: Apache-2.0
// Plugin ValidatingAdmissionWebhook: calls the webhooks of ValidatingWebhookConfigurations
// concurrently. Each may refuse the write.
#pragma once

#include "base/task.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// The most webhooks of one request that are called concurrently, and the most bytes of their
/// reviews. The next batch is called after all of a batch have answered.
inline constexpr size_t kAskedAtOnceMax = 64;
inline constexpr size_t kReviewBytesAtOnceMax = size_t{32} << 20;

/// Whether such webhooks exist, and the call is not exempt from them.
bool HasValidatingWebhooks(const Call& call, const store::Snapshot& snapshot);

/// Calls the webhooks and waits for all answers. Returns the failure that arrived first.
///
/// Errors: as of AskMutatingWebhooks.
Task<> AskValidatingWebhooks(Passage* passage);

}  // namespace dray::server::verbs::admission
