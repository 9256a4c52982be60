// SPDX-License-Identifier: Apache-2.0
// The flow of a request in Kubernetes' API priority and fairness: its flow schema and priority
// level in a new cluster. Only metrics use it. The sender's identity alone decides its share
// (base/share_budget.h).
#pragma once

#include <string_view>

#include "base/frozen.h"
#include "base/share_budget.h"
#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::http {

struct Flow {
  std::string_view schema, level;  // names of objects in a new cluster
};

/// The first of upstream's schemas that matches `user` and `asked`. O(groups).
Flow FlowOf(const access::User& user, const access::Attributes& asked);

/// The owner of the share that requests of `user`, an authenticated user, count against.
/// Administrators are exempt; nodes, scheduler, controllers and accounts of kube-system may use
/// half of the reserve.
Frozen<ShareOwner> OwnerOf(const access::User& user);

}  // namespace dray::server::http
