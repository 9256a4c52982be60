// SPDX-License-Identifier: Apache-2.0
// The answer to a request that is forbidden.
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/access/rbac.h"

namespace dray::server::access {

/// 403 in upstream's words; `reason` may be empty.
Error Forbidden(const Attributes& asked, std::string_view user, std::string_view reason);

}  // namespace dray::server::access
