// SPDX-License-Identifier: Apache-2.0
// Plugin ServiceAccount: gives new pods a service account.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Gives a new pod the account that it names, or `default`, and a volume with its token
/// (registry/pod_account.h). A mirror pod gets nothing.
///
/// Errors: kForbidden the account does not exist; it allows only its own secrets; a mirror pod
/// names
///         an account or a secret.
Result<> GiveAccount(const Call& call,
                     const store::Snapshot& snapshot,
                     const Write& write,
                     api::Object* object);

}  // namespace dray::server::verbs::admission
