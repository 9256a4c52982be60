// SPDX-License-Identifier: Apache-2.0
#include "server/http/flow.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dray::server::http {
namespace {

using access::Attributes;
using access::User;

constexpr std::string_view kNodes = "system:nodes";
constexpr std::string_view kScheduler = "system:kube-scheduler";
constexpr std::string_view kControllers = "system:kube-controller-manager";
constexpr std::string_view kSystemAccounts = "system:serviceaccount:kube-system:";
constexpr std::string_view kLeases = "coordination.k8s.io";

bool IsIn(const User& user, std::string_view group) {
  return std::ranges::find(user.groups, group) != user.groups.end();
}

bool IsComponent(const User& user) {
  return user.name == kScheduler || user.name == kControllers;
}

bool IsSystemAccount(const User& user) {
  return user.name.starts_with(kSystemAccounts);
}

bool IsLease(const Attributes& asked) {
  return asked.group == kLeases && asked.resource == "leases";
}

bool IsHeartbeat(const Attributes& asked) {
  const bool is_status =
      asked.group.empty() && asked.resource == "nodes" && asked.subresource == "status";
  return is_status || (IsLease(asked) && asked.namespace_ == "kube-node-lease");
}

bool IsProbe(const Attributes& asked) {
  return asked.path == "/healthz" || asked.path == "/livez" || asked.path == "/readyz";
}

}  // namespace

Flow FlowOf(const User& user, const Attributes& asked) {
  if (IsIn(user, access::kMasters)) return {.schema = "exempt", .level = "exempt"};
  if (IsProbe(asked)) return {.schema = "probes", .level = "exempt"};
  if (IsIn(user, kNodes)) {
    if (IsHeartbeat(asked)) return {.schema = "system-node-high", .level = "node-high"};
    return {.schema = "system-nodes", .level = "system"};
  }
  const bool leads = IsLease(asked) && asked.namespace_ == "kube-system";
  if (leads && (IsComponent(user) || IsSystemAccount(user))) {
    return {.schema = "system-leader-election", .level = "leader-election"};
  }
  if (IsLease(asked) && IsIn(user, access::kServiceAccounts)) {
    return {.schema = "workload-leader-election", .level = "leader-election"};
  }
  if (user.name == kControllers) {
    return {.schema = "kube-controller-manager", .level = "workload-high"};
  }
  if (user.name == kScheduler) return {.schema = "kube-scheduler", .level = "workload-high"};
  if (IsSystemAccount(user)) {
    return {.schema = "kube-system-service-accounts", .level = "workload-high"};
  }
  if (IsIn(user, access::kServiceAccounts)) {
    return {.schema = "service-accounts", .level = "workload-low"};
  }
  const bool is_anybody =
      IsIn(user, access::kAuthenticated) || IsIn(user, access::kUnauthenticated);
  if (is_anybody) return {.schema = "global-default", .level = "global-default"};
  return {.schema = "catch-all", .level = "catch-all"};
}

Frozen<ShareOwner> OwnerOf(const User& user) {
  ShareOwner owner{.name = fmt::format("user {}", user.name), .rank = ShareRank::kUsual};
  if (IsIn(user, access::kMasters)) {
    owner.rank = ShareRank::kExempt;
  } else if (IsIn(user, kNodes) || IsComponent(user) || IsSystemAccount(user)) {
    owner.rank = ShareRank::kSystem;
  }
  return std::make_shared<const ShareOwner>(std::move(owner));
}

}  // namespace dray::server::http
