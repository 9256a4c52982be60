// SPDX-License-Identifier: Apache-2.0
#include "server/http/flow.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace dray::server::http {
namespace {

struct FlowCase {
  std::string name;
  std::vector<std::string> groups;
  access::Attributes asked;
  std::string_view schema, level;
  ShareRank rank;
};

TEST(Flow, IsThatOfKubernetesAndRanksItsShare) {
  const access::Attributes pods{.verb = "list", .resource = "pods"};
  const access::Attributes lease{.verb = "update",
                                 .group = "coordination.k8s.io",
                                 .resource = "leases",
                                 .namespace_ = "kube-system"};
  access::Attributes heartbeat = lease;
  heartbeat.namespace_ = "kube-node-lease";
  const access::Attributes status{.verb = "patch", .resource = "nodes", .subresource = "status"};
  const access::Attributes probe{.verb = "get", .path = "/readyz"};
  const std::vector<std::string> known = {"system:authenticated"};
  const std::vector<std::string> accounts = {"system:serviceaccounts", "system:authenticated"};
  const std::vector<std::string> nodes = {"system:nodes", "system:authenticated"};
  constexpr auto kUsual = ShareRank::kUsual;
  constexpr auto kSystem = ShareRank::kSystem;
  for (const FlowCase& one : std::vector<FlowCase>{
           {"admin", {"system:masters"}, pods, "exempt", "exempt", ShareRank::kExempt},
           {"low", known, probe, "probes", "exempt", kUsual},
           {"system:node:n", nodes, pods, "system-nodes", "system", kSystem},
           {"system:node:n", nodes, status, "system-node-high", "node-high", kSystem},
           {"system:node:n", nodes, heartbeat, "system-node-high", "node-high", kSystem},
           {"system:kube-scheduler",
            known,
            lease,
            "system-leader-election",
            "leader-election",
            kSystem},
           {"system:kube-scheduler", known, pods, "kube-scheduler", "workload-high", kSystem},
           {"system:kube-controller-manager",
            known,
            pods,
            "kube-controller-manager",
            "workload-high",
            kSystem},
           {"system:serviceaccount:kube-system:dns",
            accounts,
            pods,
            "kube-system-service-accounts",
            "workload-high",
            kSystem},
           {"system:serviceaccount:lab:a",
            accounts,
            pods,
            "service-accounts",
            "workload-low",
            kUsual},
           {"system:serviceaccount:lab:a",
            accounts,
            lease,
            "workload-leader-election",
            "leader-election",
            kUsual},
           {"low", known, pods, "global-default", "global-default", kUsual},
           {"system:anonymous",
            {"system:unauthenticated"},
            pods,
            "global-default",
            "global-default",
            kUsual},
           {"odd", {}, pods, "catch-all", "catch-all", kUsual}}) {
    const access::User user{.name = one.name, .uid = {}, .groups = one.groups};
    const Flow flow = FlowOf(user, one.asked);
    EXPECT_EQ(flow.schema, one.schema) << one.name;
    EXPECT_EQ(flow.level, one.level) << one.name;
    EXPECT_EQ(OwnerOf(user)->rank, one.rank) << one.name;
    EXPECT_EQ(OwnerOf(user)->name, "user " + one.name);
  }
}

}  // namespace
}  // namespace dray::server::http
