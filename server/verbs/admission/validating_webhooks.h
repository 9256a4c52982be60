// SPDX-License-Identifier: Apache-2.0
// Plugin ValidatingAdmissionWebhook: the webhooks of ValidatingWebhookConfigurations, asked at the
// same time, may refuse the write.
#pragma once

#include "base/task.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Webhooks of one request that are asked at the same time, and bytes of their reviews; those
/// beyond are asked when they have answered.
inline constexpr size_t kAskedAtOnceMax = 64;
inline constexpr size_t kReviewBytesAtOnceMax = size_t{32} << 20;

/// Whether there are such webhooks, and the call is one they are asked about.
bool HasValidatingWebhooks(const Call& call, const store::Snapshot& snapshot);

/// Asks them, and waits for all answers. The failure that came first is the answer.
///
/// Errors: as of AskMutatingWebhooks.
Task<> AskValidatingWebhooks(Passage* passage);

}  // namespace dray::server::verbs::admission
