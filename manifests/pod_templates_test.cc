// SPDX-License-Identifier: Apache-2.0
#include "manifests/pod_templates.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/batch_v1/job.h"

namespace dray::manifests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kTemplate = R"({"spec":{"containers":[{"name":"c"}]}})";

/// PATH LABEL COUNT of each template of an object with this spec, in which T is a template.
std::vector<std::string> Found(std::string spec) {
  for (size_t at = spec.find('T'); at != std::string::npos; at = spec.find('T', at + 1)) {
    if (at == 0 || spec[at - 1] != ':') continue;
    spec.replace(at, 1, kTemplate);
  }
  std::vector<std::string> found;
  for (const PodTemplate& one : PodTemplatesIn(fmt::format(R"({{"spec":{}}})", spec))) {
    found.push_back(fmt::format(
        "{} {} {}{}", one.path, one.label, one.count, one.is_suspended ? " suspended" : ""));
  }
  return found;
}

TEST(PodTemplates, AreFoundInKindsOfKnownShape) {
  // RayCluster
  EXPECT_THAT(Found(R"({"headGroupSpec":{"template":T},
                        "workerGroupSpecs":[{"replicas":2,"template":T},
                                            {"groupName":"Small","replicas":3,"template":T}]})"),
              ElementsAre("spec.headGroupSpec.template head 1",
                          "spec.workerGroupSpecs[0].template worker-0 2",
                          "spec.workerGroupSpecs[1].template small 3"));
  // LeaderWorkerSet
  EXPECT_THAT(Found(R"({"replicas":2,"leaderWorkerTemplate":{"size":4,"workerTemplate":T}})"),
              ElementsAre("spec.leaderWorkerTemplate.workerTemplate worker 8"));
  EXPECT_THAT(Found(R"({"replicas":2,"leaderWorkerTemplate":
                        {"size":4,"leaderTemplate":T,"workerTemplate":T}})"),
              ElementsAre("spec.leaderWorkerTemplate.leaderTemplate leader 2",
                          "spec.leaderWorkerTemplate.workerTemplate worker 6"));
  // JobSet
  EXPECT_THAT(Found(R"({"suspend":true,"replicatedJobs":[{"name":"workers","replicas":2,"template":
                {"spec":{"parallelism":4,"completions":3,"template":T}}}]})"),
              ElementsAre("spec.replicatedJobs[0].template.spec.template workers 6 suspended"));
  // PyTorchJob
  EXPECT_THAT(Found(R"({"runPolicy":{"suspend":true},"pytorchReplicaSpecs":
                        {"Master":{"replicas":1,"template":T},"Worker":{"template":T}}})"),
              ElementsAre("spec.pytorchReplicaSpecs.Master.template master 1 suspended",
                          "spec.pytorchReplicaSpecs.Worker.template worker 1 suspended"));
  // Rollout, and a list of templates
  EXPECT_THAT(Found(R"({"replicas":0,"template":T})"), ElementsAre("spec.template pod 0"));
  EXPECT_THAT(Found(R"({"podTemplates":[)" + std::string(kTemplate) + R"(]})"),
              ElementsAre("spec.podTemplates[0] pod-0 1"));
}

TEST(PodTemplates, AreNotWhatOnlyHasTheName) {
  EXPECT_THAT(Found(R"({"template":{"spec":{"container":[]}}})"), IsEmpty());
  EXPECT_THAT(Found(R"({"containers":[],"template":"{\"spec\":{\"containers\":[]}}"})"), IsEmpty());
  EXPECT_THAT(Found(R"({"pattern":{"spec":{"containers":[]}}})"), IsEmpty());
  EXPECT_THAT(PodTemplatesIn(R"({"status":{"template":{"spec":{"containers":[]}}}})"), IsEmpty());
  EXPECT_THAT(PodTemplatesIn("[]"), IsEmpty());
}

TEST(PodTemplates, AreBoundedInNumberDepthAndPods) {
  std::string many;
  for (size_t i = 0; i <= kTemplatesMax; ++i)
    many += fmt::format(R"({}"k{}":{{"template":T}})", i == 0 ? "" : ",", i);
  EXPECT_THAT(Found("{" + many + "}"), SizeIs(kTemplatesMax));
  std::string deep = R"({"template":T})";
  for (int i = 0; i < 100; ++i) deep = R"({"a":)" + deep + "}";
  EXPECT_THAT(Found(deep), IsEmpty());
  EXPECT_THAT(Found(R"({"replicas":2000000000,"x":{"replicas":2000000000,"template":T}})"),
              ElementsAre("spec.x.template x 1000000"));
  EXPECT_THAT(Found(R"({"replicas":-1,"template":T})"), ElementsAre("spec.template pod 0"));
}

TEST(PodTemplates, OfOneLabelAreToldApart) {
  EXPECT_THAT(Found(R"({"a":{"name":"x","template":T},"b":{"name":"x","template":T}})"),
              ElementsAre("spec.a.template x 1", "spec.b.template x-1 1"));
}

TEST(PodTemplates, BecomeJobsThatKnowTheirObject) {
  const std::string object = fmt::format(
      R"({{"metadata":{{"name":"l","namespace":"n"}},"spec":{{"replicas":2,"template":{}}}}})",
      kTemplate);
  const std::vector<api::Object> jobs = JobsFor("Rollout", object);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].metadata().name, "l-pod");
  EXPECT_EQ(jobs[0].metadata().namespace_, "n");
  EXPECT_EQ(jobs[0].As<api::batch_v1::Job>().spec.parallelism, 2);
  const auto source = SourceOf(jobs[0]);
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->kind, "Rollout");
  EXPECT_EQ(source->name, "l");
  EXPECT_EQ(source->path, "spec.template");
  EXPECT_EQ(WrittenNameOf(jobs[0]), "Rollout n/l");
  EXPECT_FALSE(SourceOf(api::Object::Of(api::batch_v1::Job())).has_value());
}

TEST(PodTemplates, OfObjectsThatBelongToOthersAreTheirs) {
  EXPECT_THAT(
      JobsFor("Workload",
              fmt::format(R"({{"metadata":{{"name":"l","ownerReferences":[{{"controller":true}}]}},
                               "spec":{{"template":{}}}}})",
                          kTemplate)),
      IsEmpty());
}

}  // namespace
}  // namespace dray::manifests
