// SPDX-License-Identifier: Apache-2.0
// ServiceAccounts as new pods meet them (upstream's admission plug-in ServiceAccount), and what
// each namespace has for that. Only where Options::service_accounts says so.
#pragma once

#include <optional>
#include <string>

#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "server/registry/pod_account.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs {

/// The account that a new pod names, or `default`; nothing for mirror pods and other kinds.
///
/// Errors: kForbidden  there is no such account; a mirror pod may not be so.
Result<std::optional<registry::PodAccount>> AccountOf(const Core& core,
                                                      const api::Object& object,
                                                      const store::Snapshot& snapshot);

/// Makes what is missing of the account `default` and the ConfigMap with the certificates that
/// clients trust, in a namespace. Upstream's controllers do. Errors: as of creates.
Task<> MakeAccount(const Core* core, std::string namespace_name);

/// Whether what was deleted by the call is something that a namespace has for its pods, so that it
/// is made again.
bool IsForPods(const Call& call);

/// The same in all namespaces, where pods get accounts.
Task<> MakeAccounts(const Core* core);

}  // namespace dray::server::verbs
