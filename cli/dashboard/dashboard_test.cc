// SPDX-License-Identifier: Apache-2.0
// Questions of the dashboard about a cluster of two nodes with two GPUs each, of which pod `old`
// has one.
#include "cli/dashboard/dashboard.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/kind.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "cli/dashboard/allocation_history.h"
#include "cli/dashboard/what_if_question.h"
#include "manifests/objects.h"
#include "net/url.h"
#include "server/errors/errors.h"
#include "server/http/pages.h"
#include "server/registry/served_kinds.h"

namespace dray::cli::inline dashboard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string NodeWithGpus(std::string_view name) {
  return fmt::format(
      "---\n"
      "apiVersion: v1\n"
      "kind: Node\n"
      "metadata: {{name: {0}}}\n"
      "---\n"
      "apiVersion: resource.k8s.io/v1\n"
      "kind: ResourceSlice\n"
      "metadata: {{name: {0}-gpus}}\n"
      "spec:\n"
      "  driver: gpu.example.com\n"
      "  nodeName: {0}\n"
      "  pool: {{name: {0}, generation: 1, resourceSliceCount: 1}}\n"
      "  devices: [{{name: gpu-0}}, {{name: gpu-1}}]\n",
      name);
}

constexpr std::string_view kInUse = R"(---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: taken, namespace: default, uid: u-taken}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
status:
  reservedFor: [{resource: pods, name: old, uid: u-old}]
  allocation:
    devices: {results: [{request: gpu, driver: gpu.example.com, pool: a, device: gpu-0}]}
---
apiVersion: v1
kind: Pod
metadata: {name: old, namespace: default, uid: u-old}
spec:
  nodeName: a
  resourceClaims: [{name: gpu, resourceClaimName: taken}]
  containers: [{name: main, image: i}]
)";

/// A pod that wants two GPUs, as a string in JSON.
constexpr std::string_view kPair =
    R"("apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: pair}\n)"
    R"(spec: {spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu, count: 2}}]}}}\n)"
    R"(---\napiVersion: v1\nkind: Pod\nmetadata: {name: new}\nspec:\n)"
    R"(  resourceClaims: [{name: gpus, resourceClaimTemplateName: pair}]\n)"
    R"(  containers: [{name: main, image: i}]\n")";

class DashboardTest : public ::testing::Test {
 protected:
  DashboardTest() {
    const std::string text = NodeWithGpus("a") + NodeWithGpus("b") + std::string(kInUse);
    auto read = manifests::ReadManifestText(
        text, "cluster", scheme_, 100, manifests::UnknownKinds::kSkipped);
    EXPECT_TRUE(read.has_value());
    objects_ = std::move(read->objects);
  }

  /// The objects of a kind, unless the user may not list them.
  Result<std::vector<api::Object>> List(const api::KindInfo& kind, const std::string& namespace_) {
    if (forbidden_.contains(std::string(kind.plural)))
      return Fail(server::errors::WithoutSubject(StatusReason::kForbidden, "no"));
    std::vector<api::Object> found;
    for (const manifests::ManifestObject& one : objects_) {
      const api::Object& object = one.object;
      const bool is_there = namespace_.empty() || object.metadata().namespace_ == namespace_;
      if (&object.kind() == &kind && is_there) found.push_back(object);
    }
    return found;
  }

  /// The answer, or "reason: message".
  std::string Ask(std::string_view name, std::string_view body, const std::string& query = "") {
    const auto parsed = net::Query::Parse(query);
    const auto answer = pages_->Answer(
        {.name = name,
         .query = *parsed,
         .list = [this](const api::KindInfo& kind,
                        const std::string& namespace_) { return List(kind, namespace_); },
         .body = body});
    if (answer) return *answer;
    return fmt::format("{}: {}", ReasonName(answer.error().reason), answer.error().message);
  }
  std::string WhatIf(std::string_view body) { return Ask("whatif", body); }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  std::vector<manifests::ManifestObject> objects_;
  std::set<std::string> forbidden_;
  const std::shared_ptr<const server::http::Pages> pages_ =
      MakeDashboard(world_.world(), server::registry::Emulation());
};

TEST_F(DashboardTest, OnlyWhatIfHasABody) {
  EXPECT_TRUE(pages_->HasBody("whatif"));
  EXPECT_FALSE(pages_->HasBody("explain"));
  EXPECT_FALSE(pages_->HasBody("other"));
}

TEST_F(DashboardTest, DevicesAreJudgedEachByItself) {
  const std::string rule =
      "apiVersion: resource.k8s.io/v1\n"
      "kind: DeviceTaintRule\n"
      "metadata: {name: r}\n"
      "spec:\n"
      "  deviceSelector: {driver: gpu.example.com, pool: a}\n"
      "  taint: {key: k, effect: NoSchedule}\n";
  auto read =
      manifests::ReadManifestText(rule, "rule", scheme_, 1, manifests::UnknownKinds::kSkipped);
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->objects.size(), 1U);
  objects_.push_back(read->objects[0]);
  for (manifests::ManifestObject& one : objects_) {
    if (one.object.kind().kind != "Node" || one.object.metadata().name != "b") continue;
    one.object = one.object.Clone();
    one.object.Mutable<api::core_v1::Node>().spec.unschedulable = true;
  }
  EXPECT_EQ(Ask("devices", ""),
            R"({"pools":[{"driver":"gpu.example.com","pool":"a","devices":{"gpu-0":"used",)"
            R"("gpu-1":"tainted"},"tainted":["gpu-0","gpu-1"]},{"driver":"gpu.example.com",)"
            R"("pool":"b","devices":{"gpu-0":"cordoned","gpu-1":"cordoned"}}],"unread":[]})");
}

TEST_F(DashboardTest, WorkIsPlacedAsByTheCommand) {
  const std::string answer = WhatIf(fmt::format(R"({{"manifests": {}}})", kPair));
  EXPECT_THAT(answer,
              AllOf(HasSubstr(R"("schema":"dray/whatif/v1")"),
                    HasSubstr(R"("fits":true)"),
                    HasSubstr(R"("for":"pod default/new")"),
                    HasSubstr(R"("node":"b")"),
                    HasSubstr(R"("unread":[])")));
  EXPECT_THAT(WhatIf(fmt::format(R"({{"manifests": {}, "defaultNamespace": "team"}})", kPair)),
              HasSubstr(R"("for":"pod team/new")"));
  EXPECT_THAT(WhatIf(fmt::format(R"({{"manifests": {}, "replicas": 2}})", kPair)),
              AllOf(HasSubstr(R"("fits":false)"), HasSubstr(R"("for":"pod default/new-1")")));
  EXPECT_THAT(WhatIf(fmt::format(R"({{"manifests": {}, "max": true}})", kPair)),
              HasSubstr(R"("max":1)"));
}

TEST_F(DashboardTest, ChangesComeBeforeTheWorkInTheirOrder) {
  const auto with = [&](std::string_view changes) {
    return WhatIf(fmt::format(R"({{"manifests": {}, "changes": [{}]}})", kPair, changes));
  };
  EXPECT_THAT(with(R"({"drain": "b"})"), HasSubstr(R"("fits":false)"));
  EXPECT_THAT(with(R"({"drain": "b"}, {"delete": "pod/old"})"), HasSubstr(R"("node":"a")"));
  EXPECT_THAT(with(R"({"removeNode": "b"}, {"like": "a"})"), HasSubstr(R"("node":"a-more-0")"));
  EXPECT_THAT(with(R"({"drain": "b"}, {"addNodes": "a=2"})"), HasSubstr(R"("node":"a-more-0")"));
  EXPECT_THAT(with(R"({"taint": "device/gpu.example.com/b=k:NoSchedule"})"),
              HasSubstr(R"("fits":false)"));
  EXPECT_THAT(WhatIf(R"({"changes": [{"drain": "a"}]})"),
              AllOf(HasSubstr(R"("nodeBefore":"a")"), HasSubstr(R"("node":"b")")));
}

TEST_F(DashboardTest, NotesSayWhatWasLeftOut) {
  EXPECT_THAT(
      WhatIf(R"({"manifests": "apiVersion: a/v1\nkind: B\n", "changes": [{"drain": "a"}]})"),
      HasSubstr("BadRequest: nothing was decided: the manifests hold no pod, no claim"));
  EXPECT_THAT(WhatIf(R"({"changes": [{"drain": "b"}]})"),
              HasSubstr(R"("notes":["no pod has to look for another place"])"));
}

TEST_F(DashboardTest, WhatMayNotBeListedIsNamed) {
  forbidden_ = {"pods", "persistentvolumes"};
  EXPECT_THAT(WhatIf(fmt::format(R"({{"manifests": {}}})", kPair)),
              HasSubstr(R"("unread":["pods","persistentvolumes"])"));
}

TEST_F(DashboardTest, RefusalsNameTheFieldAndTheReason) {
  struct Case {
    std::string_view body, message;
  };
  constexpr Case kCases[] = {
      {"", "the body must be a JSON object with manifests or changes"},
      {"[]", "the body must be a JSON object with manifests or changes"},
      {"{", "unexpected end of JSON input"},
      {"{} {}", "after top-level value"},
      {"{}", "nothing is asked: neither manifests nor a change is named"},
      {R"({"manifests": " \n"})", "nothing is asked: neither manifests nor a change is named"},
      {R"({"manifests": 3})", "manifests: must be a string, not number"},
      {R"({"replicas": 0})", "replicas: 0 is not a whole number from 1 to 10000"},
      {R"({"replicas": 10001})", "replicas: 10001 is not a whole number from 1 to 10000"},
      {R"({"replicas": 1.5})", "replicas: 1.5 is not a whole number from 1 to 10000"},
      {R"({"replicas": "3"})", "replicas: must be a number, not string"},
      {R"({"max": 1})", "max: must be true or false, not number"},
      {R"({"max": true, "replicas": 2})", "max and replicas exclude each other"},
      {R"({"max": true, "defragment": true})", "max and defragment exclude each other"},
      {R"({"max": true, "changes": [{"drain": "a"}]})", "--max: the work has no pod"},
      {R"({"replica": 3})",
       R"("replica" is none of manifests, defaultNamespace, replicas, max, defragment, changes)"},
      {R"({"changes": {}})", "changes: must be an array, not object"},
      {R"({"changes": ["a"]})", "changes[0]: must be an object, not string"},
      {R"({"changes": [{"drain": "a"}, {}]})", "changes[1]: must have one member, one of delete"},
      {R"({"changes": [{"drain": "a", "like": "a"}]})", "changes[0]: must have one member"},
      {R"({"changes": [{"upgradeDrivers": "f"}]})",
       R"(changes[0]: "upgradeDrivers" is none of delete, drain, removeNode, like, addNodes, taint, upgradeDriver)"},
      {R"({"changes": [{"upgradeDriver": "/etc/hostname"}]})", "upgradeDriver:1: "},
      {R"({"changes": [{"upgradeDriver": ""}]})", "upgradeDriver: there is no ResourceSlice"},
      {R"({"changes": [{"drain": 1}]})", "changes[0].drain: must be a string, not number"},
      {R"({"changes": [{"drain": "c"}]})", "no node c"},
      {R"({"changes": [{"addNodes": "a"}]})", R"(--add-nodes: "a" is not NODE=COUNT)"},
      {R"({"changes": [{"taint": "a=b:c"}]})", "--taint: "},
      {R"({"manifests": "a: ["})", "manifests:1: "},
      {R"({"manifests": "apiVersion: v1\nkind: Node\nmetadata: {name: node}"})",
       "nothing was decided: the manifests hold no pod, no claim and no workload"},
  };
  for (const Case& one : kCases) {
    EXPECT_THAT(WhatIf(one.body),
                AllOf(StartsWith("BadRequest: "), HasSubstr(std::string(one.message))))
        << one.body;
  }
}

/// `text` so many times, with commas between.
std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all.append(i == 0 ? "" : ", ").append(text);
  return all;
}

TEST_F(DashboardTest, AQuestionHasSoManyChanges) {
  const auto with = [&](size_t changes) {
    return WhatIf(fmt::format(R"({{"changes": [{}]}})", Repeated(R"({"drain": "a"})", changes)));
  };
  EXPECT_THAT(with(kAskedChangesMax), HasSubstr(R"("fits":true)"));
  EXPECT_THAT(with(kAskedChangesMax + 1), HasSubstr("changes: more than 64"));
}

TEST_F(DashboardTest, ChangesAddSoManyNodes) {
  const auto with = [&](size_t nodes) {
    return WhatIf(
        fmt::format(R"({{"changes": [{{"like": "a"}}, {{"addNodes": "a={}"}}]}})", nodes));
  };
  EXPECT_THAT(with(kAskedNodesMax - 1), HasSubstr(R"("fits":true)"));
  EXPECT_THAT(with(kAskedNodesMax),
              HasSubstr("the changes add too many nodes: 999 more are allowed here"));
}

TEST_F(DashboardTest, ManifestsHaveSoManyObjects) {
  const auto with = [&](size_t objects) {
    std::string text;
    for (size_t i = 0; i < objects; ++i)
      text += fmt::format(R"(---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: n{}}}\n)", i);
    return WhatIf(fmt::format(R"({{"manifests": "{}"}})", text));
  };
  EXPECT_THAT(with(kAskedObjectsMax), HasSubstr("the manifests hold no pod"));
  EXPECT_THAT(with(kAskedObjectsMax + 1), HasSubstr("more than 1000 objects"));
}

TEST_F(DashboardTest, SlicesOfANewDriverHaveSoManyObjects) {
  const auto with = [&](size_t objects) {
    std::string text;
    for (size_t i = 0; i < objects; ++i)
      text += fmt::format(R"(---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: n{}}}\n)", i);
    return WhatIf(fmt::format(R"({{"changes": [{{"upgradeDriver": "{}"}}]}})", text));
  };
  EXPECT_THAT(with(kAskedObjectsMax), HasSubstr("there is no ResourceSlice"));
  EXPECT_THAT(with(kAskedObjectsMax + 1), HasSubstr("more than 1000 objects"));
}

TEST_F(DashboardTest, TheWorkHasSoManyPods) {
  const auto with = [&](size_t replicas) {
    const std::string deployment = fmt::format(
        R"(apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec:\n)"
        R"(  replicas: {}\n  selector: {{matchLabels: {{app: d}}}}\n  template:\n)"
        R"(    metadata: {{labels: {{app: d}}}}\n    spec: {{containers: [{{name: m, image: i}}]}}\n)",
        replicas);
    const std::string pod = R"(---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n)"
                            R"(spec: {containers: [{name: m, image: i}]}\n)";
    return WhatIf(fmt::format(R"({{"manifests": "{}{}"}})", deployment, pod));
  };
  EXPECT_THAT(with(kAskedPodsMax - 1), HasSubstr(R"("for":"pod default/d-9998")"));
  EXPECT_THAT(with(kAskedPodsMax), HasSubstr("the work has more than 10000 pods"));
}

/// A history that a test writes down.
class HistoryTest : public ::testing::Test {
 protected:
  /// A claim with devices of node `a`, and one that an administrator looks at.
  api::Object Claim(std::string_view name, const std::vector<std::string>& devices) {
    std::string results = "{request: r, driver: d, pool: a, device: watched, adminAccess: true}";
    for (const std::string& device : devices)
      results += fmt::format(R"(, {{request: r, driver: d, pool: a, device: "{}"}})", device);
    const std::string text = fmt::format(
        "apiVersion: resource.k8s.io/v1\n"
        "kind: ResourceClaim\n"
        "metadata: {{name: {0}, namespace: team, uid: u-{0}}}\n"
        "spec: {{devices: {{requests: []}}}}\n"
        "status: {{allocation: {{devices: {{results: [{1}]}}}}}}\n",
        name,
        results);
    auto read =
        manifests::ReadManifestText(text, "claim", scheme_, 1, manifests::UnknownKinds::kSkipped);
    return read->objects.at(0).object;
  }
  void Change(std::optional<api::Object> before, std::optional<api::Object> after) {
    changes_.push_back({std::move(before), std::move(after)});
  }

  /// The answer, or the reason of an error.
  std::string Ask(size_t changes_max = 100, const std::string& query = "") {
    const auto parsed = net::Query::Parse(query);
    const auto past = [this](const api::KindInfo& kind,
                             const std::string& namespace_,
                             const server::http::SeeTimedPast& see) {
      EXPECT_EQ(kind.plural, "resourceclaims");
      return Show(namespace_, see);
    };
    const auto answer = AllocationHistory(
        {.name = "history", .query = *parsed, .list = {}, .past = past}, changes_max);
    return answer ? *answer : std::string(ReasonName(answer.error().reason));
  }

  Result<server::http::PastSpan> Show(const std::string& namespace_,
                                      const server::http::SeeTimedPast& see) {
    asked_.push_back(namespace_);
    if (namespace_.empty() && is_narrow_) return Fail(StatusReason::kForbidden, "no");
    const WallTime begin{};
    int64_t revision = 10;
    for (const auto& [before, after] : changes_) {
      ++revision;
      const api::Object& named = after.has_value() ? *after : *before;
      see({.revision = Revision(revision),
           .key = named.metadata().name,
           .after = after.has_value() ? &*after : nullptr,
           .before = [&before] { return before.has_value() ? &*before : nullptr; }},
          begin + std::chrono::seconds(revision));
    }
    if (expired_times_ > 0) {
      --expired_times_;
      return Fail(StatusReason::kExpired, "gone");
    }
    return server::http::PastSpan{
        .begin = {.revision = Revision(10), .time = begin + std::chrono::seconds(10)},
        .end = {.revision = Revision(revision), .time = begin + std::chrono::seconds(60)}};
  }

  api::Scheme scheme_;
  std::vector<std::pair<std::optional<api::Object>, std::optional<api::Object>>> changes_;
  std::vector<std::string> asked_;
  bool is_narrow_ = false;
  int expired_times_ = 0;
};

TEST_F(HistoryTest, HasWhatClaimsGetAndGiveBack) {
  Change(std::nullopt, Claim("c", {}));
  Change(Claim("c", {}), Claim("c", {"y", "x", "y"}));
  Change(Claim("c", {"x", "y"}), Claim("c", {"x", "y"}));
  Change(Claim("c", {"x", "y"}), std::nullopt);
  EXPECT_EQ(Ask(),
            R"({"from":{"revision":"10","time":"1970-01-01T00:00:10.000000Z"},)"
            R"("to":{"revision":"14","time":"1970-01-01T00:01:00.000000Z"},"changes":[)"
            R"({"revision":"12","time":"1970-01-01T00:00:12.000000Z","claim":"team/c","uid":"u-c",)"
            R"("devices":["d/a/x","d/a/y"]},)"
            R"({"revision":"14","time":"1970-01-01T00:00:14.000000Z","claim":"team/c","uid":"u-c",)"
            R"("devices":[]}],"unread":[]})");
}

TEST_F(HistoryTest, AClaimThatHadItsDevicesBeforeHasNotChanged) {
  Change(Claim("c", {"x"}), Claim("c", {"x"}));
  EXPECT_THAT(Ask(), HasSubstr(R"("changes":[])"));
  Change(Claim("c", {"x"}), Claim("c", {}));
  EXPECT_THAT(Ask(), HasSubstr(R"("revision":"12")"));
}

TEST_F(HistoryTest, ATooLongOneBeginsLater) {
  for (int i = 0; i < 3; ++i) Change(std::nullopt, Claim(fmt::format("c{}", i), {"x"}));
  EXPECT_THAT(Ask(3), AllOf(HasSubstr(R"("from":{"revision":"10")"), HasSubstr("team/c0")));
  EXPECT_THAT(Ask(2),
              AllOf(HasSubstr(R"("from":{"revision":"11","time":"1970-01-01T00:00:11.)"),
                    Not(HasSubstr("team/c0")),
                    HasSubstr("team/c1")));
}

TEST_F(HistoryTest, AUserOfOneNamespaceGetsThat) {
  is_narrow_ = true;
  EXPECT_THAT(Ask(9, "namespace=team"), HasSubstr(R"("unread":["resourceclaims"])"));
  EXPECT_EQ(asked_, (std::vector<std::string>{"", "team"}));
}

TEST_F(HistoryTest, WhatIsDroppedMeanwhileIsReadAgain) {
  Change(std::nullopt, Claim("c", {"x"}));
  expired_times_ = 2;
  EXPECT_THAT(Ask(), HasSubstr(R"("revision":"11")"));
  expired_times_ = 3;
  EXPECT_EQ(Ask(), "Expired");
}

}  // namespace
}  // namespace dray::cli::inline dashboard
