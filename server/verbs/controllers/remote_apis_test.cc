// SPDX-License-Identifier: Apache-2.0
// APIServices that name a service, through the verbs.
#include "server/verbs/controllers/remote_apis.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "server/testing/commits.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::inline controllers {
namespace {

class RemoteApiTest : public testing::ServerTest {
 protected:
  // Waits for the controller, which works on a thread of its own, until the APIService has `text`.
  void AwaitService(std::string_view text) {
    commits_.WaitUntil([&] { return Read("apiservices", "", "v1.far.test").contains(text); });
  }

  std::string Register(std::string_view more) {
    return Post("apiservices",
                "",
                std::string(R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService",)")
                    .append(R"("metadata":{"name":"v1.far.test"},"spec":{"group":"far.test",)")
                    .append(R"("version":"v1","groupPriorityMinimum":100,"versionPriority":10)")
                    .append(more)
                    .append("}}"));
  }

  testing::Commits commits_{store_};
};

TEST_F(RemoteApiTest, TheirConditionsSayWhyTheyCannotBeReached) {
  const std::string made = Register(R"(,"service":{"namespace":"default","name":"far"})");
  EXPECT_TRUE(made.contains(R"("service":{"namespace":"default","name":"far","port":443})"))
      << made;
  AwaitService(
      R"("reason":"ServiceNotFound","message":"service/far in \"default\" is not present")");
  Post("services",
       "default",
       R"({"metadata":{"name":"far"},"spec":{"clusterIP":"None","ports":[{"port":80}]}})");
  AwaitService(R"(service/far in \"default\" is not listening on port 443)");
  Delete("services", "default", "far");
  AwaitService("ServiceNotFound");
  Post("services",
       "default",
       R"({"metadata":{"name":"far"},"spec":{"clusterIP":"None","ports":[{"port":443}]}})");
  AwaitService(R"(cannot find endpointslices for service/far in \"default\")");
  const Frozen<RemoteApiList> list = resources_.remote_apis()->Now();
  ASSERT_NE(list->Find("far.test", "v1"), nullptr);
  EXPECT_FALSE(list->Find("far.test", "v1")->is_available);
  EXPECT_EQ(list->Find("far.test", "v2"), nullptr);
  EXPECT_TRUE(list->GroupJson("far.test").contains(R"("groupVersion":"far.test/v1")"));
  EXPECT_EQ(list->GroupJson("apps"), "");
}

TEST_F(RemoteApiTest, WhatIsServedHereIsAvailableAtOnce) {
  EXPECT_TRUE(Register("").contains(R"("reason":"Local")"));
  EXPECT_EQ(resources_.remote_apis()->Now()->Find("far.test", "v1"), nullptr);
}

TEST_F(RemoteApiTest, AreJudgedAsUpstreamJudgesThem) {
  EXPECT_TRUE(Register(R"(,"insecureSkipTLSVerify":true)")
                  .contains("local APIServices may not have insecureSkipTLSVerify"));
  EXPECT_TRUE(Register(R"(,"service":{"namespace":"a","name":"b","port":99999})")
                  .contains("spec.service.port: Invalid value: 99999: port is not valid"));
  const std::string named = Post(
      "apiservices",
      "",
      R"({"metadata":{"name":"x"},"spec":{"group":"far.test","version":"v1","groupPriorityMinimum":1,"versionPriority":1}})");
  EXPECT_TRUE(named.contains(R"(must be `spec.version+"."+spec.group`: "v1.far.test")")) << named;
}

}  // namespace
}  // namespace dray::server::verbs::inline controllers
