// SPDX-License-Identifier: Apache-2.0
// Plugin DenyServiceExternalIPs: Services cannot claim arbitrary external addresses.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Errors: kForbidden  a Service gets an address in spec.externalIPs that it did not have.
Result<> CheckExternalIps(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
