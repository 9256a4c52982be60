// SPDX-License-Identifier: Apache-2.0
// Writes of the controllers that are part of the server.
#pragma once

#include <string_view>

#include "api/kind.h"
#include "base/result.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/request.h"

namespace dray::server::verbs::inline controllers {

/// A request for the object `name` of `kind`, by the server itself as the manager kube-apiserver.
ResourceRequest OwnRequest(Verb verb, const api::KindInfo& kind, std::string_view name);

/// Carries out `request`, and waits until it is done. A write of another client that came first is
/// no failure: its commit starts a round of the controller. Errors: those of the verb.
Result<> CarryOutOwnRequest(const Core& core, ResourceRequest request);

}  // namespace dray::server::verbs::inline controllers
