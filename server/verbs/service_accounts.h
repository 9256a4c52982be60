// SPDX-License-Identifier: Apache-2.0
// What each namespace has for the tokens of its pods, while the plugin ServiceAccount
// (admission/service_account.h) is on.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "server/verbs/call.h"

namespace dray::server::verbs {

/// Makes what is missing of the account `default` and the ConfigMap with the certificates that
/// clients trust, in a namespace. Upstream's controllers do. Errors: as of creates.
Task<> MakeAccount(const Core* core, storage::WriteSession* session, std::string namespace_name);

/// Whether what was deleted by the call is something that a namespace has for its pods, so that it
/// is made again.
bool IsForPods(const Call& call);

/// The same in all namespaces, where pods get accounts.
Task<> MakeAccounts(const Core* core);

}  // namespace dray::server::verbs
