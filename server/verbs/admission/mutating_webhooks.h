// SPDX-License-Identifier: Apache-2.0
// Plugin MutatingAdmissionWebhook: the webhooks of MutatingWebhookConfigurations, one after the
// other, may change the object.
#pragma once

#include "base/task.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Whether there are such webhooks, and the call is one they are asked about.
bool HasMutatingWebhooks(const Call& call, const store::Snapshot& snapshot);

/// Asks them in the order of their configurations' names. Each sees what those before it made of
/// the object; the first refusal ends it. In the second round only those are asked again that are
/// due.
///
/// Errors: what a webhook answers; kInternalError  one cannot be asked, or its patch not carried
/// out; those of webhooks::MatchOf.
Task<> AskMutatingWebhooks(Passage* passage);

}  // namespace dray::server::verbs::admission
