// SPDX-License-Identifier: Apache-2.0
#include "server/access/bootstrap_policy.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "api/rbac_v1.h"
#include "server/access/rbac.h"

namespace dray::server::access {
namespace {

namespace rbac = api::rbac_v1;

Policy TheirPolicy(const std::vector<api::Object>& objects) {
  PolicyObjects all;
  for (const api::Object& object : objects) {
    if (const auto* one = object.If<rbac::Role>()) all.roles.push_back(*one);
    if (const auto* one = object.If<rbac::ClusterRole>()) all.cluster_roles.push_back(*one);
    if (const auto* one = object.If<rbac::RoleBinding>()) all.bindings.push_back(*one);
    if (const auto* one = object.If<rbac::ClusterRoleBinding>()) {
      all.cluster_bindings.push_back(*one);
    }
  }
  return Policy(all);
}

TEST(BootstrapPolicy, EveryObjectIsThereOnce) {
  std::map<std::string, int> kinds;
  std::set<std::string> keys;
  for (const api::Object& object : BootstrapPolicy({})) {
    ++kinds[std::string(object.kind().kind)];
    EXPECT_TRUE(keys.insert(std::string(object.kind().kind) + "/" + object.metadata().namespace_ +
                            "/" + object.metadata().name)
                    .second)
        << object.metadata().name;
  }
  EXPECT_GE(kinds["ClusterRole"], 73);
  EXPECT_GE(kinds["ClusterRoleBinding"], 55);
  EXPECT_EQ(kinds["Role"], 7);
  EXPECT_EQ(kinds["RoleBinding"], 7);
}

TEST(BootstrapPolicy, EveryBindingHasItsRole) {
  const std::vector<api::Object> objects = BootstrapPolicy({});
  const Policy policy = TheirPolicy(objects);
  for (const api::Object& object : objects) {
    if (const auto* one = object.If<rbac::ClusterRoleBinding>()) {
      EXPECT_TRUE(policy.RoleOf(one->role_ref, "") != nullptr) << one->metadata.name;
    }
    if (const auto* one = object.If<rbac::RoleBinding>()) {
      EXPECT_TRUE(policy.RoleOf(one->role_ref, one->metadata.namespace_) != nullptr)
          << one->metadata.name;
    }
  }
}

struct Case {
  const char* name;
  User user;
  Attributes asked;
  bool want;
};

class BootstrapPolicyTable : public ::testing::TestWithParam<Case> {};

TEST_P(BootstrapPolicyTable, IsKubernetes) {
  static const Policy kPolicy = TheirPolicy(BootstrapPolicy({}));
  EXPECT_EQ(kPolicy.Decide(GetParam().user, GetParam().asked).is_allowed, GetParam().want);
}

const User kBob{.name = "bob", .uid = "", .groups = {"system:authenticated"}};
const User kNobody{.name = "system:anonymous", .uid = "", .groups = {"system:unauthenticated"}};
const User kScheduler{.name = "system:kube-scheduler", .uid = ""};

INSTANTIATE_TEST_SUITE_P(
    All,
    BootstrapPolicyTable,
    ::testing::Values(
        Case{"Discovery", kBob, {.verb = "get", .path = "/apis/resource.k8s.io/v1"}, true},
        Case{"Metrics", kBob, {.verb = "get", .path = "/metrics"}, false},
        Case{"Health", kNobody, {.verb = "get", .path = "/healthz"}, true},
        Case{"NoDiscovery", kNobody, {.verb = "get", .path = "/apis"}, false},
        Case{"OwnRights",
             kBob,
             {.verb = "create",
              .group = "authorization.k8s.io",
              .resource = "selfsubjectaccessreviews"},
             true},
        Case{"Pods", kBob, {.verb = "get", .resource = "pods"}, false},
        Case{"SchedulerBinds",
             kScheduler,
             {.verb = "create", .resource = "pods", .subresource = "binding"},
             true},
        Case{"SchedulerAllocates",
             kScheduler,
             {.verb = "patch",
              .group = "resource.k8s.io",
              .resource = "resourceclaims",
              .subresource = "binding"},
             true},
        Case{"SchedulerReadsNoSecrets", kScheduler, {.verb = "get", .resource = "secrets"}, false}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dray::server::access
