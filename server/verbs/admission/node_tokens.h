// SPDX-License-Identifier: Apache-2.0
// Which tokens of service accounts a node may ask for: those that its pods need.
#pragma once

#include <string_view>

#include "api/authentication_v1.h"
#include "base/result.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Whether the node may have the token: it is bound to a pod on the node, by name and uid, and for
/// one audience at most, which the pod's volumes or the drivers behind them name, or which a role
/// allows (the verb "request-serviceaccounts-token-audience" on the audience, named as the
/// account).
///
/// Errors: kForbidden, in upstream's words. kNotFound  there is no such pod.
Result<> CheckNodeToken(const Call& call,
                        const store::Snapshot& snapshot,
                        std::string_view node,
                        const api::authentication_v1::TokenRequest& request);

}  // namespace dray::server::verbs::admission
