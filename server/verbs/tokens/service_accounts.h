// SPDX-License-Identifier: Apache-2.0
// The objects that tokens of pods need in each namespace, created while the plugin ServiceAccount
// (admission/service_account.h) is on.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/options.h"

namespace dray::server::verbs::inline tokens {

/// Creates the missing ones of the account `default` and the ConfigMap with the certificates that
/// clients trust, in a namespace. Upstream's controllers do this. Errors: as of creates.
Task<> MakeAccount(const Core* core, storage::WriteSession* session, std::string namespace_name);

/// Whether namespaces of this server get these objects.
bool AreAccountsMade(const Options& options);

/// Whether the call deleted an object that MakeAccount() creates; the caller then creates it again.
bool IsForPods(const Call& call);

/// MakeAccount() in all namespaces, if AreAccountsMade().
Task<> MakeAccounts(const Core* core);

}  // namespace dray::server::verbs::inline tokens
