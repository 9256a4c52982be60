// SPDX-License-Identifier: Apache-2.0
// What a request asks for, in the words of roles.
#pragma once

#include <optional>
#include <string_view>

#include "server/access/rbac.h"
#include "server/http/router.h"

namespace dray::server::http {

/// What a request for `route` asks for, also where nothing is served. Its name is that of the path.
/// A list or watch without one that a field selector bounds to one object is about that object;
/// nothing else is: what is created, and collections that are deleted, have no name.
access::Attributes AttributesOf(const Route& route,
                                std::string_view method,
                                std::string_view path,
                                std::optional<std::string_view> field_selector);

}  // namespace dray::server::http
