// SPDX-License-Identifier: Apache-2.0
// Which pods that fit nowhere are explained, when, and with what input.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/event.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "scheduler/reports/unfit_reports.h"
#include "scheduler/scheduler.h"
#include "scheduler/testing/cluster.h"

namespace dray::scheduler::inline reports {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using testing::Cluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

api::Object PodNamed(const std::string& name) {
  core_v1::Pod pod;
  pod.metadata = {.name = name, .namespace_ = "lab", .uid = "uid-" + name};
  return api::Object::Of(std::move(pod));
}

class UnfitReportsTest : public ::testing::Test {
 protected:
  void StepAt(std::chrono::milliseconds since_start) {
    next_ = reports_.Step(
        Moment(since_start),
        [](const std::string& key) -> std::optional<UnfitPod> {
          if (key == "lab/gone") return std::nullopt;
          return UnfitPod{.pod = PodNamed(key.substr(key.find('/') + 1))};
        },
        [this](const api::Object& pod, const std::string& line) {
          reported_.push_back(fmt::format("{}: {}", pod.metadata().name, line));
        });
  }
  static MonotonicTime Moment(std::chrono::milliseconds since_start) {
    return MonotonicTime(std::chrono::hours(1)) + since_start;
  }
  void NoteAt(const std::string& name, std::chrono::milliseconds since_start) {
    reports_.Note(PodNamed(name), Moment(since_start));
  }

  std::string line_ = "too few";
  std::vector<std::string> reported_;
  std::optional<MonotonicTime> next_;
  Wakeup wakeup_;
  UnfitReports reports_{
      [this](const UnfitPod&) { return line_; }, UnfitReports::Place::kHere, wakeup_};
};

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): its literals

TEST_F(UnfitReportsTest, APodIsLookedAtWhenItHasWaitedALittle) {
  NoteAt("a", 0ms);
  StepAt(999ms);
  EXPECT_THAT(reported_, IsEmpty());
  EXPECT_EQ(next_, Moment(kReportAfter));
  StepAt(1s);
  EXPECT_THAT(reported_, ElementsAre("a: too few"));
  EXPECT_EQ(next_, std::nullopt);
}

TEST_F(UnfitReportsTest, OneThatGoesBeforeIsNot) {
  NoteAt("a", 0ms);
  reports_.Forget("uid-a");
  NoteAt("gone", 0ms);
  StepAt(2s);
  EXPECT_THAT(reported_, IsEmpty());
}

TEST_F(UnfitReportsTest, TheSameLineIsToldSeldomAnotherOneAtTheNextLook) {
  for (int second = 0; second < 601; ++second) {
    if (second == 90) line_ = "none left";
    NoteAt("a", std::chrono::seconds(second));
    StepAt(std::chrono::seconds(second));
  }
  // At 1 s, at the first explanation after the 90th second, and after five more minutes.
  EXPECT_THAT(reported_, ElementsAre("a: too few", "a: none left", "a: none left"));
}

TEST_F(UnfitReportsTest, NothingToSayIsNotSaid) {
  line_ = "";
  NoteAt("a", 0ms);
  StepAt(1s);
  EXPECT_THAT(reported_, IsEmpty());
}

TEST_F(UnfitReportsTest, LooksAreSpacedAndPodsBounded) {
  for (size_t i = 0; i <= kReportedPodsMax; ++i) NoteAt(fmt::format("pod-{}", i), 0ms);
  EXPECT_EQ(reports_.size(), kReportedPodsMax);
  StepAt(1s);
  StepAt(1s);
  EXPECT_THAT(reported_, SizeIs(1));
  EXPECT_EQ(next_, Moment(1s + kReportInterval));
  StepAt(1s + kReportInterval);
  EXPECT_THAT(reported_, SizeIs(2));
}

class UnfitTest : public ::testing::Test {
 protected:
  Scheduler::Options Explaining() {
    Scheduler::Options options = cluster_.Options();
    options.explain = [this](const UnfitPod& pod) {
      asked_.push_back(pod);
      return fmt::format("{} nodes", pod.nodes.size());
    };
    return options;
  }
  std::vector<std::string> Reported() {
    std::vector<std::string> reported;
    for (const api::Object& object :
         cluster_.client.List(api::Reflected<core_v1::Event>::kKind, {})->items) {
      const auto& event = object.As<core_v1::Event>();
      if (event.reason != kDevicesUnavailable) continue;
      reported.push_back(fmt::format("{} {}", event.involved_object.name, event.message));
    }
    return reported;
  }

  static std::vector<std::string> NodeNames(const UnfitPod& pod) {
    std::vector<std::string> names;
    for (const NodeState& node : pod.nodes) names.push_back(node.value().metadata.name);
    return names;
  }

  Cluster cluster_;
  std::vector<UnfitPod> asked_;
};

TEST_F(UnfitTest, IsAskedWithWhatItTakesToKnowWhy) {
  cluster_.AddClass();
  cluster_.AddNode("a", 2);
  cluster_.AddNode("b", 2);
  cluster_.AddClaim("held");
  cluster_.AddClaim("large", 3);
  cluster_.AddPod("user", {"held"});
  cluster_.AddPod("worker", {"large"});
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), Explaining());
  cluster_.Settle(scheduler, 2);
  ASSERT_THAT(asked_, SizeIs(1));
  const UnfitPod& pod = asked_[0];
  EXPECT_EQ(pod.pod.metadata().name, "worker");
  EXPECT_THAT(pod.claims, SizeIs(1));
  EXPECT_THAT(pod.nodes, SizeIs(2));
  EXPECT_FALSE(pod.is_sample);
  EXPECT_THAT(pod.slices, SizeIs(2));
  EXPECT_THAT(pod.classes, SizeIs(1));
  ASSERT_THAT(pod.holders, SizeIs(1));
  EXPECT_EQ(pod.holders[0].metadata().name, "held");
  EXPECT_THAT(Reported(), ElementsAre("worker 2 nodes"));
  EXPECT_EQ(cluster_.Condition("worker"),
            "False Unschedulable: 0/2 nodes are available: 2 cannot allocate all claims. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

TEST_F(UnfitTest, OnlyAboutPodsThatWantDevices) {
  cluster_.AddPod("plain", {});
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), Explaining());
  cluster_.Settle(scheduler, 2);
  EXPECT_NE(cluster_.Condition("plain"), "");
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(UnfitTest, OfManyNodesSome) {
  cluster_.AddClass();
  for (size_t i = 0; i <= kUnfitNodesMax; ++i) cluster_.AddNode(fmt::format("n-{}", i), 1);
  cluster_.AddClaim("large", 3);
  cluster_.AddPod("worker", {"large"});
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), Explaining());
  cluster_.Settle(scheduler, 2);
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_THAT(asked_[0].nodes, SizeIs(kUnfitNodesMax));
  EXPECT_TRUE(asked_[0].is_sample);
}

TEST_F(UnfitTest, OfManyNodesSomeOfEachKind) {
  cluster_.AddClass();
  for (size_t i = 0; i <= kUnfitNodesMax; ++i) cluster_.AddNode(fmt::format("n-{}", i), 1);
  cluster_.AddNode("z-largest", 2);
  cluster_.AddNode("z-none", 0);
  cluster_.AddClaim("large", 3);
  cluster_.AddPod("worker", {"large"});
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), Explaining());
  cluster_.Settle(scheduler, 2);
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_THAT(NodeNames(asked_[0]), IsSupersetOf({"z-largest", "z-none"}));
  EXPECT_THAT(asked_[0].nodes, SizeIs(kUnfitNodesMax));
}

TEST_F(UnfitTest, OnlyOfNodesWhereItsOtherClaimsHaveDevices) {
  cluster_.AddClass();
  for (size_t i = 0; i <= kUnfitNodesMax; ++i) cluster_.AddNode(fmt::format("n-{}", i), 1);
  cluster_.AddNode("z", 1);
  cluster_.AddClaim("held");
  api::Object pinned = api::Object::Of(cluster_.Claim("held")).Clone();
  auto& status = pinned.Mutable<resource_v1::ResourceClaim>().status;
  status.reserved_for.push_back({.resource = "pods", .name = "other", .uid = "other"});
  auto& allocation = status.allocation.emplace();
  allocation.devices.results.push_back(
      {.request = "gpu", .driver = "gpu.acme.example", .pool = "z", .device = "gpu-0"});
  core_v1::NodeSelectorTerm term;
  term.match_fields.push_back({.key = "metadata.name", .operator_ = "In", .values = {"z"}});
  allocation.node_selector.emplace().node_selector_terms.push_back(std::move(term));
  Cluster::Must(cluster_.client.Update(pinned, "status"));
  cluster_.AddClaim("large", 3);
  cluster_.AddPod("worker", {"held", "large"});
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), Explaining());
  cluster_.Settle(scheduler, 2);
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_THAT(NodeNames(asked_[0]), ElementsAre("z"));
  EXPECT_FALSE(asked_[0].is_sample);
}

TEST_F(UnfitTest, NotAboutMoreDevicesThanItsBound) {
  cluster_.AddClass();
  cluster_.AddNode("a", kUnfitDevicesMax);
  cluster_.AddClaim("none");
  api::Object picky = api::Object::Of(cluster_.Claim("none")).Clone();
  picky.Mutable<resource_v1::ResourceClaim>().spec.devices.requests[0].exactly->selectors = {
      {.cel = resource_v1::CELDeviceSelector{.expression = "false"}}};
  Cluster::Must(cluster_.client.Update(picky, {}));
  cluster_.AddPod("worker", {"none"});
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), Explaining());
  cluster_.Settle(scheduler, 2);
  ASSERT_THAT(asked_, SizeIs(1));
  cluster_.AddNode("a-more", kUnfitDevicesMax + 1);
  cluster_.Settle(scheduler, 62);
  ASSERT_THAT(asked_, SizeIs(2));
  EXPECT_THAT(asked_[1].nodes, SizeIs(1));
  EXPECT_TRUE(asked_[1].is_sample);
}

TEST_F(UnfitTest, AThreadOfItsOwnLooksAndTheSchedulerTells) {
  cluster_.AddClass();
  cluster_.AddNode("a", 2);
  cluster_.AddClaim("large", 3);
  cluster_.AddPod("worker", {"large"});
  Scheduler::Options options = Explaining();
  options.explains_elsewhere = true;
  Scheduler scheduler(cluster_.client, cluster_.world.world(), Log::Silent(), options);
  cluster_.Settle(scheduler, 2);
  EXPECT_THAT(asked_, IsEmpty());
  scheduler.Stop();          // a question that was handed over is still answered
  scheduler.RunExplainer();  // by a thread that starts late
  EXPECT_THAT(asked_, SizeIs(1));
}

}  // namespace
}  // namespace dray::scheduler::inline reports
