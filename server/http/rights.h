// SPDX-License-Identifier: Apache-2.0
// The attributes of a request for authorization.
#pragma once

#include <optional>
#include <string_view>

#include "server/access/rbac.h"
#include "server/http/router.h"

namespace dray::server::http {

/// The attributes of a request for `route`, also where nothing is served. The name is that in the
/// path. A list or watch without a name has the name to which a field selector restricts it.
/// Creates and deletions of collections have no name.
access::Attributes AttributesOf(const Route& route,
                                std::string_view method,
                                std::string_view path,
                                std::optional<std::string_view> field_selector);

}  // namespace dray::server::http
