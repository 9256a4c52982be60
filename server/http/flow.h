// SPDX-License-Identifier: Apache-2.0
// In which flow a request comes, in the words of Kubernetes' API priority and fairness: the flow
// schema and priority level that a new cluster has for it. Metrics say them; what a sender may have
// at one time follows from who he is alone (base/share_budget.h).
#pragma once

#include <string_view>

#include "base/published.h"
#include "base/share_budget.h"
#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::http {

struct Flow {
  std::string_view schema, level;  // names of what a cluster has from the start
};

/// The first of upstream's schemas that `user`, asking for `asked`, belongs to. O(groups).
Flow FlowOf(const access::User& user, const access::Attributes& asked);

/// Whose share the requests of `user` count in, somebody who is known: administrators are exempt,
/// nodes, scheduler, controllers and accounts of kube-system may use half of what is in reserve.
Frozen<ShareOwner> OwnerOf(const access::User& user);

}  // namespace dray::server::http
