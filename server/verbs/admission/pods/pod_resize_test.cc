// SPDX-License-Identifier: Apache-2.0
// A pod on a node can be resized only to what the node could ever give it.
#include "server/verbs/admission/pods/pod_resize.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::admission::inline pods {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PodResize : public testing::ServerTest {
 protected:
  /// A node with two CPUs and 1 GiB.
  void AddNode(std::string_view name, std::string_view labels = "") {
    ASSERT_THAT(Post("nodes",
                     "",
                     fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}}}}},"status":)"
                                 R"({{"capacity":{{"cpu":"2","memory":"1Gi"}},)"
                                 R"("allocatable":{{"cpu":"2","memory":"1Gi"}}}}}})",
                                 name,
                                 labels)),
                StartsWith("201 "));
  }
  /// A pod "p" with two containers that ask for half a CPU and 256 MiB each.
  void AddPod(std::string_view node) {
    constexpr std::string_view kContainer =
        R"({{"name":"{}","image":"i","resources":{{"requests":{{"cpu":"500m","memory":"256Mi"}}}}}})";
    ASSERT_THAT(
        Post("pods",
             "default",
             fmt::format(
                 R"({{"metadata":{{"name":"p"}},"spec":{{"nodeName":"{}","containers":[{},{}]}}}})",
                 node,
                 fmt::format(kContainer, "a"),
                 fmt::format(kContainer, "b"))),
        StartsWith("201 "));
  }
  /// Container "a" asks for that much, in the release.
  ResourceRequest Resize(std::string_view cpu,
                         std::string_view memory,
                         api::Release release = api::Release::kAny) {
    ResourceRequest request = Request(Verb::kPatch, "pods", "default", "p");
    request.subresource = "resize";
    request.release = release;
    request.patch_type = patch::PatchType::kStrategicMerge;
    request.body = fmt::format(
        R"({{"spec":{{"containers":[{{"name":"a","resources":{{"requests":{{"cpu":"{}","memory":"{}"}}}}}}]}}}})",
        cpu,
        memory);
    return request;
  }
};

TEST_F(PodResize, UpToWhatTheNodeCanAllocate) {
  AddNode("n");
  AddPod("n");
  EXPECT_THAT(Do(Resize("1500m", "768Mi")), StartsWith("200 ")) << "all of it";
  const verbs::Answer answer = Ask(Resize("1501m", "769Mi"));
  ASSERT_FALSE(answer.outcome.has_value());
  const Error& error = answer.outcome.error();
  EXPECT_EQ(error.reason, StatusReason::kForbidden);
  EXPECT_EQ(error.message,
            "pods \"p\" is forbidden: node didn't have enough allocatable resources: "
            "cpu, requested: 2001, allocatable: 2000; "
            "memory, requested: 1074790400, allocatable: 1073741824");
  ASSERT_EQ(error.causes.size(), 1U);
  EXPECT_EQ(error.causes[0], (ErrorCause{.reason = "NodeCapacity", .field = "", .message = ""}));
  EXPECT_THAT(Do(Resize("100m", "769Mi")),
              HasSubstr("resources: memory, requested: 1074790400, allocatable: 1073741824"));
}

TEST_F(PodResize, OnLinuxOnly) {
  AddNode("n", R"("kubernetes.io/os":"windows")");
  AddPod("n");
  const verbs::Answer answer = Ask(Resize("1", "256Mi"));
  ASSERT_FALSE(answer.outcome.has_value());
  EXPECT_EQ(answer.outcome.error().message,
            "pods \"p\" is forbidden: pod resize is only supported on linux nodes, node \"n\" is "
            "\"windows\"");
  ASSERT_EQ(answer.outcome.error().causes.size(), 1U);
  EXPECT_EQ(answer.outcome.error().causes[0].reason, "UnsupportedPlatform");
  EXPECT_THAT(Do(Resize("500m", "256Mi")), StartsWith("200 ")) << "nothing changes";
}

TEST_F(PodResize, NeedsTheNodeThatThePodNames) {
  AddPod("gone");
  EXPECT_EQ(Do(Resize("1", "256Mi")),
            R"(403 Forbidden: pods "p" is forbidden: node "gone" not found)");
}

TEST_F(PodResize, APodWithoutANodeTakesAnything) {
  AddPod("");
  EXPECT_THAT(Do(Resize("100", "1Ti")), StartsWith("200 "));
}

TEST_F(PodResize, ReleasesBefore136DoNotLookAtTheNode) {
  AddNode("n");
  AddPod("n");
  EXPECT_THAT(Do(Resize("100", "256Mi", api::Release::k1_36)), StartsWith("403 "));
  EXPECT_THAT(Do(Resize("100", "256Mi", api::Release::k1_35)), StartsWith("200 "));
}

}  // namespace
}  // namespace dray::server::verbs::admission::inline pods
