// SPDX-License-Identifier: Apache-2.0
// What a request asks for, in the words of roles, and how it is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/access/rbac.h"
#include "server/http/router.h"
#include "server/verbs/rights.h"

namespace dray::server::http {

/// What a request for `route` asks for, also where nothing is served. A list of the one object that
/// `field_selector` names is about that object.
access::Attributes AttributesOf(const Route& route,
                                std::string_view method,
                                std::string_view path,
                                std::optional<std::string_view> field_selector);

/// 403 in upstream's words; `reason` may be empty.
Error Forbidden(const access::Attributes& asked, std::string_view user, std::string_view reason);

struct Refusal {
  access::Attributes asked;
  std::string reason;
};

/// What `user` lacks to ask for `asked` as `other`: the verb "impersonate" on the name, uid, groups
/// and facts of `other`, or the right to be such a user in such a request ("impersonate-on:…" on
/// what is asked for and "impersonate:…" on who it is, KEP-5284). Nothing when he may.
std::optional<Refusal> RefusedImpersonation(verbs::Rights& rights,
                                            const verbs::User& user,
                                            const verbs::User& other,
                                            const access::Attributes& asked);

}  // namespace dray::server::http
