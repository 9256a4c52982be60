// SPDX-License-Identifier: Apache-2.0
// Who may be treated as somebody else, and as whom: Kubernetes' impersonation, by the right to
// "impersonate" each thing that is said of the other, or in one of the constrained modes of
// KEP-5284. Pure.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::access {

/// Somebody else, as he is known from then on.
struct Impersonated {
  User user;               // with the groups that the server adds
  std::string constraint;  // the verb of the mode that allowed it; empty: without constraint
};

/// What somebody lacks; the reason may be empty.
struct Lack {
  Attributes asked;
  std::string reason;
};

using Decider = std::function<Verdict(const User& user, const Attributes& asked)>;

/// `wanted`, all that the client says of whom to be and nothing else, if `requester` may be that in
/// a request for `asked`. Every group, uid and fact that is said is asked about; what the server
/// adds is not: the groups of an account of which none are said, "system:nodes" of a node, and
/// whether somebody is known.
///
/// The modes are, in this order: the node that an account's token is bound to, any node, an
/// account, and any other user; of the first three only the name may be said, and of the last
/// neither the group "system:masters" nor empty groups and facts. Each wants the verb
/// "impersonate:MODE" on who it is and "impersonate-on:MODE:VERB" on what is asked for. Last comes
/// the old right, without constraint. The lack is that of the first mode that fits `wanted`.
std::variant<Impersonated, Lack> Impersonate(const Decider& decide,
                                             const User& requester,
                                             const User& wanted,
                                             const Attributes& asked);

}  // namespace dray::server::access
