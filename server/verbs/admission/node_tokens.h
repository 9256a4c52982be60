// SPDX-License-Identifier: Apache-2.0
// The tokens of service accounts that a node may request: those that its pods need.
#pragma once

#include <string_view>

#include "api/authentication_v1.h"
#include "base/result.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Checks that the node may have the token. It must be bound to a pod on the node, by name and uid,
/// and have at most one audience. Volumes of the pod or their drivers name the audience, or RBAC
/// allows the verb "request-serviceaccounts-token-audience" on the audience, for the account's
/// name.
///
/// Errors: kForbidden, in upstream's words. kNotFound  the pod does not exist.
Result<> CheckNodeToken(const Call& call,
                        const store::Snapshot& snapshot,
                        std::string_view node,
                        const api::authentication_v1::TokenRequest& request);

}  // namespace dray::server::verbs::admission
