// SPDX-License-Identifier: Apache-2.0
// Kubernetes' impersonation: whether a user may act as another one. It needs the right to
// "impersonate" each attribute of the other user, or one of the constrained modes of KEP-5284.
// Pure.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::access {

/// The impersonated user, as the request continues with it.
struct Impersonated {
  User user;               // with the groups that the server adds
  std::string constraint;  // the verb of the mode that allowed it; empty: without constraint
};

/// The missing right; the reason may be empty.
struct Lack {
  Attributes asked;
  std::string reason;
};

using Decider = std::function<Verdict(const User& user, const Attributes& asked)>;

/// Returns `wanted`, which has exactly the attributes that the client sent, if `requester` may be
/// that user in a request for `asked`. Checks every group, uid and extra value that was sent. Does
/// not check attributes that the server adds: the groups of an account if none were sent,
/// "system:nodes" of a node, and whether the user is authenticated.
///
/// The modes are, in this order: the node that an account's token is bound to, any node, an
/// account, and any other user. For the first three only the name may be sent; for the last neither
/// the group "system:masters" nor empty groups and extra values. Each mode needs the verb
/// "impersonate:MODE" on the user and "impersonate-on:MODE:VERB" on the object of the request. The
/// old unconstrained right comes last. The lack is that of the first mode that fits `wanted`.
std::variant<Impersonated, Lack> Impersonate(const Decider& decide,
                                             const User& requester,
                                             const User& wanted,
                                             const Attributes& asked);

}  // namespace dray::server::access
