// SPDX-License-Identifier: Apache-2.0
// LimitRanges give new pods default requests and limits, and bound those of pods and volume claims.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LimitRangesTest : public testing::ServerTest {
 protected:
  LimitRangesTest() {
    DoCreate("namespaces", "", R"({"metadata":{"name":"lab"}})");
    DoCreate("limitranges",
             "lab",
             R"({"metadata":{"name":"l"},"spec":{"limits":[)"
             R"({"type":"Container","default":{"cpu":"1"},"max":{"cpu":"2"}},)"
             R"({"type":"PersistentVolumeClaim","max":{"storage":"2Gi"}}]}})");
  }
  std::string DoCreate(std::string_view plural, std::string_view namespace_, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Pod(std::string_view resources) {
    return DoCreate(
        "pods",
        "lab",
        fmt::format(
            R"({{"metadata":{{"name":"p"}},"spec":{{"containers":[{{"name":"c","image":"i","resources":{}}}]}}}})",
            resources));
  }
};

TEST_F(LimitRangesTest, APodThatSaysNothingGetsTheDefault) {
  EXPECT_THAT(
      Pod("{}"),
      AllOf(
          StartsWith("201 "),
          HasSubstr(R"("limits":{"cpu":"1"})"),
          HasSubstr(R"("qosClass":"Burstable")"),
          HasSubstr("LimitRanger plugin set: cpu request for container c; cpu limit for container "
                    "c"),
          Not(HasSubstr("f:limits"))))
      << "and no manager owns what admission decides";
}

TEST_F(LimitRangesTest, WhatWantsMoreIsRefused) {
  EXPECT_THAT(Pod(R"({"limits":{"cpu":"2"}})"), StartsWith("201 "));
  EXPECT_THAT(
      Pod(R"({"limits":{"cpu":"3"}})"),
      AllOf(StartsWith("403 "),
            HasSubstr(
                R"(pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3)")));
  EXPECT_THAT(
      DoCreate("persistentvolumeclaims",
               "lab",
               R"({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],)"
               R"("resources":{"requests":{"storage":"3Gi"}}}})"),
      AllOf(StartsWith("403 "),
            HasSubstr("maximum storage usage per PersistentVolumeClaim is 2Gi, but request is "
                      "3Gi")));
}

}  // namespace
}  // namespace dray::server::verbs::admission
