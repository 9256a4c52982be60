// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/owner_references.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"
#include "server/verbs/admission/plugin_set.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kPlugin = "OwnerReferencesPermissionEnforcement";

/// A user who may do to ConfigMaps all but delete them, until a role says more.
class OwnerReferences : public testing::ServerTest {
 protected:
  OwnerReferences()
      : ServerTest(
            {.plugins = *PluginSet::Usual().Changed({std::string(kPlugin)}, {}), .rbac = true}) {
    EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
    EXPECT_THAT(AsAdmin("pods",
                        R"({"metadata":{"name":"owner"},"spec":{"containers":[)"
                        R"({"name":"c","image":"i"}],"serviceAccountName":"default"}})"),
                StartsWith("201 "));
  }

  std::string As(std::string_view user, ResourceRequest request) {
    User asking{.name = std::string(user), .uid = "", .groups = {}};
    if (user == "admin") asking.groups = {"system:masters"};
    request.user = std::move(asking);
    return Do(std::move(request));
  }
  std::string AsAdmin(std::string_view plural, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, "default", "");
    request.body = std::move(body);
    return As("admin", std::move(request));
  }
  /// Gives the user a right in the namespace.
  void Allow(std::string_view name, std::string_view rule) {
    EXPECT_THAT(
        AsAdmin("roles", fmt::format(R"({{"metadata":{{"name":"{}"}},"rules":[{}]}})", name, rule)),
        StartsWith("201 "));
    EXPECT_THAT(AsAdmin("rolebindings",
                        fmt::format(R"({{"metadata":{{"name":"{0}"}},"roleRef":{{"apiGroup":)"
                                    R"("rbac.authorization.k8s.io","kind":"Role","name":"{0}"}},)"
                                    R"("subjects":[{{"apiGroup":"rbac.authorization.k8s.io",)"
                                    R"("kind":"User","name":"user"}}]}})",
                                    name)),
                StartsWith("201 "));
  }
  static std::string Owner(std::string_view more = "", std::string_view kind = "Pod") {
    return fmt::format(
        R"([{{"apiVersion":"v1","kind":"{}","name":"owner","uid":"u"{}}}])", kind, more);
  }
  static std::string Map(std::string_view owners) {
    return fmt::format(R"({{"metadata":{{"name":"m","ownerReferences":{}}}}})", owners);
  }
  std::string Create(std::string_view owners, std::string_view user = "user") {
    ResourceRequest request = Request(Verb::kCreate, "configmaps", "default", "");
    request.body = Map(owners);
    return As(user, std::move(request));
  }
  std::string Update(std::string_view owners, std::string_view user = "user") {
    ResourceRequest request = Request(Verb::kUpdate, "configmaps", "default", "m");
    request.body = Map(owners);
    return As(user, std::move(request));
  }

  static constexpr std::string_view kBlocks = R"(,"blockOwnerDeletion":true)";
};

TEST_F(OwnerReferences, ACreateMaySetOnesThatBlockNothing) {
  EXPECT_THAT(Create(Owner()), StartsWith("201 "));
}

TEST_F(OwnerReferences, AnUpdateNeedsTheRightToDelete) {
  ASSERT_THAT(Create("[]"), StartsWith("201 "));
  EXPECT_EQ(Update(Owner()),
            R"(403 Forbidden: configmaps "m" is forbidden: cannot set an ownerRef on a resource )"
            "you can't delete: , <nil>");
  EXPECT_THAT(Update("[]"), StartsWith("200 "));
  Allow("deletes", R"({"apiGroups":[""],"resources":["configmaps"],"verbs":["delete"]})");
  EXPECT_THAT(Update(Owner()), StartsWith("200 "));
}

TEST_F(OwnerReferences, OneThatBlocksNeedsTheRightToTheOwnersFinalizers) {
  EXPECT_EQ(Create(Owner(kBlocks)),
            R"(403 Forbidden: configmaps "m" is forbidden: cannot set blockOwnerDeletion if an )"
            "ownerReference refers to a resource you can't set finalizers on: , <nil>");
  Allow("blocks",
        R"({"apiGroups":[""],"resources":["pods/finalizers"],"resourceNames":["owner"],)"
        R"("verbs":["update"]})");
  EXPECT_THAT(Create(Owner(kBlocks)), StartsWith("201 "));
}

TEST_F(OwnerReferences, OneThatBlocksHasAnOwnerOfAServedKind) {
  EXPECT_EQ(Create(Owner(kBlocks, "Stranger")),
            R"(403 Forbidden: configmaps "m" is forbidden: cannot set blockOwnerDeletion in this )"
            R"(case because cannot find RESTMapping for APIVersion v1 Kind Stranger: no matches )"
            R"(for kind "Stranger" in version "v1")");
  EXPECT_THAT(Create(Owner(kBlocks, "Stranger"), "admin"), StartsWith("201 "));
}

TEST_F(OwnerReferences, OneThatBlockedBeforeNeedsNoRightToTheOwner) {
  Allow("deletes", R"({"apiGroups":[""],"resources":["configmaps"],"verbs":["delete"]})");
  ASSERT_THAT(Create(Owner(kBlocks), "admin"), StartsWith("201 "));
  EXPECT_THAT(Update(Owner(R"(,"blockOwnerDeletion":true,"controller":true)")), StartsWith("200 "));
  ASSERT_THAT(Update(Owner()), StartsWith("200 "));
  EXPECT_THAT(Update(Owner(kBlocks)),
              AllOf(StartsWith("403 "), HasSubstr("you can't set finalizers on")));
}

}  // namespace
}  // namespace dray::server::verbs::admission
